/// What liquid sees of colliders: the planes that bound it nearby.
#pragma once

#include "scene.hpp"

#include "floe/sdk/parallel/executor.hpp"
#include "floe/sdk/world/collider.hpp"

#include <memory>
#include <span>
#include <vector>

namespace floe::pbd {

struct LiquidPlane {
    Vec3f normal;               ///< unit, out of the collider
    float distance = 0;         ///< of the particle where it was [m]
    std::uint32_t collider = 0; ///< number
    float weight = 0;           ///< 0: there is none; below 1: it turns into another
};
/// Of one particle.
struct LiquidPlanes {
    Vec3d at{0, 0, 0}; ///< where it was [m]
    LiquidPlane plane[4];

    /// Of the particle, moved to x [m].
    FLOE_HD float distance(const LiquidPlane& of, const Vec3d& x) const
    {
        return of.distance + physics::dot(of.normal, toFloat(x - at));
    }
};

/// Those within kernels, one entry a particle; of solids none. Where a collider is concave, as in
/// the edges and corners of a tank, there are several. Empty without colliders. Those that take
/// particles are no walls.
/// @param support  radius of a kernel, in radii of its particle
std::vector<LiquidPlanes>
planesOfColliders(const Scene& scene, double support,
                  std::span<const std::shared_ptr<sdk::world::Collider>> colliders,
                  sdk::parallel::Executor& executor);

} // namespace floe::pbd
