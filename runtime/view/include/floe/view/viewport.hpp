#pragma once

#include "floe/render/renderer.hpp"
#include "floe/view/frame_values.hpp"
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

/// What one viewport shows: made once from a frame's values, then drawn for one camera and size
/// after another; in motion with as much detail as this machine draws quickly. One thread.
class Viewport {
public:
    /// @param values, frames  stay where they are while this lives
    /// @param say  tells people something, once
    Viewport(SceneValues& values, FrameSource& frames, std::function<void(const std::string&)> say);

    /// Who draws what is prepared.
    enum class Drawer {
        Own,  ///< this, which may borrow the memory of a compute device
        Other ///< another renderer: the scene borrows nothing but host memory
    };
    /// Makes scene() show what `view` asks for, unless it does.
    /// @throws InputError a setting that these particles do not have
    void prepare(const ViewSettings& view, Drawer drawer);
    /// The values that it shows are others: they are asked for again.
    void forget() { sceneOf_.reset(); }

    const ViewScene& scene() const { return *scene_; }
    /// Counts what has been shown.
    std::uint64_t content() const { return content_; }
    /// Whether `view` shows the same things as the one prepared last.
    bool sameContent(const ViewSettings& view) const
    {
        return sceneOf_ && sceneOf_->sameContent(view);
    }

    /// @param samples a pixel; a view in motion has one
    /// @throws DeviceError there is no Vulkan device; what prepare() throws
    render::Image draw(const ViewSettings& view, int samples);
    /// The full picture of what is prepared, for a StillDrawer; without `show`.
    StillDrawer::Job still(const ViewSettings& view);
    /// The camera that draws `view`. @pre prepared
    render::Camera cameraOf(const ViewSettings& view) const;
    /// True when the renderer is the processor: a full picture then takes long.
    bool processorDraws();
    /// Chooses the level of detail by what a picture in motion took [ms].
    void adaptDetail(double milliseconds);

    /// What is seen at a pixel of `view`; nothing where it shows nothing.
    std::optional<Picked> pickAt(ViewSettings view, double x, double y);
    /// Box around a node's things, or around everything [m]; nothing when there are none.
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
    std::optional<ViewSettings> sceneOf_; ///< what scene_ shows
    std::uint64_t content_ = 0;
    std::uint64_t revision_ = 0;
    int detail_ = 0; ///< of pictures in motion; 0 is the finest
    int quickPictures_ = 0;
};

} // namespace floe::view
