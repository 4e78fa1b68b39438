#pragma once

#include "floe/view/frame_values.hpp"
#include "floe/view/picture_scene.hpp"
#include "floe/view/scene_values.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace floe::view {

/// What somebody wants to see.
struct ViewSettings {
    int width = 1280, height = 720; ///< [pixels]
    int frame = 1;
    std::optional<render::Camera> camera; ///< nothing: cameraNode, or one that shows everything
    std::string cameraNode;
    /// Width / height of what cameraNode is rendered to. A narrower view sees a wider angle, so
    /// that the whole of it shows. 0: nothing renders it.
    double gate = 0;
    std::string mode = "material"; ///< material, speed, activation, attribute
    std::string attribute;
    std::string map = "viridis";
    std::optional<std::array<double, 2>> range; ///< of the map; nothing: that of the data
    bool particles = true, colliders = true, grid = true, domain = true, legend = true;
    std::optional<bool> emitters; ///< nothing: while the frame is not simulated
    bool surfaces = true;         ///< meshes made of the solvers' particles, in their place
    bool moving = false;          ///< quick rather than beautiful

    /// True when another camera, size or quality would show the same things.
    bool sameContent(const ViewSettings& other) const;
};

/// A scene for a view, with the node of each of its parts.
struct ViewScene {
    std::unique_ptr<PictureScene> picture;
    std::vector<std::string> particleNodes; ///< of scene.particles
    std::vector<std::string> meshNodes;     ///< of scene.meshes
    /// Of scene.meshes those that are boxes of domains, with their corners; see thinLines.
    std::vector<std::pair<std::size_t, std::array<render::Float3, 8>>> domains;
    bool preview = false;  ///< with fewer particles than there are
    bool cached = false;   ///< it shows simulated particles
    bool surfaces = false; ///< it shows their surfaces
    bool shared = false;   ///< only the renderer whose memory was given can draw it
};

/// Surfaces are cooked for still views; one in motion shows those that are there.
/// @param frame   the solvers' values at view.frame; null when it is not simulated
/// @param shared  as PictureScene takes it
/// @throws InputError a setting that these particles do not have
ViewScene makeViewScene(SceneValues& values, const std::shared_ptr<const FrameValues>& frame,
                        const ViewSettings& view, SharedMemory* shared);

} // namespace floe::view
