/// The rows of solids in the pressure system.
#pragma once

#include "solid_grid.hpp"
#include "system/pressure_system.hpp"

#include <cstdint>
#include <vector>

namespace floe::coupled {

/// Adds a solid pressure for each cell with solid particles: S = sum of V0 / lambda, and G_s by
/// quadrature at the particles. Solid velocities follow those of the lattice's faces.
/// @param last  receives the pressure of the particles in each row's cell, their mean by volume
/// [Pa]
void addSolidRows(const Solid& solid, const std::vector<SolidMaterial>& materials,
                  const Lattice& lattice, double dt, PressureSystem& system,
                  std::vector<double>& last);

} // namespace floe::coupled
