/// New particles that would lie in others.
#pragma once

#include "solver/solver.hpp"

#include "floe/sdk/world/emission.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace floe::pbd {

/// Which particles of an emission would lie in those of a scene, where the emitter leaves these
/// out.
/// @return one entry each, 1 or 0
inline std::vector<std::uint8_t> occupied(const Solver& solver, const sdk::world::Emission& given,
                                          sdk::parallel::Executor& executor)
{
    std::vector<std::uint8_t> taken(given.count);
    const Particles& particles = solver.scene.particles;
    if (!given.avoidOverlap || particles.size() == 0)
        return taken;
    const auto old = static_cast<std::uint32_t>(particles.size());
    std::vector<Vec3f> center;
    std::vector<float> radius = particles.radius;
    std::vector<std::uint32_t> group(old, 0);
    for (const Vec3d& x : particles.x)
        center.push_back(toFloat(x));
    for (std::size_t i = 0; i < given.count; ++i) {
        center.push_back({given.x[3 * i], given.x[3 * i + 1], given.x[3 * i + 2]});
        radius.push_back(0.5f * std::cbrt(given.volume[i]));
        group.push_back(1);
    }
    for (const Pair& pair : findPairs({center, radius, group}, solver.settings.search, executor))
        taken[pair.second - old] = 1;
    return taken;
}

} // namespace floe::pbd
