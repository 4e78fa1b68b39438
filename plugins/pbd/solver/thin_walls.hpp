/// Colliders of triangles, which may be thinner than anything: who meets them stays on his side.
#pragma once

#include "scene.hpp"
#include "sleep.hpp"

#include "floe/sdk/floe.h"
#include "floe/sdk/parallel/executor.hpp"
#include "floe/sdk/world/collider.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace floe::sdk::world {
class SurfaceCollider;
}

namespace floe::pbd {

/// A plane that a surface turns towards a particle.
struct SurfaceSide {
    Vec3d at;           ///< on the surface, in its own space [m]
    Vec3f normal;       ///< unit, in the world, towards where the particle was
    float distance = 0; ///< of the particle's centre as the substep begins [m]
    bool face = false;  ///< not an edge or a corner
};
inline constexpr std::size_t kMaxSides = 4;

/// Sides that a particle touches in a substep, or comes to touch on its way.
/// @param x       its centre, as the substep begins [m]
/// @param way     in this substep [m]
/// @param radius  how near it is met: the particle's own and a margin [m]
/// @param sides   out, the nearest first
/// @return how many
std::size_t sidesNear(const sdk::world::SurfaceCollider& collider, const Vec3d& x, const Vec3d& way,
                      double radius, std::array<SurfaceSide, kMaxSides>& sides);

/// Keeps particles on their sides of colliders of triangles where contacts did not, and counts
/// those that change sides. A substep is looked at as the surface sees it: what moves is the
/// particle, and its way must not cross a triangle. Without such colliders nothing is done.
class ThinWalls {
public:
    using Colliders = std::span<const std::shared_ptr<sdk::world::Collider>>;

    /// Notes where everybody is before anything moves; colliders are as the substep begins.
    /// @param stand  they do not move until end()
    void begin(const Scene& scene, Colliders colliders, bool stand = false);
    /// Takes back what crossed, to just before it; it loses the velocity towards the surface. A
    /// rigid body's particles are not taken back. Counts who is on another side now.
    void end(Scene& scene, const Sleep& sleep, sdk::parallel::Executor& executor);

    /// How often a particle came to another side of a surface, not by a hole, so far.
    std::size_t leaked() const { return leaked_; }
    /// Where each surface was as the last substep ended: what must be kept, with the count.
    const std::vector<floe_transform_key>& poses() const { return before_; }
    void restore(std::size_t leaked, std::vector<floe_transform_key> poses)
    {
        leaked_ = leaked;
        before_ = std::move(poses);
    }

private:
    struct Wall {
        std::shared_ptr<const sdk::world::SurfaceCollider> collider;
        floe_transform_key now, later;
    };
    void keep(Scene& scene, std::size_t particle) const;
    bool keep(Scene& scene, std::size_t particle, const Wall& wall) const;
    bool changedSides(const Scene& scene, std::size_t particle) const;

    std::vector<Wall> walls_;                ///< of a substep
    std::vector<floe_transform_key> before_; ///< where each of them was as the last one ended
    std::vector<Vec3d> x_;                   ///< where everybody was as this one began [m]
    std::size_t leaked_ = 0;
};

} // namespace floe::pbd
