/// The pressure system without its wall pressures, in a form that is multiplied quickly.
#pragma once

#include "pressure_system.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace floe::coupled {

/// A wall pressure that is alone on its velocity can be eliminated exactly: what remains is the
/// same system with a mobility of this velocity that is as small as the regularisation of the
/// wall's row. What couples a cell of fluid with the six beside it is kept as a stencil. The other
/// velocities, those of solids, keep their products with C^T, M^-1 and C.
///
/// Unknowns have the order of the system's rows, so that solids come first and then the fluid.
class ReducedSystem {
public:
    /// The row of a fluid pressure: whole x - sum of link x_beside, over the sides -x +x -y +y -z
    /// +z. Where there is no neighbour, the link is 0 and the cell is beside itself.
    struct Stencil {
        double whole;
        std::array<double, 6> link;
        std::array<std::uint32_t, 6> beside; ///< unknowns
    };

    /// @param system  is referred to; it must not change while this is used
    void make(const PressureSystem& system, Executor& executor);

    std::size_t size() const { return rows_.size(); }
    PressureSystem::Range fluid() const { return fluid_; }
    const Cell& cell(std::size_t unknown) const { return system_->cell(rows_[unknown]); }
    const Stencil& stencil(std::size_t i) const { return stencils_[i]; } ///< of the i-th fluid one
    /// Returns the diagonal of the matrix.
    const std::vector<double>& diagonal() const { return diagonal_; }

    // Velocities outside the stencils, numbered anew.
    const SparseRows& otherRows() const { return others_; }        ///< unknowns by other velocities
    const SparseRows& otherVelocities() const { return byOther_; } ///< its transpose
    double otherMobility(std::size_t velocity) const { return otherMobility_[velocity]; }

    /// Sets y = A x, and returns x y. From one thread at a time.
    double multiply(const std::vector<double>& x, std::vector<double>& y, Executor& executor) const;
    /// Takes a right side, or residual, of the whole system to one of this.
    void reduce(const std::vector<double>& whole, std::vector<double>& reduced) const;
    /// Takes the unknowns out of those of the whole system.
    void take(const std::vector<double>& whole, std::vector<double>& x) const;
    /// Puts them back, and sets the wall pressures, for a right side b of the whole system.
    void restore(const std::vector<double>& x, const std::vector<double>& b,
                 std::vector<double>& whole, Executor& executor) const;

private:
    void eliminateWalls();
    void makeStencils(Executor& executor);
    void collectOthers();

    /// A wall pressure that is eliminated.
    struct Wall {
        std::uint32_t row, velocity;
        double
            coefficient; ///< m c / (its diagonal): times C, what it takes from a row's right side
        double inverse;  ///< of its diagonal
    };
    /// A velocity as a row of the fluid sees it.
    struct Seen {
        bool other;                   ///< it is no face between two cells of fluid, or one and air
        std::uint32_t behind;         ///< row of the cell behind the face, or the row itself
        double mobility, coefficient; ///< of the face; of the row behind it
    };
    Seen see(std::uint32_t velocity, std::uint32_t row) const;

    const PressureSystem* system_ = nullptr;
    PressureSystem::Range fluid_{};
    std::vector<std::uint32_t> rows_;      ///< of the system, by unknown
    std::vector<std::uint32_t> unknownOf_; ///< by row; walls that are eliminated have none
    std::vector<Wall> walls_;
    std::vector<double> wallInverse_; ///< by wall row; 0: not eliminated
    std::vector<double> diagonal_;
    std::vector<Stencil> stencils_;
    std::vector<std::uint8_t> seesOther_; ///< by fluid pressure
    std::vector<std::uint32_t> numbers_;  ///< of other velocities, by velocity
    SparseRows others_, byOther_;
    std::vector<double> otherMobility_;
    mutable std::vector<double> impulses_; ///< of other velocities, kept between products
};

/// Returns the side (-x +x -y +y -z +z) of a cell at which another one is; -1: not beside it.
inline int sideTowards(const Cell& from, const Cell& to)
{
    const int dx = to[0] - from[0], dy = to[1] - from[1], dz = to[2] - from[2];
    if (dx * dx + dy * dy + dz * dz != 1)
        return -1;
    return dx ? dx > 0 : dy ? 2 + (dy > 0) : 4 + (dz > 0);
}

} // namespace floe::coupled
