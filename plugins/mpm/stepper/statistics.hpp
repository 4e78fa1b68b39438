/// Statistics for users.
#pragma once

#include "settings.hpp"

#include <cstdint>

namespace floe::mpm {

struct Counts {
    std::uint64_t emitted = 0;
    std::uint64_t alive = 0;
    std::uint64_t leftDomain = 0; ///< deleted by open faces
    std::uint64_t deletedByCollider = 0;
    std::uint64_t blocks = 0, activeBlocks = 0, boundaryBlocks = 0;
    std::uint64_t activeParticles = 0;
};

/// Statistics of the steps since the last call of takeStatistics().
struct StepStatistics {
    std::uint32_t steps = 0;
    std::uint32_t redone = 0;          ///< steps repeated because the time step was too large
    std::uint64_t solveIterations = 0; ///< linear iterations of the semi-implicit integrator
    std::uint32_t rebins = 0;
    // of local time steps
    std::uint32_t longSteps = 0;       ///< steps of slow blocks
    std::uint64_t stepsInLong = 0;     ///< steps of fast blocks in these, parts of `steps`
    std::uint64_t slowParticles = 0;   ///< in slow blocks, summed over these
    std::uint64_t particlesInLong = 0; ///< all, summed over these
    std::uint64_t particleSteps = 0;   ///< a particle's in a step, in all steps
    std::uint64_t particleStepsSaved =
        0;                            ///< what slow blocks would have taken more with the others
    double shortest = 0, longest = 0; ///< steps [s]
    double transferSeconds = 0;       ///< stress, scatter, gather and move
    double gridSeconds = 0, rebinSeconds = 0;
    std::uint64_t guardWakes = 0; ///< blocks that the guard has woken
    std::uint64_t leaked = 0;     ///< particles that have crossed a thin collider
    double topSpeed = 0;          ///< of all particles, after the last step [m/s]
};

} // namespace floe::mpm
