/// The rows of fluid and wall pressures, and what cells of fluid know of their surroundings.
#pragma once

#include "lattice.hpp"
#include "system/pressure_system.hpp"
#include "transfer.hpp"
#include "walls.hpp"

#include <cstdint>
#include <vector>

namespace floe::coupled {

/// Cells with fluid. Refers to what it was made from, which must outlive it.
class FluidRows {
public:
    FluidRows(const Lattice& lattice, const Walls& walls, const Scattered& scattered)
        : lattice_(&lattice), walls_(&walls), scattered_(&scattered)
    {}

    /// Finds the cells with particles that walls do not fill, and adds a fluid pressure for each
    /// and a wall pressure for each closed face of one.
    /// @param flux  receives the right side b of each row, after what it holds [m^3/s]
    void add(double cellSize, PressureSystem& system, std::vector<double>& flux);

    /// Returns whether a cell, by number or -1, is fluid.
    bool isFluid(std::int64_t cell) const
    {
        return cell >= 0 && rows_[static_cast<std::size_t>(cell)] >= 0;
    }
    /// Returns the row of a cell that is fluid.
    std::size_t rowOf(std::size_t cell) const { return static_cast<std::size_t>(rows_[cell]); }
    /// Share of the surroundings over which a cell's density averages that walls leave open.
    double roomOf(std::size_t block, int cell) const;
    /// Returns whether air is beside a cell, edges and corners included.
    bool atSurface(std::size_t block, int cell) const;
    /// Faces within walls that no pressure holds take what their neighbours in the fluid have, or
    /// the wall's velocity where it sticks: particles beside a wall interpolate from them.
    /// @param field  of faces: velocities, or displacements, of which walls have none
    void extendIntoWalls(std::vector<double>& field, bool velocities) const;

private:
    bool isOpen(std::size_t block, int cell) const;
    void addCell(std::size_t block, int cell, double area, PressureSystem& system,
                 std::vector<double>& flux, std::vector<std::size_t>& closed) const;
    /// The cell that has a side (-x +x -y +y -z +z) of a cell as its lower face; -1: none.
    std::int64_t ownerOf(std::size_t block, int cell, int side) const;

    const Lattice* lattice_;
    const Walls* walls_;
    const Scattered* scattered_;
    std::vector<std::int32_t> rows_; ///< of each cell of the lattice; -1: none
};

} // namespace floe::coupled
