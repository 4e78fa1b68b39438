/// What emitters give a solver in a frame.
#pragma once

#include "settled.hpp"
#include "stepper.hpp"

#include "floe/sdk/node.hpp"

#include <span>
#include <vector>

namespace floe::mpm {

/// Particles of one emitter.
struct Emission {
    sdk::Value particles; ///< owns the arrays
    NewParticles added;   ///< without a material
    bool avoidOverlap = false, settled = false;
};

/// Asks an emitter for the particles of this frame.
/// @param cellSize  the solver's [m]  @param fps  frames per second
Emission askEmitter(sdk::Context& context, const sdk::Value& emitter, double cellSize, double fps);

/// Compresses emissions that start settled, each under what lies above it.
/// @param materials  by NewParticles::material  @param gravity  [m/s^2]  @param cellSize  [m]
/// @return the storage that `emissions` then refer to
/// @throws sdk::Failure  one of them has a custom model
std::vector<Settled> settleAll(std::vector<Emission>& emissions,
                               std::span<const SolverMaterial> materials, const Vec3d& gravity,
                               double cellSize);

/// Adds only the particles that are in cells without any.
void addFree(Stepper& solver, const NewParticles& all);

} // namespace floe::mpm
