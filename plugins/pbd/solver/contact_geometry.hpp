/// What contacts of pairs and contacts with surroundings have in common.
#pragma once

#include "contact_rules.hpp"
#include "scene.hpp"
#include "settings.hpp"

#include "neighbours/pairs.hpp"

namespace floe::pbd {

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

} // namespace floe::pbd
