/// Viscosity of liquids, implicit: right for any viscosity and step.
#pragma once

#include "liquid.hpp"

namespace floe::pbd {

/// Velocities after `dt` of viscous friction between neighbours, one of them liquid: each pair
/// resists approach and parting along the line between them (Monaghan 1992 with the factor of
/// Weiler et al. 2018, "A physically consistent implicit viscosity solver for SPH fluids"), so
/// momentum and angular momentum are kept. Solid particles stick to the liquid; rigid bodies take
/// part as wholes. Solved by conjugate gradients to a thousandth.
///
/// Liquids whose viscosity would change a difference of velocity by less than 1e-5 in the step are
/// left alone.
/// @param at  where all places are [m]
/// @return iterations
int applyViscosity(const Liquid& liquid, Scene& scene, const std::vector<LiquidSpot>& at, double dt,
                   sdk::parallel::Executor& executor);

} // namespace floe::pbd
