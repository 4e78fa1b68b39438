/// The rows of fluid and wall pressures, and what cells of fluid know of their surroundings.
///
/// A face is open to the fluid, covered by solids or walled, in shares of its area. The fluid of a
/// cell meets the velocity of the solid in the covered share of its faces, so that its pressure
/// pushes the solid there, and nothing leaks: cut cells, as for walls (Batty et al. 2007), with
/// walls that move as they are pushed. In water that stands the push on a solid is then the weight
/// of what it displaces, whatever its shape, since covered shares sum to its volume.
#pragma once

#include "lattice.hpp"
#include "solid/solid_grid.hpp"
#include "system/pressure_system.hpp"
#include "transfer.hpp"
#include "walls.hpp"

#include <cstdint>
#include <vector>

namespace floe::coupled {

/// Cells with fluid. Refers to what it was made from, which must outlive it.
class FluidRows {
public:
    /// @param nodes  of solids; without cells where there are none
    FluidRows(const Lattice& lattice, const Walls& walls, const Scattered& scattered,
              const SolidNodes& nodes)
        : lattice_(&lattice), walls_(&walls), scattered_(&scattered), nodes_(&nodes)
    {}

    /// Finds the cells of fluid: those with particles that walls and solids do not fill, and those
    /// without, which a solid fills or cuts, that fluid reaches and no air. Before anything else of
    /// a step.
    void find();
    /// Adds a fluid pressure for each cell of fluid and a wall pressure for each closed face of
    /// one. Velocities of solids follow those of the lattice's faces.
    /// @param flux  receives the right side b of each row, after what it holds [m^3/s]
    void add(double cellSize, PressureSystem& system, std::vector<double>& flux);

    /// Share of a face through which fluid flows: what walls leave open and solids do not cover. 0
    /// where less than Walls::kClosed would be left beside a solid.
    float open(std::size_t face) const { return walls_->open(face) - covered(face); }
    /// Share of a face that solids cover.
    float covered(std::size_t face) const { return covered_.empty() ? 0 : covered_[face]; }
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
    /// Faces that a solid covers take its velocity. Faces within walls and solids that no pressure
    /// holds take what their neighbours in the fluid have, or the wall's velocity where it sticks:
    /// particles beside a wall interpolate from them.
    /// @param field  of faces: velocities, or displacements, of which walls have none
    void extend(std::vector<double>& field, bool velocities) const;

private:
    /// The nodes of a solid before and behind a face, and their shares of its mass.
    struct Beside {
        std::size_t velocity[2]; ///< components along the face's axis
        double share[2];         ///< 0 where there is no solid
    };

    bool isOpen(std::size_t block, int cell) const;
    bool isFilled(std::int64_t cell) const;
    bool isEnclosed(std::size_t block, int cell) const;
    void findCovered();
    void closeFilled();
    Beside beside(std::size_t block, int cell, int axis) const;
    void addCell(std::size_t block, int cell, double area, PressureSystem& system,
                 std::vector<double>& flux, std::vector<std::size_t>& closed) const;
    /// The cell that has a side (-x +x -y +y -z +z) of a cell as its lower face; -1: none.
    std::int64_t ownerOf(std::size_t block, int cell, int side) const;

    const Lattice* lattice_;
    const Walls* walls_;
    const Scattered* scattered_;
    const SolidNodes* nodes_;
    std::vector<float> covered_;     ///< by face; empty: no solids
    std::vector<std::int32_t> rows_; ///< of each cell of the lattice; -1: none
};

} // namespace floe::coupled
