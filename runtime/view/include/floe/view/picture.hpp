#pragma once

#include "floe/data/image.hpp"
#include "floe/data/value.hpp"
#include "floe/render/scene.hpp"
#include "floe/view/kept_surfaces.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace floe::view {

inline constexpr double kLongestShutter = 10; ///< [frames]

/// Contents of a picture, as values of wires; see floe/sdk/render.h for their fields.
struct PictureRequest {
    std::vector<ValueRef> particles; ///< Gaussians among them are drawn as such
    std::vector<ValueRef> meshes;
    std::vector<ValueRef> colliders; ///< records "collider"
    std::vector<ValueRef> lights;    ///< records "light"
    ValueRef camera;                 ///< record "camera", or nothing: frames everything
    ValueRef settings;               ///< record "render", or nothing: defaults
    double frame = 0;
    std::optional<render::Cut> cut; ///< smooth surfaces of particles are those of what it leaves
    double fps = 24;                ///< for what moves while the shutter is open
    SurfaceDetail surfaces;         ///< of particles, where the settings ask for smooth ones
    KeptSurfaces* kept = nullptr;   ///< null, or where surfaces are looked for and kept
    /// With `kept`: the nodes that `particles` are of.
    std::vector<std::string> nodes;
    std::function<bool()> cancelled; ///< may be empty; asked between exposures, from one thread
};

/// Draws with the process's single renderer; concurrent calls take turns.
/// @param notice  null, or receives a message for the user, once in the life of the renderer
/// @throws InputError, MemoryError
/// @throws CancelledError
/// @throws DeviceError there is no Vulkan device, or this build has no renderer
Ref<const ImageValue> drawPicture(const PictureRequest& request, std::string* notice = nullptr);

/// Releases the renderer's device. Call it after all drawing, before the program ends.
void releaseRenderer();

} // namespace floe::view
