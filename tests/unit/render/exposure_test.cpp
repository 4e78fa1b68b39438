#include "floe/render/exposure.hpp"

#include "shared_renderer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace floe::render {
namespace {

/// The average of the pictures that a scene with a lens and a soft sun gives.
Image averaged(Renderer& renderer, const Scene& scene, int count)
{
    Image sum;
    for (int i = 0; i < count; ++i) {
        Scene one = scene;
        expose(one, i, count);
        Image image = renderer.render(one);
        if (i == 0)
            sum = std::move(image);
        else
            for (std::size_t k = 0; k < sum.linear.size(); ++k)
                sum.linear[k] += image.linear[k];
    }
    for (float& value : sum.linear)
        value /= static_cast<float>(count);
    return sum;
}

/// A ball of 2 cm on the camera's axis, `distance` before it.
struct Ball {
    explicit Ball(float distance, float radius = 0.01f) : place{{0, 0, 4 - distance}}
    {
        scene = plainScene(128, 128);
        scene.camera.verticalFov = 10;
        scene.particles.push_back(
            {.positions = place, .radius = radius, .look = plainLook({1, 1, 1})});
    }
    std::vector<Float3> place;
    Scene scene;
};

/// Twice the mean distance from the middle of what is covered, as a disc's diameter has it
/// [pixels].
double diameterOf(const Image& image)
{
    double sum = 0, moment = 0;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            const double w = coverageAt(image, x, y);
            sum += w;
            moment += w * std::hypot(x + 0.5 - 0.5 * image.width, y + 0.5 - 0.5 * image.height);
        }
    return 3 * moment / sum; // of a disc, the mean is a third of the diameter
}

double covered(const Image& image)
{
    double sum = 0;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x)
            sum += coverageAt(image, x, y);
    return sum;
}

class Exposures : public Rendering {};

TEST_F(Exposures, OneChangesNothing)
{
    Ball ball(3);
    ball.scene.camera.aperture = 0.2f;
    const Image plain = renderer().render(ball.scene);
    expose(ball.scene, 0, 1);
    EXPECT_EQ(renderer().render(ball.scene).linear, plain.linear);
}

TEST_F(Exposures, MomentsFillTheTimeEvenly)
{
    for (const int count : {2, 7, 16, 64}) {
        std::vector<bool> taken(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) {
            const float moment = momentOf(i, count);
            const auto slot = static_cast<std::size_t>((moment + 0.5f) * static_cast<float>(count));
            ASSERT_LT(slot, taken.size());
            EXPECT_FALSE(taken[slot]) << count << " " << i;
            taken[slot] = true;
        }
    }
    EXPECT_EQ(momentOf(0, 1), 0);
}

TEST_F(Exposures, WhatIsNotInFocusIsADiscAsLargeAsTheLensMakesIt)
{
    constexpr float kAperture = 0.1f, kFocus = 4;
    const double focal = 64 / std::tan(5 * std::numbers::pi / 180); // [pixels]
    for (const float distance : {2.5f, 8.0f}) {
        Ball ball(distance, 0.005f);
        ball.scene.camera.aperture = kAperture;
        ball.scene.camera.focus = kFocus;
        const Image image = averaged(renderer(), ball.scene, 256);
        // Thin lens: the cone from the aperture through the plane in focus.
        const double disc = focal * kAperture * std::abs(distance - kFocus) / (distance * kFocus);
        EXPECT_NEAR(diameterOf(image), disc, 0.06 * disc) << distance;
        Ball sharp(distance, 0.005f);
        EXPECT_NEAR(covered(image), covered(averaged(renderer(), sharp.scene, 64)),
                    0.05 * covered(image));
    }
}

TEST_F(Exposures, WhatIsInFocusStaysSharpOverThePicture)
{
    Ball ball(4, 0.05f);
    ball.place = {{-0.25f, 0.2f, 0}, {0, 0, 0}, {0.25f, -0.2f, 0}};
    ball.scene.particles[0].positions = ball.place;
    const Image sharp = averaged(renderer(), ball.scene, 16);
    ball.scene.camera.aperture = 0.1f;
    const Image image = averaged(renderer(), ball.scene, 16); // focus: the target
    double difference = 0;
    for (std::size_t i = 3; i < image.linear.size(); i += 4)
        difference += std::abs(image.linear[i] - sharp.linear[i]);
    EXPECT_LT(difference, 0.02 * covered(sharp)); // of the rims, which are not in its plane
}

TEST_F(Exposures, EdgesAreSmoothWithOneSampleAPixel)
{
    Ball ball(4, 0.2f);
    const Image image = averaged(renderer(), ball.scene, 64);
    const double focal = 64 / std::tan(5 * std::numbers::pi / 180);
    const double radius = focal * std::tan(std::asin(0.2 / 4));
    EXPECT_NEAR(covered(image), std::numbers::pi * radius * radius, 0.002 * covered(image));
    EXPECT_NEAR(diameterOf(image), 2 * radius, 0.01 * radius);
}

TEST_F(Exposures, ShadowsHaveThePenumbraOfTheSun)
{
    // An edge 2 m above the ground, straight below the sun: half a metre at 14.25 degrees.
    Scene scene = plainScene(96, 96);
    scene.ground.visible = true;
    scene.ground.colour = scene.ground.lineColour = {1, 1, 1};
    scene.camera = {.eye = {0, 1.0f, 0.001f}, .target = {0, 0, 0}, .verticalFov = 60};
    scene.sky.intensity = 0;
    scene.sun = {
        .direction = {0, -1, 0}, .colour = {1, 1, 1}, .intensity = 1, .angularDiameter = 14.25f};
    const std::vector<Float3> points = {{0, 2, -9}, {9, 2, -9}, {9, 2, 9}, {0, 2, 9}};
    const std::vector<std::array<std::uint32_t, 3>> triangles = {{0, 1, 2}, {0, 2, 3}};
    scene.meshes.push_back(
        {.points = points, .triangles = triangles, .look = plainLook({1, 1, 1})});
    const Image image = averaged(renderer(), scene, 128);
    // Along the picture's middle row: x in metres on the ground, light as the part of the sun that
    // is seen.
    const double half = std::tan(30 * std::numbers::pi / 180);
    const double lit = linearAt(image, 1, 48)[0];
    ASSERT_GT(lit, 0.1);
    for (int x = 0; x < 96; ++x) {
        const double place = ((x + 0.5) / 48 - 1) * half;
        const double side = std::clamp(place / 0.25, -1.0, 1.0);
        // The part of a disc beyond a chord.
        const double seen =
            (std::acos(side) - side * std::sqrt(1 - side * side)) / std::numbers::pi;
        EXPECT_NEAR(linearAt(image, x, 48)[0] / lit, seen, 0.06) << place;
    }
}

// Light adds up, not its code: half white and half black is 188 of 255.
TEST(MeanImage, IsOfLight)
{
    MeanImage mean;
    for (const std::uint8_t value : {std::uint8_t{0}, std::uint8_t{255}})
        mean.add(
            {.width = 1, .height = 2, .display = {value, value, value, 255, 255, 0, 7, value}});
    EXPECT_EQ(mean.count(), 2);
    EXPECT_EQ(mean.display().display,
              (std::vector<std::uint8_t>{188, 188, 188, 255, 255, 0, 7, 128}));
    EXPECT_FLOAT_EQ(mean.linear()[0], 0.5f);
    MeanImage floats;
    floats.add({.width = 1, .height = 1, .linear = {1, 2, 3, 0}});
    floats.add({.width = 1, .height = 1, .linear = {3, 2, 1, 1}});
    EXPECT_EQ(floats.linear(), (std::vector<float>{2, 2, 2, 0.5f}));
}

} // namespace
} // namespace floe::render
