/// Surface tension of liquids.
#pragma once

#include "liquid.hpp"
#include "near_planes.hpp"

namespace floe::pbd {

/// Moves liquid by the tension of its surface against air: a stress along the surface wherever the
/// smoothed amount of liquid falls off (continuum surface stress, Lafaurie et al. 1994), and some
/// attraction of particles. Neighbours exchange both along the line between them, so that momentum
/// is kept. In newtons a metre, whatever the size of particles. Other liquids count as air, and so
/// do solids that are not wetted. Explicit: the step must resolve waves as long as a particle.
/// @param at  where all places are when they have moved as `motion` has it: pressure acts there
///        too, and where both did not cancel, drops would begin to spin
/// @param onSolids  gets the impulses on solids, one each [kg m]
void applySurfaceTension(const Liquid& liquid, const Scene& scene, Motion& motion,
                         const std::vector<LiquidSpot>& at, const NearPlanes& planes, double dt,
                         std::vector<LiquidImpulse>& onSolids, sdk::parallel::Executor& executor);

/// The longest step that resolves them: half of sqrt(density spacing^3 / (2 pi tension)) [s]
/// (Brackbill et al. 1992). @param radius  of a particle [m]
double capillaryStep(const Material& material, double radius);

} // namespace floe::pbd
