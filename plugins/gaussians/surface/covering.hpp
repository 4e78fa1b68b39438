#pragma once

#include "set/gaussian_set.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>

namespace floe::gaussians {

/// How a surface is covered with Gaussians, and what they look like.
struct Covering {
    std::size_t count = 50'000; ///< of Gaussians, about; at most 20 million
    double overlap = 0.8;       ///< standard deviation over the distance between neighbours
    double flatness = 0.1;      ///< thickness over width of the discs
    double opacity = 0.95;
    std::uint64_t seed = 0;

    /// Colour of a place [0 to 1, as on a screen].
    std::function<std::array<double, 3>(const Vec3& place)> colour;
    /// The number that the property "paint" keeps of a place; empty: there is no such property.
    std::function<double(const Vec3& place)> paint;
    Vec3 toLight{0, 1, 0}; ///< of length 1
    double ambient = 0.4;  ///< share of the light that comes from everywhere
    double gloss = 0;      ///< brightness of the highlight, which moves with the eye
    double sheen = 0;      ///< brightness of what faces the eye, as of pearl: no light makes it
    int degree = 3;        ///< of the harmonics; a highlight needs 3

    /// The points at which `colour` is asked, as many as the surface's; empty: the surface's own.
    std::span<const float> painted;
};

/// Puts flat Gaussians on triangles: stratified by area, each in the plane of its triangle, lit
/// once and for all, as captures are. A mirrored light and a sheen are approximated by harmonics of
/// degrees 1 to 3. The same input gives the same set on every machine.
/// @param points     3 a point [m]
/// @param triangles  3 a triangle; without area they get none
/// @throws sdk::Failure  the surface has no area, or a triangle names a point that is not there;
///                       another number of painted points
GaussianSet cover(std::span<const float> points, std::span<const std::uint32_t> triangles,
                  const Covering& covering);

} // namespace floe::gaussians
