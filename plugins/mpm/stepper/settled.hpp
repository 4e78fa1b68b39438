/// Material that begins as if it had long lain there, pressed together by its own weight, so that
/// neither the first frame nor waking lets it sag.
#pragma once

#include "particles.hpp"

#include <span>
#include <vector>

namespace floe::mpm {

/// The weight that each particle bears, as pressure along gravity [Pa]: the integral of density
/// over what lies above it in a column one cell wide. What hangs above a gap higher than a cell and
/// a half rests on something else, and does not count. Particles of all sets bear on each other.
/// @param sets       as for addParticles()
/// @param densities  at rest, one a set [kg/m^3]
/// @param gravity    [m/s^2]; where it is zero nothing presses
/// @return one array a set
std::vector<std::vector<float>> findOverburden(std::span<const NewParticles> sets,
                                               std::span<const float> densities,
                                               const Vec3d& gravity, double cellSize);

/// What NewParticles needs beside a pressure: arrays of one set.
struct Settled {
    std::vector<float> volume; ///< at rest, larger than what it fills now [m^3]
    std::vector<float> strain; ///< NewParticles::strain
    std::vector<float> state;  ///< NewParticles::state
};

/// Presses particles together: along gravity as far as the law needs to bear `overburden`, not at
/// all sideways, where walls or more of the same hold it. A material that gives way under its
/// weight has given way (packed snow, a yielded paste).
/// @param law  a built-in one
Settled settle(const NewParticles& particles, const physics::Material& law,
               std::span<const float> overburden, const Vec3d& gravity);

} // namespace floe::mpm
