#pragma once

#include "floe/render/renderer.hpp"

#include <gtest/gtest.h>
#include <string>

namespace floe::render {

/// One renderer for all tests of this program, with validation. What the validation layer says
/// during a test is a failure of it.
class Rendering : public ::testing::Test {
protected:
    static Renderer& renderer()
    {
        static Renderer shared(
            {.device = "auto", .validation = true, .log = [](const std::string& text) {
                 ADD_FAILURE() << "validation: " << text;
             }});
        return shared;
    }
    void SetUp() override { messages_ = renderer().messageCount(); }
    void TearDown() override { EXPECT_EQ(renderer().messageCount(), messages_); }

private:
    std::uint64_t messages_ = 0;
};

/// A small picture in which only light from all sides counts: things show their own colour.
inline Scene plainScene(int width = 96, int height = 64)
{
    Scene scene;
    scene.width = width;
    scene.height = height;
    scene.samples = 1;
    scene.camera = {.eye = {0, 0, 4}, .target = {0, 0, 0}, .verticalFov = 40};
    scene.sun.intensity = 0;
    scene.sky = {.zenith = {1, 1, 1}, .horizon = {1, 1, 1}, .ground = {1, 1, 1}, .intensity = 1};
    scene.background = {.top = {0, 0, 0}, .horizon = {0, 0, 0}};
    scene.ground.visible = false;
    scene.effects.ambientOcclusion = 0;
    scene.effects.toneMap = ToneMap::None;
    scene.outputs = {.display = true, .linear = true, .depth = true};
    return scene;
}

/// Matt, even, without highlights.
inline Look plainLook(const Float3& colour)
{
    return {.colour = colour, .roughness = 1, .specular = 0, .smoothing = 0, .variation = 0};
}

inline Float3 linearAt(const Image& image, int x, int y)
{
    const float* p = image.linear.data() + 4 * (static_cast<std::size_t>(y) * image.width + x);
    return {p[0], p[1], p[2]};
}

inline float coverageAt(const Image& image, int x, int y)
{
    return image.linear[4 * (static_cast<std::size_t>(y) * image.width + x) + 3];
}

inline float depthAt(const Image& image, int x, int y)
{
    return image.depth[static_cast<std::size_t>(y) * image.width + x];
}

} // namespace floe::render
