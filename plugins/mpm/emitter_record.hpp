/// What emitters give a solver in a frame.
#pragma once

#include "settled.hpp"
#include "stepper.hpp"

#include "floe/sdk/node.hpp"

#include <memory>
#include <span>
#include <vector>

namespace floe::mpm {

/// Particles of one emitter.
struct Emission {
    sdk::Value particles; ///< owns the arrays
    NewParticles added;   ///< without a material
    bool avoidOverlap = false, settled = false;
    std::size_t given = 0; ///< by the emitter, to this rank
    /// Own particles of an emitter that gives every rank all of them.
    struct Kept {
        std::vector<std::uint64_t> place; ///< of all
        std::unique_ptr<SelectedParticles> own;
    };
    std::shared_ptr<const Kept> kept{};
};

/// Asks the emitters for the particles of this frame, one after the other. With several ranks, each
/// gets its own.
/// @param fps    frames per second
/// @param given  set to the largest number of particles that this rank has held at a time
std::vector<Emission> askEmitters(sdk::Context& context, std::span<const sdk::Value> emitters,
                                  Stepper& solver, double fps, std::uint64_t& given);

/// Leaves out what is empty, on all ranks.
void dropEmpty(std::vector<Emission>& emissions, const Ranks* ranks);

/// Compresses emissions that start settled, each under what lies above it.
/// @param materials  by NewParticles::material  @param gravity  [m/s^2]  @param cellSize  [m]
/// @return the storage that `emissions` then refer to
/// @throws sdk::Failure  one of them has a custom model
std::vector<Settled> settleAll(std::vector<Emission>& emissions,
                               std::span<const SolverMaterial> materials, const Vec3d& gravity,
                               double cellSize, const Ranks* ranks);

/// Adds only the particles that are in cells without any. @return as addParticles()
std::uint64_t addFree(Stepper& solver, const NewParticles& all);

} // namespace floe::mpm
