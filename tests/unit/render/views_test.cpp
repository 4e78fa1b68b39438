// Cameras without perspective, and scenes that are cut open.
#include "procedural.hpp"
#include "shared_renderer.hpp"

#include <algorithm>
#include <cmath>

using namespace floe::render;

namespace {

class Views : public Rendering {
protected:
    /// 2 m high, seen along -z; the middle of the picture is the origin.
    static Scene orthographicScene()
    {
        Scene scene = plainScene(200, 100);
        scene.camera = {.eye = {0, 0, 5},
                        .target = {0, 0, 0},
                        .verticalFov = 2 * std::atan(0.2f) * 180 / 3.14159265f,
                        .orthographic = true};
        return scene;
    }
    static ParticleSet balls(const std::vector<Float3>& positions, float radius)
    {
        ParticleSet set;
        set.positions = positions;
        set.radius = radius;
        set.look = plainLook({1, 1, 1});
        return set;
    }
    /// Of the pixels that show something: first, last, and how many.
    struct Extent {
        int left = 1 << 20, right = -1, top = 1 << 20, bottom = -1, count = 0;
    };
    static Extent seen(const Image& image)
    {
        Extent extent;
        for (int y = 0; y < image.height; ++y)
            for (int x = 0; x < image.width; ++x)
                if (std::isfinite(depthAt(image, x, y))) {
                    extent.left = std::min(extent.left, x);
                    extent.right = std::max(extent.right, x);
                    extent.top = std::min(extent.top, y);
                    extent.bottom = std::max(extent.bottom, y);
                    ++extent.count;
                }
        return extent;
    }
};

// 50 pixels a metre, however far away: a ball of 0.2 m is 20 pixels wide 3 m before the target and
// 3 m behind it, where perspective would make it 50 and 12.
TEST_F(Views, WithoutPerspectiveDepthDoesNotMatter)
{
    for (const float z : {-3.0f, 0.0f, 3.0f, 20.0f}) {
        Scene scene = orthographicScene();
        const std::vector<Float3> at = {{0.6f, 0.4f, z}};
        scene.particles = {balls(at, 0.2f)};
        const Image image = renderer().render(scene);
        EXPECT_NEAR(depthAt(image, 130, 30), 5 - z - 0.2, 0.02) << "from the eye's plane";
        const Extent extent = seen(image);
        // A thousandth for each picture height of depth; an edge is rounded to a pixel.
        const double tolerance = 1 + 130 * 0.001 * std::abs(z) / 2;
        EXPECT_NEAR(extent.left, 100 + 20, tolerance) << z;
        EXPECT_NEAR(extent.right, 100 + 40 - 1, tolerance) << z;
        EXPECT_NEAR(extent.top, 50 - 30, tolerance) << z;
        EXPECT_NEAR(extent.bottom, 50 - 10 - 1, tolerance) << z;
    }
}

TEST_F(Views, OfMeshesToo)
{
    Scene scene = orthographicScene();
    const auto box = procedural::box({-0.5f, -0.25f, -8}, {0.5f, 0.25f, 2});
    scene.meshes = {procedural::meshOf(box)};
    const Extent extent = seen(renderer().render(scene));
    EXPECT_NEAR(extent.right - extent.left + 1, 50, 1) << "only its front is seen";
    EXPECT_NEAR(extent.bottom - extent.top + 1, 25, 1);
}

// From the side the ground is a line, not a wall before what lies deeper.
TEST_F(Views, TheGroundSeenFromItsEdgeHidesNothing)
{
    Scene scene = orthographicScene();
    scene.ground.visible = true;
    scene.ground.height = 0;
    scene.camera.eye[1] = scene.camera.target[1] = 0.1f;
    const std::vector<Float3> at = {{0, -0.5f, 0}};
    scene.particles = {balls(at, 0.2f)};
    EXPECT_NEAR(seen(renderer().render(scene)).count, 3.14159 * 100, 12);
    scene.camera.eye = {0, 5, 0.1f}; // from above it is there
    EXPECT_EQ(seen(renderer().render(scene)).count, 200 * 100);
}

// Along an axis one looks at a grid behind everything: its lines go through the world's origin.
TEST_F(Views, AlongAnAxisAGridIsSeenWhereThereIsNothing)
{
    Scene scene = orthographicScene();
    scene.ground = {.visible = true, .height = 0, .spacing = 0.5f}; // 25 pixels
    scene.background = {.top = {1, 1, 1}, .horizon = {1, 1, 1}};
    const auto isLine = [&](int x, int y) {
        const Image image = renderer().render(scene);
        EXPECT_FALSE(std::isfinite(depthAt(image, x, y))) << "it is nowhere";
        return linearAt(image, x, y)[1] < 0.97f * linearAt(image, 100 + 12, 50 + 12)[1];
    };
    const Camera front = scene.camera;
    const std::pair<Float3, Float3> sides[] = {{{0, 0, 5}, {0, 1, 0}},
                                               {{0, 0, -5}, {0, 1, 0}},
                                               {{5, 0, 0}, {0, 1, 0}},
                                               {{-5, 0, 0}, {0, 1, 0}},
                                               {{0, -5, 0}, {0, 0, 1}}};
    for (const auto& [eye, up] : sides) {
        scene.camera.eye = eye;
        scene.camera.up = up;
        for (const int line : {50, 75, 100, 125, 150}) {
            EXPECT_TRUE(isLine(line, 62) || isLine(line - 1, 62)) << line;
            EXPECT_FALSE(isLine(line + 12, 62)) << line;
        }
        EXPECT_TRUE(isLine(112, 25) || isLine(112, 24)) << "across too";
    }
    scene.camera = front;
    scene.camera.eye[0] = scene.camera.target[0] = 0.1f; // 5 pixels
    EXPECT_TRUE(isLine(95, 62) || isLine(94, 62)) << "it stays where it is in the world";
    EXPECT_FALSE(isLine(100, 62));

    scene.camera = front;
    const std::vector<Float3> at = {{0, 0, -3}};
    scene.particles = {balls(at, 0.2f)};
    const Image ball = renderer().render(scene);
    scene.ground.visible = false;
    EXPECT_EQ(linearAt(ball, 100, 50), linearAt(renderer().render(scene), 100, 50))
        << "before everything";
    scene.ground.visible = true;
    scene.particles.clear();
    scene.camera.eye[0] = 1; // a horizontal view along no axis
    EXPECT_FALSE(isLine(100, 62) || isLine(99, 62));
    scene.camera = front;
    scene.camera.orthographic = false;
    scene.camera.eye[1] = scene.camera.target[1] = -1; // from below the ground
    EXPECT_FALSE(isLine(100, 62) || isLine(99, 62));
}

// The front one of two balls goes, with its shadow; a box that reaches through the plane is open.
TEST_F(Views, ACutTakesAwayWhatLiesBeforeIt)
{
    Scene scene = plainScene(200, 100);
    scene.camera = {.eye = {0, 0, 5}, .target = {0, 0, 0}, .verticalFov = 40};
    const std::vector<Float3> at = {{0, 0, 1}, {0, 0, -1}};
    scene.particles = {balls(at, 0.3f)};
    const float front = depthAt(renderer().render(scene), 100, 50);
    EXPECT_NEAR(front, 3.7f, 0.01f);
    scene.cut = Cut{.normal = {0, 0, 2}, .offset = 0};
    EXPECT_NEAR(depthAt(renderer().render(scene), 100, 50), 5.7f, 0.01f);
    EXPECT_EQ(renderer().visible(scene).pixels[50 * 200 + 100].element, 1u);
    scene.cut = Cut{.normal = {0, 0, -2}, .offset = 0};
    EXPECT_NEAR(depthAt(renderer().render(scene), 100, 50), 3.7f, 0.01f) << "the other side";

    scene.particles.clear();
    const auto box = procedural::box({-0.5f, -0.5f, -1}, {0.5f, 0.5f, 1});
    scene.meshes = {procedural::meshOf(box)};
    EXPECT_NEAR(depthAt(renderer().render(scene), 100, 50), 4, 1e-3);
    scene.cut = Cut{.normal = {0, 0, 1}, .offset = 0.5f};
    const Image open = renderer().render(scene);
    EXPECT_NEAR(depthAt(open, 100, 50), 6, 1e-3) << "its back, from inside";
    // Half a metre beside the line of sight, where a pixel 14.5 beside the middle looks.
    EXPECT_NEAR(depthAt(open, 100 + 14, 50), 0.5 * 50 / (14.5 * std::tan(0.349066)), 0.01);
    scene.meshes[0].whole = true;
    EXPECT_NEAR(depthAt(renderer().render(scene), 100, 50), 4, 1e-3);
}

TEST_F(Views, WhatIsCutAwayThrowsNoShadow)
{
    Scene scene = plainScene(100, 100);
    scene.camera = {.eye = {0, 5, 0.1f}, .target = {0, 0, 0}, .verticalFov = 20};
    scene.sun.direction = {0, -1, 0};
    scene.sun.intensity = 1;
    scene.sun.shadow = true;
    const auto lid = procedural::box({-2, 1, -2}, {2, 1.1f, 2});
    const auto floor = procedural::box({-2, -0.1f, -2}, {2, 0, 2});
    scene.meshes = {procedural::meshOf(floor), procedural::meshOf(lid)};
    scene.cut = Cut{.normal = {0, 1, 0}, .offset = 0.5f};
    const float open = linearAt(renderer().render(scene), 50, 50)[0];
    scene.meshes.pop_back();
    scene.cut.reset();
    EXPECT_NEAR(linearAt(renderer().render(scene), 50, 50)[0], open, 0.02 * open);
}

// Clear matter is as deep as what is left of it: half a box lets the more light through.
TEST_F(Views, ClearMatterIsAsThickAsWhatACutLeaves)
{
    Scene scene = plainScene(100, 100);
    scene.camera = {.eye = {0, 0, 5}, .target = {0, 0, 0}, .verticalFov = 20};
    const auto wall = procedural::box({-2, -2, -2.1f}, {2, 2, -2});
    const auto box = procedural::box({-0.5f, -0.5f, -1}, {0.5f, 0.5f, 1});
    scene.meshes = {procedural::meshOf(wall), procedural::meshOf(box)};
    scene.meshes[1].look.opacity = 0;
    scene.meshes[1].look.colour = {0.5f, 0.5f, 0.5f};
    scene.meshes[1].look.colourDepth = 1;
    const auto light = [&] {
        return linearAt(renderer().render(scene), 50, 50)[0];
    };
    const float whole = light();
    scene.cut = Cut{.normal = {0, 0, 1}, .offset = 0};
    const float half = light();
    scene.meshes.pop_back();
    scene.cut.reset();
    const float none = light();
    EXPECT_LT(whole, 0.8f * half);
    EXPECT_LT(half, 0.95f * none);
    EXPECT_GT(half, 0.3f * none);
}

} // namespace
