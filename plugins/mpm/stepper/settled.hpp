/// Material that starts settled, compressed by its overburden, so that it sags neither in the first
/// frame nor on waking.
#pragma once

#include "particles.hpp"
#include "sharing.hpp"

#include <span>
#include <vector>

namespace floe::mpm {

/// Returns the overburden of each particle as pressure along gravity [Pa]: the integral of density
/// over the matter above it in a column one cell wide. Matter above a gap higher than 1.5 cells is
/// supported by something else and does not count. Particles of all sets load each other.
/// @param sets       as for addParticles()
/// @param densities  at rest, one per set [kg/m^3]
/// @param gravity    [m/s^2]; zero: no pressure
/// @param ranks      each has its part of every set (NewParticles::part); null: sets are whole
/// @return one array per set
std::vector<std::vector<float>> findOverburden(std::span<const NewParticles> sets,
                                               std::span<const float> densities,
                                               const Vec3d& gravity, double cellSize,
                                               const Ranks* ranks = nullptr);

/// Attributes of NewParticles under pressure: arrays of one set.
struct Settled {
    std::vector<float> volume; ///< at rest, larger than the present volume [m^3]
    std::vector<float> strain; ///< NewParticles::strain
    std::vector<float> state;  ///< NewParticles::state
};

/// Compresses particles uniaxially: along gravity as far as the law needs to bear `overburden`, not
/// sideways, where walls or the surrounding material hold it. A material that yields under its
/// weight has already yielded (packed snow, a paste).
/// @param law  a built-in law
Settled settle(const NewParticles& particles, const physics::Material& law,
               std::span<const float> overburden, const Vec3d& gravity);

} // namespace floe::mpm
