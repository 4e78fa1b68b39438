#pragma once

#include "floe/render/renderer.hpp"
#include "floe/view/frame_values.hpp"
#include "floe/view/motion_detail.hpp"
#include "floe/view/pick.hpp"
#include "floe/view/shared_memory.hpp"
#include "floe/view/still_drawer.hpp"
#include "floe/view/view_scene.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace floe::view {

/// Contents of a viewport: made once from a frame's values, then drawn for any camera and size; in
/// motion with as much detail as this machine draws quickly. One thread.
class Viewport {
public:
    /// @param values, frames  must outlive this, unmoved
    /// @param say  shows a message to the user, once
    Viewport(SceneValues& values, FrameSource& frames, std::function<void(const std::string&)> say);

    /// The renderer of the prepared scene.
    enum class Drawer {
        Own,  ///< this object's, which may borrow the memory of a compute device
        Other ///< another renderer: the scene borrows only host memory
    };
    /// Makes scene() show `view`, unless it already does.
    /// @throws InputError a setting that does not suit these particles
    void prepare(const ViewSettings& view, Drawer drawer);
    /// Drops the scene because its values have changed.
    void forget() { sceneOf_.reset(); }

    const ViewScene& scene() const { return *scene_; }
    /// Counts the scenes prepared so far.
    std::uint64_t content() const { return content_; }
    /// Returns whether `view` shows the same content as the last prepared one.
    bool sameContent(const ViewSettings& view) const
    {
        return sceneOf_ && sceneOf_->sameContent(view);
    }

    /// @param samples per pixel; a view in motion uses one
    /// @throws DeviceError there is no Vulkan device; and like prepare()
    render::Image draw(const ViewSettings& view, int samples);
    /// Returns the full picture of the prepared scene, for a StillDrawer; without `show`.
    StillDrawer::Job still(const ViewSettings& view);
    /// Returns the camera that draws `view`. @pre prepared
    render::Camera cameraOf(const ViewSettings& view) const;
    /// Returns whether the processor renders; a full picture is then slow.
    bool processorDraws();
    /// The detail of pictures in motion, to be told how long they take; see draw().
    MotionDetail& detail() { return detail_; }
    /// Takes notice of how long making the scene that was prepared last took.
    void adaptSurfaces();

    /// Returns what is seen at a pixel of `view`; nothing for background.
    std::optional<Picked> pickAt(ViewSettings view, double x, double y);
    /// Returns the box [m] around a node's geometry, if there is any. Without a node: around the
    /// particles, their surfaces or what they will come from; where there are none, around all
    /// meshes.
    std::optional<render::Bounds> bounds(const ViewSettings& view, const std::string& node);

private:
    render::Renderer& renderer();
    void thinOut(render::Scene& scene) const;
    void coarsen(render::Scene& scene) const;
    StillDrawer::Lines drawLines(render::Scene& scene);

    SceneValues& values_;
    FrameSource& frames_;
    std::function<void(const std::string&)> say_;
    std::unique_ptr<render::Renderer> renderer_;
    std::unique_ptr<SharedMemory> shared_; ///< of renderer_
    std::shared_ptr<ViewScene> scene_ = std::make_shared<ViewScene>();
    std::optional<ViewSettings> sceneOf_; ///< settings of scene_
    std::uint64_t content_ = 0;
    std::uint64_t revision_ = 0;
    MotionDetail detail_; ///< of pictures in motion
};

} // namespace floe::view
