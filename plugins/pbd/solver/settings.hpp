/// The numbers of a solver that are not of its matter.
#pragma once

#include "neighbours/pairs.hpp"
#include "rotation.hpp"

#include "floe/sdk/physics/vec.hpp"

namespace floe::pbd {

struct SolverSettings {
    physics::Vec3<double> gravity{0, -9.81, 0}; ///< [m/s^2]
    int iterations = 4;        ///< projections of every constraint in a substep, >= 1
    int stabilisations = 1;    ///< corrections of what overlaps, without giving it speed, >= 0
    double relaxation = 1.6;   ///< factor on contacts' projections, above 0 and below 2
    double massScaling = 0;    ///< what lies low is heavier in contact: exp(-k height) [1/m]
    double sleepSpeed = 0.005; ///< what would move slower stays where it is [m/s]
    double sleepAfter = 0;     ///< grains that stay so long fall asleep [s]; 0: none does
    double slop = 0.01;        ///< of the smaller radius: overlap that stays
    double support = 4;        ///< radius of a liquid's kernel, in radii of its particles
    RotationMethod rotation = RotationMethod::iterative;
    Search search = Search::automatic;
};

} // namespace floe::pbd
