// What a view shows of frames.
#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/scalars.hpp"
#include "floe/session/library.hpp"
#include "floe/view/scene_values.hpp"
#include "floe/view/view_scene.hpp"
#include "values.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace floe::view {
namespace {

/// One frame, of one particle.
class OneFrame : public FrameSource {
public:
    OneFrame()
    {
        const auto particles = make<ParticlesValue>(1);
        particles->copyIn<float>("x", 3, std::vector<float>{0, 1, 0});
        particles->seal();
        (*values_)["solver"]["particles"] = particles;
    }
    bool has(int /*frame*/) const override { return true; }
    std::shared_ptr<const FrameValues> get(int /*frame*/) override { return values_; }
    std::shared_ptr<const FrameValues> inDeviceMemory(int /*frame*/) const override
    {
        return values_;
    }
    std::shared_ptr<const FrameValues> preview(int /*frame*/) override { return values_; }

private:
    std::shared_ptr<FrameValues> values_ = std::make_shared<FrameValues>();
};

// A run may give its first frame before the view has taken the graph over.
TEST(SceneValues, FramesAreDrawnBeforeTheGraphIsThere)
{
    session::Library none({}, {});
    OneFrame frames;
    SceneValues values(none, frames, "");
    const ViewScene scene = makeViewScene(values, frames.get(1), {}, nullptr);
    EXPECT_EQ(scene.particleNodes, std::vector<std::string>{"solver"});
    EXPECT_FALSE(values.keepsFrames("solver"));
    EXPECT_TRUE(values.solversBehind("solver").empty());
    EXPECT_TRUE(values.surfaces(1, true)->empty());
}

/// A node's particles, what else it tells of them, and a mesh that shows them.
FrameValues chips(bool shown)
{
    const auto particles = make<ParticlesValue>(1);
    for (const char* vector : {"x", "v"})
        particles->copyIn<float>(vector, 3, std::vector<float>{0, 1, 0});
    if (shown)
        particles->setField("shownBy", make<StringValue>("mesh"));
    particles->seal();
    const std::vector<float> points = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const std::vector<std::uint32_t> triangles = {0, 1, 2};
    const auto mesh = make<MeshValue>(std::span(points), std::span(triangles));
    mesh->seal();
    return {{"debris", {{"contacts", particles}, {"mesh", mesh}, {"particles", particles}}}};
}

// Balls or blocks, not both; and no balls for what only tells of the particles.
TEST(ViewScene, WhatAMeshShowsIsDrawnOnce)
{
    using Nodes = std::vector<std::string>;
    session::Library none({}, {});
    OneFrame frames;
    SceneValues values(none, frames, "");
    const auto seen = [&](bool shown, const ViewSettings& view) {
        return makeViewScene(values, std::make_shared<FrameValues>(chips(shown)), view, nullptr);
    };
    const ViewScene blocks = seen(true, {});
    EXPECT_EQ(blocks.meshNodes, Nodes{"debris"});
    EXPECT_TRUE(blocks.particleNodes.empty());
    const ViewScene balls = seen(false, {});
    EXPECT_TRUE(balls.meshNodes.empty());
    EXPECT_EQ(balls.particleNodes, Nodes{"debris"});
    ViewSettings speed;
    speed.mode = "speed";
    EXPECT_EQ(seen(true, speed).particleNodes, Nodes{"debris"}) << "the mesh has no such colours";
    ViewSettings plain;
    plain.surfaces = false;
    EXPECT_EQ(seen(true, plain).particleNodes, Nodes{"debris"});
}

} // namespace
} // namespace floe::view
