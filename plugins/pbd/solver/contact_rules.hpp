/// What decides about one contact: where it is, whether it touches, how it is pushed and what is
/// remembered of it. One text for the CPU and CUDA threads.
#pragma once

#include "contact.hpp"
#include "scene.hpp"

#include "floe/sdk/world/contact.hpp"

#include <cstdint>

namespace floe::pbd {

inline constexpr float kMargin = 0.25f;   ///< of a radius: how far particles move between searches
inline constexpr float kTouching = 0.01f; ///< of a radius: what is nearer may need to be held
/// Of projections one after the other: heaps converge fastest with about this. Friction does
/// without, or piles creep.
inline constexpr float kSweepRelaxation = 1.3f;

// std::min and std::max, which device code cannot call.
FLOE_HD float smaller(float a, float b)
{
    return b < a ? b : a;
}
FLOE_HD float larger(float a, float b)
{
    return a < b ? b : a;
}

/// Two particles, or a particle and something of the surroundings, that touch or may in this
/// substep. Impulses push `a` along the normal.
struct Contact {
    std::uint32_t a, b; ///< b: particle, or kSurface + number of the collider or wall
    Vec3f normal;       ///< unit, from b to a
    float gap;          ///< at the beginning of the substep, negative: overlap [m]
    float bounce;       ///< displacement apart that restitution asks for [m]
    float overlapLimit; ///< most that a stabilisation corrects [m]
    Vec3f armA, armB;   ///< to where they touch, from the centres of rigid bodies [m]
    Vec3f surface;      ///< displacement of the surroundings there [m]
    float staticFriction, kineticFriction;
    float lambda;            ///< normal impulse of this substep [kg m]
    float before;            ///< of the last substep
    Vec3f friction;          ///< tangential impulse [kg m]
    Vec3f impulse;           ///< of the present projection, on a [kg m]
    std::uint32_t candidate; ///< of a swept pair: its number

    /// How far the two sides may approach in this substep [m]. Overlap is left to stabilise():
    /// correcting it here would give it speed.
    FLOE_HD float mayApproach() const { return bounce > 0 ? -bounce : larger(gap, 0.0f); }
};
inline constexpr std::uint32_t kSurface = 0xffff0000u;
inline constexpr std::uint32_t kWalls = 0x8000; ///< number of the first wall among surfaces
inline constexpr std::uint32_t kSides = 0x9000; ///< and of more sides of colliders, four each
inline constexpr std::uint32_t kMaxColliderOfSides = (0xffff - kSides) / 4;
/// Number among surfaces of a collider's side.
FLOE_HD std::uint32_t surfaceOf(std::uint32_t collider, std::uint32_t side)
{
    return side == 0 ? collider : kSides + 4 * collider + side;
}
FLOE_HD bool hasSide(std::uint32_t collider, std::uint32_t side)
{
    return side == 0 || collider < kMaxColliderOfSides;
}

/// What a contact gave in the last substep: that of Contact.
struct Push {
    float lambda = 0, before = 0;
    Vec3f friction{0, 0, 0};
};

/// Whether a particle is within the margin of where it was searched for.
FLOE_HD bool staysNear(const Vec3d& x, const Vec3d& searched, float radius)
{
    return physics::length(toFloat(x - searched)) < kMargin * radius;
}

FLOE_HD bool isWithin(const Vec3d& x, const Vec3d& low, const Vec3d& high)
{
    return x.x >= low.x && x.y >= low.y && x.z >= low.z && x.x <= high.x && x.y <= high.y &&
           x.z <= high.z;
}

/// What approaches no faster than this, to which weight brings it, does not bounce [m].
FLOE_HD float restingApproach(const Vec3d& gravity, double dt)
{
    return static_cast<float>(2 * physics::length(gravity) * dt * dt);
}
/// Displacement apart that restitution asks for [m].
FLOE_HD float bounceOf(float restitution, float approach, float gap, float resting)
{
    return approach < -resting && approach + gap < 0 ? -restitution * approach : 0;
}

/// Coefficient of friction of a collider or wall.
FLOE_HD float gripOf(sdk::world::Contact kind, float friction)
{
    constexpr float kSticks = 1e6f;
    return kind == sdk::world::Contact::stick  ? kSticks
           : kind == sdk::world::Contact::slip ? 0
                                               : friction;
}

/// Geometry of two particles (Jia 2017, section 4.2).
/// @param between  from the second's centre to the first's [m]
/// @param a, b     at rest, of those inside a body's surface; null: others
/// @param turned   called with whether it is the second: the gradient of its distance in the world
/// @return false: they are far apart
template <class Turned>
FLOE_HD bool meetPair(const Vec3f& between, float ra, float rb, const RestParticle* a,
                      const RestParticle* b, const Turned& turned, Contact& contact)
{
    const float distance = physics::length(between);
    if (distance > (1 + kMargin) * (ra + rb))
        return false;
    const Vec3f apart = distance > 0 ? (1 / distance) * between : Vec3f{0, 1, 0};
    contact.normal = apart;
    contact.gap = distance - ra - rb;
    contact.overlapLimit = 0.2f * smaller(ra, rb);
    if (a || b) {
        // Out of the body whose surface is nearer, as its own gradient has it.
        const bool byA = a && (!b || physics::abs(a->distance) < physics::abs(b->distance));
        const Vec3f out = byA ? -1.0f * turned(false) : turned(true);
        if ((!a || !a->boundary) && (!b || !b->boundary)) {
            if (contact.gap > 0)
                return false;
            contact.normal = out;
            contact.gap =
                -larger(a ? physics::abs(a->distance) : 0.0f, b ? physics::abs(b->distance) : 0.0f);
        } else if (const float along = physics::dot(apart, out); along < 0) {
            contact.normal = apart - 2 * along * out;
        }
    }
    return true;
}

/// Where the two of a pair touch. @param x  centre of the first [m]
FLOE_HD Vec3d touchOfPair(const Contact& contact, const Vec3d& x, float ra)
{
    const float offset = ra + 0.5f * contact.gap;
    return x - toDouble(smaller(offset, ra) * contact.normal);
}

/// Completes a pair's contact.
/// @param u       predicted displacement of the first against the second [m]
/// @param radius  of the smaller [m]
/// @return false: they do not touch in this substep
FLOE_HD bool touchPair(Contact& contact, const Vec3f& u, float radius, const Material& a,
                       const Material& b, float resting)
{
    const float un = physics::dot(contact.normal, u);
    if (contact.gap + smaller(un, 0.0f) > kTouching * radius)
        return false;
    contact.staticFriction = physics::sqrt(a.staticFriction * b.staticFriction);
    contact.kineticFriction = physics::sqrt(a.kineticFriction * b.kineticFriction);
    contact.bounce = bounceOf(larger(a.restitution, b.restitution), un, contact.gap, resting);
    return true;
}

/// Geometry of a particle and a surface.
/// @param distance  of the particle's centre from the surface [m]
/// @param moved     displacement of the surface [m]
FLOE_HD void beginSurface(Contact& contact, std::uint32_t particle, std::uint32_t surface,
                          const Vec3f& normal, float distance, float radius, const Vec3f& moved)
{
    contact.a = particle;
    contact.b = kSurface + surface;
    contact.normal = normal;
    contact.gap = distance - radius;
    contact.overlapLimit = radius;
    contact.surface = moved;
}
/// Where they touch.
FLOE_HD Vec3d touchOfSurface(const Vec3d& x, const Vec3f& normal, float distance, float radius)
{
    return x - toDouble(smaller(distance, radius) * normal);
}
/// Completes it. @return false: they do not touch in this substep
FLOE_HD bool touchSurface(Contact& contact, const Vec3f& u, float radius, float grip,
                          float restitution, float resting)
{
    const float un = physics::dot(contact.normal, u);
    if (contact.gap + smaller(un, 0.0f) > kTouching * radius)
        return false;
    contact.staticFriction = contact.kineticFriction = grip;
    contact.bounce = bounceOf(restitution, un, contact.gap, resting);
    return true;
}

/// Gives a contact the first guess of what is remembered of it.
FLOE_HD void recall(Contact& contact, const Push& push)
{
    // What pushed once only was an impact, and does not push again.
    contact.before = push.lambda;
    contact.lambda = smaller(push.lambda, push.before);
    const float part = push.lambda > 0 ? contact.lambda / push.lambda : 0;
    contact.friction =
        part * (push.friction - physics::dot(push.friction, contact.normal) * contact.normal);
}
FLOE_HD Push pushOf(const Contact& contact)
{
    return {contact.lambda, contact.before, contact.friction};
}

/// How much farther apart a stabilisation moves the two sides [m].
/// @param u  by which it has moved them so far [m]
FLOE_HD float excessOf(const Contact& contact, const Vec3f& u, float slop, float radius)
{
    const float allowed = slop * radius;
    return smaller(-(contact.gap + physics::dot(contact.normal, u)) - allowed,
                   contact.overlapLimit);
}

/// Moving what passes each other apart changes its angular momentum, by p x (va - vb) where p is
/// mass times way: the bodies' spins take it up, both by the same change. What has no spin, and
/// what a collider moves, does not.
/// @param inertia  of the bodies of both sides, together
/// @param turn     out: change of their spins, reversed
/// @return false: there is no body
FLOE_HD bool spinOfPush(const Vec3d& pushed, const Vec3d& velocity, const Mat3d& inertia,
                        Vec3d& turn)
{
    const Vec3d gained = physics::cross(pushed, velocity);
    const double volume = physics::determinant(inertia);
    if (!(volume > 0))
        return false;
    turn = (1 / volume) * (physics::transpose(physics::cofactor(inertia)) * gained);
    return true;
}

/// Projects a contact that is met one after the other. @param yields  of both sides [1/kg]
FLOE_HD Vec3f projectSwept(Contact& contact, const Vec3f& u, float yields)
{
    return projectContact<float>(contact.normal, u, contact.mayApproach(), yields,
                                 kSweepRelaxation * yields,
                                 {contact.staticFriction, contact.kineticFriction},
                                 kSweepRelaxation, contact.lambda, contact.friction);
}

/// Unit direction in which two sides slide; the normal where they do not.
FLOE_HD Vec3f slideOf(const Vec3f& u, const Vec3f& normal)
{
    const Vec3f slide = u - physics::dot(normal, u) * normal;
    const float way = physics::length(slide);
    return way > 0 ? (1 / way) * slide : normal;
}

/// How far what is at rest may move in a substep [m].
FLOE_HD float restingWay(const Vec3d& gravity, double dt)
{
    constexpr double kWays = 8; // of what weight moves in a substep
    return static_cast<float>(kWays * physics::length(gravity) * dt * dt);
}
/// Whether a contact that pushed is at rest: what it gave is remembered then.
FLOE_HD bool restsBy(const Contact& contact, const Vec3f& u, float resting)
{
    return physics::abs(physics::dot(contact.normal, u) + larger(contact.gap, 0.0f)) <= resting;
}

} // namespace floe::pbd
