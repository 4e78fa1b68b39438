/// Staying on one's side of a surface of triangles.
#pragma once

#include "floe/sdk/world/triangle_surface.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace floe::sdk::world {

/// Where a way ends that a surface stops.
struct Stopped {
    Vec3d x;      ///< the end
    Vec3d at;     ///< of the surface
    Vec3d normal; ///< unit, from there towards the side that the way comes from
};

/// Returns where a way ends that would cross a surface or come nearer than `gap`; nothing: it does
/// neither. All in the surface's own space: what moves is the point.
/// @param gap  [m]
inline std::optional<Stopped> stoppedBy(const TriangleSurface& surface, const Vec3d& from,
                                        const Vec3d& to, double gap)
{
    Vec3d low, high;
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = std::min(from[axis], to[axis]) - gap;
        high[axis] = std::max(from[axis], to[axis]) + gap;
    }
    double nearest = INFINITY;
    Stopped stopped{};
    surface.near(low, high, [&](std::uint32_t triangle) {
        const Vec3d at = surface.nearestOn(triangle, to).x;
        if (const double distance = physics::length(to - at); distance < nearest) {
            nearest = distance;
            stopped.at = at;
            stopped.normal = (1 / std::max(distance, 1e-300)) * (to - at);
        }
    });
    if (nearest == INFINITY)
        return {};
    const TriangleSurface::Hit hit = surface.crossed(from, to);
    if (!hit && nearest >= gap)
        return {};
    if (hit) {
        stopped.at = from + hit.share * (to - from);
        stopped.normal = surface.normal(hit.triangle);
        if (physics::dot(stopped.normal, from - stopped.at) < 0)
            stopped.normal = -1.0 * stopped.normal;
    }
    const auto isGood = [&](const Vec3d& place) {
        return !surface.crossed(from, place) && !surface.isWithin(place, 0.5 * gap);
    };
    // Along the surface, or as far as it came, or with the surface.
    stopped.x = to + (gap - physics::dot(stopped.normal, to - stopped.at)) * stopped.normal;
    if (!isGood(stopped.x)) {
        const double across = std::abs(physics::dot(stopped.normal, to - from));
        const double back = across > 0 ? gap / across : 1;
        stopped.x = from + std::max((hit ? hit.share : 1) - back, 0.0) * (to - from);
        if (!isGood(stopped.x))
            stopped.x = from;
    }
    return stopped;
}

} // namespace floe::sdk::world
