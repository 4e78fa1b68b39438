#include "floe/view/pick.hpp"

#include "floe/data/mesh.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace floe::view {
namespace {

/// Seen along -z from 5 m, in pictures of 200 x 100 pixels: two particles of 0.1 m, one at the
/// origin and one 2 m behind it, before a wall at z = -4 m that covers the picture's left half.
class Pick : public testing::Test {
protected:
    Pick()
    {
        const auto particles = make<ParticlesValue>(2);
        const auto x = particles->add<float>("x", 3);
        std::fill(x.begin(), x.end(), 0.0f);
        x[5] = -2; // of the second particle, z
        particles->seal();
        const float corners[] = {-50, -50, -4, 0, -50, -4, 0, 50, -4, -50, 50, -4};
        const std::uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
        const auto wall = make<MeshValue>(corners, triangles);
        wall->seal();
        const auto radius = make<NumberValue>(0.1);
        radius->seal();
        const auto settings = make<RecordValue>("render");
        settings->setField("particleRadius", radius);
        settings->seal();
        PictureRequest request;
        request.particles = {particles};
        request.meshes = {wall};
        request.settings = settings;
        scene_.picture = std::make_unique<PictureScene>(request);
        scene_.particleNodes = {"solver"};
        scene_.meshNodes = {"wall"};
    }
    std::optional<Picked> at(double x, double y, const std::optional<render::Cut>& cut = {},
                             bool orthographic = false) const
    {
        return pick(scene_, {.eye = {0, 0, 5}, .target = {0, 0, 0}, .orthographic = orthographic},
                    x, y, 200, 100, cut);
    }

private:
    ViewScene scene_;
};

TEST_F(Pick, FindsTheParticleInFront)
{
    const auto picked = at(100, 50);
    ASSERT_TRUE(picked);
    EXPECT_EQ(picked->node, "solver");
    ASSERT_TRUE(picked->particles);
    EXPECT_EQ(picked->particle, 0u);
    EXPECT_NEAR(picked->distance, 4.9, 1e-6); // its surface
    EXPECT_NEAR(picked->position[2], 0.1, 1e-6);
}

TEST_F(Pick, FindsWhatIsBehindAndNothingWhereNothingIs)
{
    const auto wall = at(60, 50);
    ASSERT_TRUE(wall);
    EXPECT_EQ(wall->node, "wall");
    EXPECT_FALSE(wall->particles);
    EXPECT_NEAR(wall->position[2], -4, 1e-6);
    EXPECT_LT(wall->position[0], 0); // the picture's left is where x is low
    EXPECT_FALSE(at(140, 50));
}

TEST_F(Pick, WhatIsCutAwayIsNotFound)
{
    const auto behind = at(100, 50, render::Cut{.normal = {0, 0, 1}, .offset = -1});
    ASSERT_TRUE(behind);
    EXPECT_EQ(behind->particle, 1u);
    const auto wall = at(60, 50, render::Cut{.normal = {0, 0, -1}, .offset = 3});
    EXPECT_FALSE(wall) << "the other side is cut away";
}

// Rays are parallel: 50 pixels up is half the picture's height at the target, at any depth.
TEST_F(Pick, WithoutPerspectiveDepthDoesNotMatter)
{
    const double rise = 5 * std::tan(20 * 3.14159265358979 / 180); // half the picture [m]
    const auto wall = at(100 - 80, 50 - 30, std::nullopt, true);
    ASSERT_TRUE(wall);
    EXPECT_NEAR(wall->position[0], -80 / 50.0 * rise, 0.02);
    EXPECT_NEAR(wall->position[1], 30 / 50.0 * rise, 0.01);
    EXPECT_NEAR(wall->distance, 9, 0.01) << "from the eye's plane";
}

/// Two flat Gaussians that face the eye, a clear one before an opaque one.
TEST(PickGaussians, FindsTheOneThatHidesMost)
{
    const auto set = make<ParticlesValue>(2);
    const auto fill = [&](const char* name, std::uint32_t components, std::vector<float> values) {
        std::ranges::copy(values, set->add<float>(name, components).begin());
    };
    const float half = std::sqrt(0.5f); // turned about x: what is thin along y is thin along z
    fill("x", 3, {0, 0, 1, 0, 0, -1});
    fill("scale", 3, {0.2f, 0.01f, 0.2f, 0.2f, 0.01f, 0.2f});
    fill("rotation", 4, {half, 0, 0, half, half, 0, 0, half});
    fill("opacity", 1, {0.3f, 0.9f});
    fill("sh", 3, std::vector<float>(6, 0));
    set->seal();
    PictureRequest request;
    request.particles = {set};
    ViewScene scene;
    scene.picture = std::make_unique<PictureScene>(request);
    scene.gaussianNodes = {"capture"};
    const auto at = [&](double x, double y) {
        return pick(scene, {.eye = {0, 0, 5}, .target = {0, 0, 0}}, x, y, 200, 100);
    };
    const auto picked = at(100, 50);
    ASSERT_TRUE(picked);
    EXPECT_EQ(picked->node, "capture");
    EXPECT_EQ(picked->particle, 1u); // 1 - 0.7 * 0.1 is over a half; 0.3 is not
    EXPECT_NEAR(picked->position[2], -1, 1e-6);
    // Half a metre beside it, 2.5 standard deviations away, it takes 0.04 of the light.
    const double pixels = 0.5 / 6 / std::tan(20 * 3.14159265358979 / 180) * 50;
    EXPECT_FALSE(at(100 + pixels, 50));
    EXPECT_FALSE(at(100, 50 + pixels));
}

} // namespace
} // namespace floe::view
