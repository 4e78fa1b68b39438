// Pictures of several exposures: what moves while the shutter is open.
#include "floe/view/picture.hpp"

#include "floe/base/error.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/transform.hpp"
#include "values.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace floe::view {
namespace {

constexpr int kSide = 96;
constexpr double kFov = 40, kDistance = 4, kFps = 25, kShutter = 0.5;
constexpr int kExposures = 32;

Ref<const RecordValue> camera(double x, ValueRef before = {})
{
    Fields fields = {{"eye", vector({x, 0, kDistance})},
                     {"target", vector({x, 0, 0})},
                     {"up", vector({0, 1, 0})},
                     {"fieldOfView", number(kFov)}};
    if (before)
        fields.emplace_back("before", before);
    return record("camera", fields);
}

/// How far along x something was seen: the length of its streak [m], from the second moment of what
/// is brighter than the background. An even streak of length l has l^2 / 12, beside that of the
/// thing.
double streakOf(const ImageValue& image)
{
    double sum = 0, first = 0, second = 0;
    for (int y = 0; y < kSide; ++y)
        for (int x = 0; x < kSide; ++x) {
            // Without the background's dither.
            const double w = std::max(
                0.0, image.pixels()[4 * static_cast<std::size_t>(y * kSide + x) + 1] - 0.002);
            sum += w;
            first += w * x;
            second += w * x * x;
        }
    const double pixel = 2 * kDistance * std::tan(0.5 * kFov * std::numbers::pi / 180) / kSide;
    return pixel * std::sqrt(12 * (second / sum - first / sum * first / sum));
}

class Exposures : public testing::Test {
protected:
    Exposures()
    {
        request.camera = camera(0);
        request.frame = 7;
        request.fps = kFps;
        use(kExposures);
    }

    void use(int exposures)
    {
        Fields fields = {{"width", number(kSide)},
                         {"height", number(kSide)},
                         {"samples", number(1)},
                         {"particleRadius", number(0.03)},
                         {"exposures", number(exposures)},
                         {"shutter", number(kShutter)},
                         {"background", vector({0, 0, 0})},
                         {"backgroundTop", vector({0, 0, 0})},
                         {"ground", make<BooleanValue>(false)}};
        request.settings = record("render", fields);
    }

    /// Without the share of the thing itself.
    double blur() const
    {
        const double moving = streakOf(*drawPicture(request));
        PictureRequest still = request;
        still.fps = 1e9; // velocities move nothing
        still.camera = camera(0);
        for (ValueRef& collider : still.colliders)
            collider = record("collider", {{"mesh", square({})}});
        return std::sqrt(
            std::max(0.0, moving * moving - std::pow(streakOf(*drawPicture(still)), 2)));
    }

    static ValueRef particle(float speed)
    {
        const auto made = make<ParticlesValue>(1);
        made->copyIn<float>("x", 3, std::array<float, 3>{0, 0, 0});
        made->copyIn<float>("v", 3, std::array<float, 3>{speed, 0, 0});
        made->seal();
        return made;
    }

    static ValueRef square(std::span<const float> velocities)
    {
        constexpr float kHalf = 0.03f;
        const std::array<float, 12> points = {-kHalf, -kHalf, 0, kHalf,  -kHalf, 0,
                                              kHalf,  kHalf,  0, -kHalf, kHalf,  0};
        const std::array<std::uint32_t, 6> triangles = {0, 1, 2, 0, 2, 3};
        return make<MeshValue>(std::span<const float>(points),
                               std::span<const std::uint32_t>(triangles), velocities);
    }

    PictureRequest request;
};

TEST_F(Exposures, ParticlesBlurByTheirVelocities)
{
    request.particles = {particle(20)};
    EXPECT_NEAR(blur(), 20 / kFps * kShutter, 0.02);
}

TEST_F(Exposures, MeshesBlurByTheirVelocities)
{
    std::array<float, 12> velocities{};
    for (std::size_t i = 0; i < 12; i += 3)
        velocities[i] = 15;
    request.meshes = {square(velocities)};
    EXPECT_NEAR(blur(), 15 / kFps * kShutter, 0.02);
}

TEST_F(Exposures, CollidersBlurAsTheyAreAnimated)
{
    TransformKey keys[2];
    keys[0].frame = 6;
    keys[0].position = {-0.8, 0, 0};
    keys[1].frame = 8;
    keys[1].position = {0.8, 0, 0};
    request.colliders = {record(
        "collider", {{"mesh", square({})},
                     {"transform", make<TransformValue>(std::span<const TransformKey>(keys))}})};
    EXPECT_NEAR(blur(), 0.8 * kShutter, 0.02);
}

TEST_F(Exposures, ACameraThatMovesBlursWhatStands)
{
    request.particles = {particle(0)};
    request.camera = camera(0, camera(-0.8));
    EXPECT_NEAR(blur(), 0.8 * kShutter, 0.02);
}

TEST_F(Exposures, OneExposureIsSharp)
{
    request.particles = {particle(20)};
    use(1);
    const auto sharp = drawPicture(request);
    request.particles = {particle(0)};
    EXPECT_TRUE(std::ranges::equal(sharp->pixels(), drawPicture(request)->pixels()));
}

TEST_F(Exposures, TheSamePictureEachTime)
{
    request.particles = {particle(20)};
    const auto first = drawPicture(request);
    EXPECT_TRUE(std::ranges::equal(first->pixels(), drawPicture(request)->pixels()));
}

TEST_F(Exposures, TheyStopBetweenTwo)
{
    int asked = 0;
    request.cancelled = [&asked] {
        return ++asked == 3;
    };
    EXPECT_THROW(drawPicture(request), CancelledError);
    EXPECT_EQ(asked, 3);
}

TEST_F(Exposures, WhatCannotBeIsRefused)
{
    use(0);
    EXPECT_THROW(drawPicture(request), InputError);
    use(2000);
    EXPECT_THROW(drawPicture(request), InputError);
}

} // namespace
} // namespace floe::view
