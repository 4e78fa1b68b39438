/// The contact law: what a surface does to the velocity of what touches it. One text for the CPU's
/// batches and for CUDA threads.
#pragma once

#include "floe/sdk/world/pose.hpp"

#include <cstdint>

namespace floe::sdk::world {

/// What a collider or a face of the domain does to nodes inside or beyond it.
enum class Contact : std::int32_t {
    open,    ///< nothing; particles beyond an open face of a domain leave it
    slip,    ///< no velocity along the normal
    stick,   ///< the surface's velocity
    separate ///< only what approaches is stopped, with friction
};

/// What a collider does to particles inside it, beside what its contact does to nodes.
enum class ParticleContact : std::int32_t { none, bounce, remove };

/// What a collider says of one point.
struct SurfacePoint {
    float distance; ///< signed, negative inside [m]; the rest is defined where it is not above 0
    Vec3f normal;   ///< unit, outwards; 0 deep inside, where there is no way out
    Vec3f v;        ///< of the collider there [m/s]
};

/// Velocity after contact with something at rest whose unit outward normal is n.
///
/// Friction takes up to mu times the stopped speed from the sliding (Stomakhin et al. 2013, section
/// 8). Where the normal is 0 the only right velocity is the surface's.
FLOE_HD Vec3f contactVelocity(const Vec3f& v, const Vec3f& n, Contact contact, float friction)
{
    if (contact == Contact::open)
        return v;
    if (contact == Contact::stick || (n.x == 0 && n.y == 0 && n.z == 0))
        return {0, 0, 0};
    const float vn = v.x * n.x + v.y * n.y + v.z * n.z;
    if (contact == Contact::separate && vn >= 0)
        return v;
    Vec3f t{v.x - vn * n.x, v.y - vn * n.y, v.z - vn * n.z};
    if (contact == Contact::separate && friction > 0) {
        const float speed = physics::sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
        const float loss = -vn * friction;
        const float keep = speed > loss ? 1 - loss / speed : 0;
        t = {keep * t.x, keep * t.y, keep * t.z};
    }
    return t;
}

/// The same at a point inside a collider that may move.
FLOE_HD Vec3f contactVelocity(const Vec3f& v, const SurfacePoint& at, Contact contact,
                              float friction)
{
    return at.v + contactVelocity(v - at.v, at.normal, contact, friction);
}

/// Velocity of a particle inside a collider after ParticleContact::bounce.
FLOE_HD Vec3f bouncedVelocity(const Vec3f& v, const SurfacePoint& at)
{
    const float vn = physics::dot(v - at.v, at.normal);
    return vn < 0 ? v - 2 * vn * at.normal : v;
}

} // namespace floe::sdk::world
