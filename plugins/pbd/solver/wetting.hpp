/// How liquids that have surface tension wet solids.
#pragma once

#include "liquid.hpp"
#include "near_planes.hpp"
#include "wetting_rules.hpp"

namespace floe::pbd {

/// The solids near a place of liquid.
SolidSums solidsNear(const Liquid& liquid, const Scene& scene, const NearPlanes& planes,
                     const Motion& motion, const std::vector<LiquidSpot>& at, std::size_t place);

/// What solids do to liquid that wets them: the stress of its surface goes on in them, and they
/// attract it the more, the better it wets (Young and Dupre). Liquid and particles pull each other
/// alike; walls and colliders do not feel it. Does nothing where nothing is wetted.
/// @param stress    of places of liquid [Pa]
/// @param onSolids  gets the impulses on solids, one each [kg m]
void applyWetting(const Liquid& liquid, const Scene& scene, const NearPlanes& planes,
                  Motion& motion, const std::vector<LiquidSpot>& at,
                  const std::vector<Stress>& stress, double dt,
                  std::vector<LiquidImpulse>& onSolids, sdk::parallel::Executor& executor);

} // namespace floe::pbd
