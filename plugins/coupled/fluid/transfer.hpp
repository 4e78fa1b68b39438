/// Transfers between particles and the faces of a lattice (APIC).
#pragma once

#include "fluid.hpp"
#include "lattice.hpp"

#include <cstdint>
#include <vector>

namespace floe::coupled {

/// What particles leave on a lattice. Each component of the velocity lives on its own faces and is
/// interpolated linearly between them: with one pressure a cell, that pair is stable. (On common
/// nodes, checkerboards of pressure would move nothing and no multigrid would see them.)
struct Scattered {
    std::vector<float> mass;      ///< of faces [kg]
    std::vector<float> density;   ///< of the particles around each face [kg/m^3]
    std::vector<double> velocity; ///< of faces [m/s]; 0 where there is no mass
    std::vector<float> volume;    ///< of particles, spread linearly to the centres of cells [m^3]
    std::vector<std::uint16_t> count; ///< of particles in each cell, at most 65535
};

/// The same bits for any number of threads. Particles must be in the bins of their blocks.
void scatter(const Fluid& fluid, const Lattice& lattice, Scattered& out, Executor& executor);

/// Gives particles the velocities of faces, and moves them with these and by `displacement`.
/// @param displacement  of faces [m]
/// @param most          bound of a particle's displacement along an axis [m]
void gather(Fluid& fluid, const Lattice& lattice, const std::vector<double>& velocity,
            const std::vector<double>& displacement, float most, double dt, Executor& executor);

} // namespace floe::coupled
