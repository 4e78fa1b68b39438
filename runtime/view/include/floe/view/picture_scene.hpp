#pragma once

#include "floe/view/picture.hpp"
#include "floe/view/shared_memory.hpp"

#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/render/scene.hpp"

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace floe::view {

/// A scene for the renderer made from values, with the arrays that it borrows. Its user may change
/// camera, size and effects, and draw it again.
class PictureScene {
public:
    /// @param shared  memory of the renderer that will draw: particles of its device stay
    ///                there; others are copied to the host.
    /// @throws InputError a value or setting is unusable
    explicit PictureScene(const PictureRequest& request, SharedMemory* shared = nullptr);
    PictureScene(const PictureScene&) = delete;
    PictureScene& operator=(const PictureScene&) = delete;

    render::Scene scene;
    double surfaceMilliseconds = 0; ///< spent on making surfaces of particles
    int exposures = 1;              ///< that the settings ask for; see render/exposure.hpp

    /// Moves everything in `moved`, a copy of the scene, to a moment while the shutter is open,
    /// along straight lines: particles, Gaussians and meshes by their velocities, colliders and the
    /// scene's own camera as they are animated. Nothing without a shutter. Any thread.
    /// @param moment -0.5 to 0.5
    /// @return points that `moved` then borrows
    using Moved = std::deque<std::vector<render::Float3>>;
    Moved moveTo(render::Scene& moved, float moment) const;

    struct Arrays {
        std::deque<std::vector<float>> scalars;
        std::deque<std::vector<std::uint8_t>> indices;
        std::deque<std::vector<std::uint32_t>> ids;
        std::deque<Ref<const ParticlesValue>> particles; ///< of scene.particles
        std::deque<std::shared_ptr<const SharedBuffer>> shared;
        std::deque<Ref<const ParticlesValue>> gaussians; ///< of scene.gaussians
        /// Of particles that are drawn as surfaces: the last of scene.meshes.
        std::deque<std::pair<Ref<const MeshValue>, render::Look>> surfaces;
        std::vector<float> environment; ///< of scene.environment
    };
    const Arrays& arrays() const { return arrays_; }

private:
    PictureRequest request_; ///< keeps the values
    double shutter_ = 0;     ///< [frames]
    Arrays arrays_;
};

/// Returns the bounding box of what is drawn [m]: particles and Gaussians; without any, the meshes.
render::Bounds boundsOf(const render::Scene& scene);

/// Returns the camera of a record "camera"; without a record, one that shows everything.
render::Camera cameraOf(const Value* record, const render::Scene& scene);

} // namespace floe::view
