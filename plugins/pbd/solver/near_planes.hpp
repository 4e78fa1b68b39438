/// The planes that bound liquid: walls of a domain, and of colliders what is near.
#pragma once

#include "scene.hpp"
#include "surroundings.hpp"

#include <array>

namespace floe::pbd {

class NearPlanes {
public:
    /// @param origin  of the coordinates of points [m]
    NearPlanes(const Surroundings& around, const Vec3d& origin) : planes_(around.planes)
    {
        for (int face = 0; around.domain && face < 6; ++face)
            if (around.domain->isWall(face))
                walls_[count_++] = sdk::world::Wall(*around.domain, face, origin);
    }

    bool any() const { return count_ > 0 || !planes_.empty(); }
    /// Calls work(normal out of the solid, distance [m], weight) for all of a particle.
    /// @param at     where it is, from the origin [m]
    /// @param moved  by how much it has moved from its position in the scene [m]
    template <class Work>
    void visit(const Scene& scene, std::size_t particle, const Vec3f& at, const Vec3f& moved,
               const Work& work) const
    {
        for (std::size_t k = 0; k < count_; ++k)
            work(walls_[k].inwards, walls_[k].distance(at), 1.0f);
        if (planes_.empty())
            return;
        const LiquidPlanes& of = planes_[particle];
        for (const LiquidPlane& plane : of.plane)
            if (plane.weight > 0)
                work(plane.normal,
                     of.distance(plane, scene.particles.x[particle]) +
                         physics::dot(plane.normal, moved),
                     plane.weight);
    }

private:
    std::array<sdk::world::Wall, 6> walls_;
    std::size_t count_ = 0;
    std::span<const LiquidPlanes> planes_;
};

} // namespace floe::pbd
