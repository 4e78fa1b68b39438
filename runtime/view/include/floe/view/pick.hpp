#pragma once

#include "floe/data/particles.hpp"
#include "floe/view/view_scene.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace floe::view {

/// The object seen at a point of a picture.
struct Picked {
    std::string node;
    double distance = 0;                 ///< from the eye, along the ray [m]
    std::array<double, 3> position{};    ///< [m]
    Ref<const ParticlesValue> particles; ///< in host memory; null for a mesh
    std::size_t particle = 0;            ///< index into them
};

/// Returns the nearest object on the ray through a point of a picture. Gaussians are there where
/// they have taken half of the light.
/// @param scene  with all particles: one made for a view that is not in motion
/// @param x, y   from the picture's upper left corner [pixels]
/// @param cut    what it takes away is not hit
/// @return nothing for ground and sky
std::optional<Picked> pick(const ViewScene& scene, const render::Camera& camera, double x, double y,
                           int width, int height,
                           const std::optional<render::Cut>& cut = std::nullopt);

} // namespace floe::view
