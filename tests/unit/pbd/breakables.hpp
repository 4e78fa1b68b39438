/// Bodies that break, for tests.
#pragma once

#include "solver_scene.hpp"

namespace floe::pbd {

inline std::shared_ptr<const RestBody> breakable(double edge, double voxel, int pieces,
                                                 int generations = 1, std::uint64_t seed = 1)
{
    return std::make_shared<const RestBody>(makeRestBody(
        test::cube(edge).view(),
        {.voxel = voxel, .pieces = pieces, .generations = generations, .seed = seed}, serialLoops));
}

/// @param strength  [m/s]  @return its number
inline std::uint32_t addBreakable(Trial& trial, const std::shared_ptr<const RestBody>& rest,
                                  const Scene::Placed& placed, double strength)
{
    const std::uint32_t body = trial.solver.scene.addBody(rest, 0, placed, true);
    trial.solver.scene.bodies[body].strength = static_cast<float>(strength);
    return body;
}

} // namespace floe::pbd
