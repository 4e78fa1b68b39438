/// Fluid that got into solids.
#pragma once

#include "fluid/fluid.hpp"
#include "fluid/lattice.hpp"

#include <vector>

namespace floe::coupled {

/// Moves fluid particles that are inside a solid towards its surface, by a quarter of a cell at
/// most.
/// @param solidVolume  of the particles of solids, spread linearly to the cells of the lattice
/// [m^3]
void pushOut(Fluid& fluid, const Lattice& lattice, const std::vector<float>& solidVolume,
             Executor& executor);

} // namespace floe::coupled
