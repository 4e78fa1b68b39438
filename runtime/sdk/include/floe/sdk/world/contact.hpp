/// The contact law: how a surface changes the velocity of what touches it. One source for the CPU's
/// batches and CUDA threads.
#pragma once

#include "floe/sdk/world/pose.hpp"

#include <cstdint>

namespace floe::sdk::world {

/// Effect of a collider or a face of the domain on nodes inside or beyond it.
enum class Contact : std::int32_t {
    open,    ///< nothing; particles beyond an open face of a domain leave it
    slip,    ///< no velocity along the normal
    stick,   ///< the surface's velocity
    separate ///< stops only approaching velocity, with friction
};

/// Effect of a collider on particles inside it, besides the contact of nodes.
enum class ParticleContact : std::int32_t { none, bounce, remove };

/// Answer of a collider for one point.
struct SurfacePoint {
    float distance; ///< signed, negative inside [m]; the rest is defined where it is not above 0,
                    ///< or the margin that was asked for
    Vec3f normal;   ///< unit, outwards; 0 deep inside, where there is no way out
    Vec3f v;        ///< velocity of the collider there [m/s]
};

/// Returns the velocity after contact with a surface at rest with the unit outward normal n.
///
/// Friction reduces the sliding speed by up to mu times the stopped speed (Stomakhin et al. 2013,
/// section 8). Where the normal is 0 the result is the surface's velocity.
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

/// Returns the same for a point inside a collider that may move.
FLOE_HD Vec3f contactVelocity(const Vec3f& v, const SurfacePoint& at, Contact contact,
                              float friction)
{
    return at.v + contactVelocity(v - at.v, at.normal, contact, friction);
}

/// Returns the velocity of a particle inside a collider after ParticleContact::bounce.
FLOE_HD Vec3f bouncedVelocity(const Vec3f& v, const SurfacePoint& at)
{
    const float vn = physics::dot(v - at.v, at.normal);
    return vn < 0 ? v - 2 * vn * at.normal : v;
}

} // namespace floe::sdk::world
