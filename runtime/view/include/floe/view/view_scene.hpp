#pragma once

#include "floe/view/frame_values.hpp"
#include "floe/view/picture_scene.hpp"
#include "floe/view/scene_values.hpp"

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace floe::view {

/// Exposures of which still views become, in time; see render/exposure.hpp.
inline constexpr int kStillExposures = 32;

/// Settings of a view.
struct ViewSettings {
    int width = 1280, height = 720; ///< [pixels]
    int frame = 1;
    /// nothing: cameraNode, or a camera that shows everything
    std::optional<render::Camera> camera;
    std::string cameraNode;
    /// Width / height of the pictures rendered from cameraNode. A narrower view gets a wider angle,
    /// so that all of it is visible. 0: nothing renders from it.
    double gate = 0;
    std::optional<render::Cut> cut; ///< away what hides the inside
    std::string mode = "material";  ///< material, speed, activation, attribute
    std::string attribute;
    std::string map = "viridis";
    std::optional<std::array<double, 2>> range; ///< of the colour map; nothing: that of the data
    bool particles = true, colliders = true, grid = true, domain = true, legend = true;
    /// Shapes of emitters, and those that nothing is made of yet; nothing: only while the frame is
    /// not simulated.
    std::optional<bool> emitters;
    std::string selected; ///< node that is outlined where nothing else of it is drawn; or empty
    /// Nodes whose shapes are seen through, as ghosts, where nothing else of them is drawn.
    std::vector<std::string> ghosts;
    /// Show meshes made of the solvers' particles instead of the particles, or smooth surfaces of
    /// those of liquids and solids; in motion, coarser ones.
    bool surfaces = true;
    double shutter = 0;  ///< how long it is open in still views [frames], 0 to kLongestShutter
    bool moving = false; ///< fast rather than beautiful

    /// Returns whether only camera, cut, size or quality differ.
    bool sameContent(const ViewSettings& other) const;
};

/// A scene for a view, with the node of each of its parts.
struct ViewScene {
    std::unique_ptr<PictureScene> picture;
    std::vector<std::string> particleNodes; ///< of scene.particles
    std::vector<std::string> meshNodes;     ///< of scene.meshes; surfaces of particles follow
    std::vector<std::string> gaussianNodes; ///< of scene.gaussians
    /// Domains and outlines among scene.meshes, with their corners; see thinLines.
    std::vector<std::pair<std::size_t, std::array<render::Float3, 8>>> boxes;
    std::vector<std::size_t> ghosts;    ///< among scene.meshes
    std::set<std::string> surroundings; ///< nodes whose meshes are not simulated: grounds, domains
    bool preview = false;               ///< with fewer particles than simulated
    bool cached = false;                ///< it shows simulated particles
    bool surfaces = false;              ///< it shows their surfaces
    bool smooth = false; ///< it shows particles as the smooth surfaces of a still view
    bool merging =
        false; ///< it shows particles as surfaces, coarse ones at least, where they have one
    std::uint64_t particleCount = 0;
    bool shared = false; ///< only the renderer that owns the memory can draw it
};

/// Makes a scene. Surfaces that nodes make are cooked for still views; a moving view shows existing
/// ones.
/// @param frame   the solvers' values at view.frame; null when it is not simulated
/// @param shared  as for PictureScene
/// @param moving  of the particles' surfaces in motion, where they are not kept more finely
/// @throws InputError a setting that does not suit these particles
ViewScene makeViewScene(SceneValues& values, const std::shared_ptr<const FrameValues>& frame,
                        const ViewSettings& view, SharedMemory* shared,
                        const SurfaceDetail& moving = {});

} // namespace floe::view
