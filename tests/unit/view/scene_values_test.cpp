// What a view shows of frames.
#include "floe/data/particles.hpp"
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
    EXPECT_TRUE(values.solversBefore("solver").empty());
    EXPECT_TRUE(values.surfaces(1, true)->empty());
}

} // namespace
} // namespace floe::view
