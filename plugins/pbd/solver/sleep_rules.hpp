/// What decides who falls asleep, and who wakes: see Sleep. One text for the CPU and CUDA threads.
#pragma once

#include "contact_rules.hpp"

namespace floe::pbd {

inline constexpr float kStay = 0.02f;  ///< of its radius: how far one that stays may move
inline constexpr float kRocks = 0.05f; ///< the same of a rigid body's: some rock for long
inline constexpr float kHarder = 1.5f; ///< a push this many times the hardest wakes,
inline constexpr float kWeights = 2;   ///< beyond so many times the sleeper's weight
inline constexpr float kDeep = 0.3f;   ///< of its radius: there is a surface where none was
inline constexpr float kWoken = 1e-6f; ///< calm of who was just woken: he has not moved yet [s]

/// Whether a particle is still at the place that it stays near.
FLOE_HD bool staysAt(const Vec3d& place, const Vec3d& x, float radius, bool rigid)
{
    return physics::length(x - place) <= double{(rigid ? kRocks : kStay) * radius};
}

/// [N]
FLOE_HD float forceOf(float lambda, double dt)
{
    return static_cast<float>(lambda / (dt * dt));
}
/// Whether a sleeper is pushed much harder than when he fell asleep.
/// @param load  then [N]  @param mass  [kg]  @param gravity  size [m/s^2]
FLOE_HD bool isPushedHard(float force, float load, double mass, double gravity)
{
    return force > kHarder * load + kWeights * static_cast<float>(mass * gravity);
}
/// Whether a sleeper is woken by a surface, which moves or is where none was.
FLOE_HD bool wakesBySurface(const Contact& contact, float radius)
{
    return physics::dot(contact.surface, contact.surface) > 0 || contact.gap < -kDeep * radius;
}
/// Whether the other side of a contact keeps one awake: a surface that moves, or a particle that
/// does not rest yet.
/// @param calm  of that particle [s]  @param after  SolverSettings::sleepAfter
FLOE_HD bool keepsAwake(const Contact& contact, float calm, bool asleep, float after)
{
    return contact.b >= kSurface ? physics::dot(contact.surface, contact.surface) > 0
                                 : calm < 0.5f * after && !asleep;
}

} // namespace floe::pbd
