/// What contacts of pairs and contacts with surroundings have in common.
#pragma once

#include "scene.hpp"
#include "settings.hpp"

#include "neighbours/pairs.hpp"

namespace floe::pbd {

inline constexpr float kMargin = 0.25f;   ///< of a radius: how far particles move between searches
inline constexpr float kTouching = 0.01f; ///< of a radius: what is nearer may need to be held

/// Of contacts, and of what is remembered of them: by a, then b.
struct ContactOrder {
    bool operator()(const auto& l, const auto& r) const
    {
        return l.a != r.a ? l.a < r.a : l.b < r.b;
    }
};

/// Whether a pair's contact is projected after the others': both move by themselves.
inline bool isSwept(const Scene& scene, const Pair& pair)
{
    return !scene.isRigid(pair.first) && !scene.isRigid(pair.second);
}

/// Where two touch along a normal, from the centre of a rigid body.
inline Vec3f armOf(const Scene& scene, std::uint32_t particle, const Vec3d& at)
{
    if (!scene.isRigid(particle))
        return {0, 0, 0};
    return toFloat(at - scene.bodies[scene.particles.body[particle]].x);
}

/// What approaches no faster than weight brings it to does not bounce.
inline float bounceOf(float restitution, float approach, float gap, const SolverSettings& settings,
                      double dt)
{
    const auto resting = static_cast<float>(2 * physics::length(settings.gravity) * dt * dt);
    return approach < -resting && approach + gap < 0 ? -restitution * approach : 0;
}

} // namespace floe::pbd
