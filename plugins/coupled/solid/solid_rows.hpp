/// The rows of solids and of their interface in the pressure system.
#pragma once

#include "interface.hpp"
#include "solid_grid.hpp"
#include "system/pressure_system.hpp"

#include <cstdint>
#include <vector>

namespace floe::coupled {

/// Adds a solid pressure for each cell with solid particles: S = sum of V0 / lambda, and G_s by
/// quadrature at the particles. Solid velocities follow those of the lattice's faces.
/// @param last  receives the pressure of the particles in each row's cell, their mean by volume
/// [Pa]
/// @param rows  receives the row of each cell of the lattice; -1: none
void addSolidRows(const Solid& solid, const std::vector<SolidMaterial>& materials,
                  const Lattice& lattice, double dt, PressureSystem& system,
                  std::vector<double>& last, std::vector<std::int32_t>& rows);

/// Adds an interface pressure for each cell with interface points: H_f and H_s by quadrature at
/// them.
void addInterfaceRows(const Interface& interface, const Solid& solid, const Lattice& lattice,
                      double regularisation, PressureSystem& system);

/// Sets the volumes of particles to what the pressures of their cells say.
void takePressures(Solid& solid, const std::vector<SolidMaterial>& materials,
                   const Lattice& lattice, const std::vector<double>& pressures,
                   const std::vector<std::int32_t>& rows, Executor& executor);

} // namespace floe::coupled
