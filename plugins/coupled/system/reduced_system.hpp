/// The pressure system without its wall pressures, in a form that is multiplied quickly.
#pragma once

#include "pressure_system.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace floe::coupled {

/// A wall pressure that is alone on its velocity can be eliminated exactly: what remains is the
/// same system with a mobility of this velocity that is as small as the regularisation of the
/// wall's row. What couples a cell of fluid with the six beside it is kept as a stencil. Other
/// velocities, those of solids, keep their products with C^T, M^-1 and C.
///
/// Rows keep their numbers; unknowns and right sides of walls that are eliminated are 0.
class ReducedSystem {
public:
    /// The row of a fluid pressure: whole x - sum of link x_beside, over the sides -x +x -y +y -z
    /// +z. Where there is no neighbour, the link is 0 and the cell is beside itself.
    struct Stencil {
        double whole;
        std::array<double, 6> link;
        std::array<std::uint32_t, 6> beside; ///< rows
    };

    /// @param system  is referred to; it must not change while this is used
    void make(const PressureSystem& system, Executor& executor);

    const PressureSystem& system() const { return *system_; }
    std::size_t size() const { return system_->size(); }
    PressureSystem::Range fluid() const { return fluid_; }
    const Stencil& stencil(std::size_t i) const { return stencils_[i]; } ///< of the i-th fluid one
    /// Returns whether velocities outside the stencils move the i-th fluid pressure.
    bool seesOther(std::size_t i) const { return seesOther_[i] != 0; }
    /// Returns whether a velocity is outside the stencils.
    bool isOther(std::size_t velocity) const { return isOther_[velocity] != 0; }
    /// Returns the diagonal of the matrix; 1 where it has no row.
    const std::vector<double>& diagonal() const { return diagonal_; }

    /// Sets y = A x, and returns x y. From one thread at a time.
    double multiply(const std::vector<double>& x, std::vector<double>& y, Executor& executor) const;
    /// Takes a right side of the whole system to one of this.
    void reduce(std::vector<double>& right) const;
    /// Sets the wall pressures that belong to the others.
    /// @param b  right side of the whole system
    void restore(const std::vector<double>& b, std::vector<double>& x, Executor& executor) const;
    /// Sets those that are eliminated to 0.
    void clearWalls(std::vector<double>& x) const;

private:
    void eliminateWalls();
    void closeFace(std::uint32_t velocity, double mobility);
    bool isEliminated(std::size_t row) const
    {
        return row >= wallRows_.first && row < wallRows_.last &&
               wallMobility_[row - wallRows_.first] != 1;
    }
    void makeStencils(Executor& executor);
    void collectOthers();
    double mobilityOf(std::uint32_t velocity) const;

    /// A wall pressure that is eliminated.
    struct Wall {
        std::uint32_t row, velocity;
        double coefficient; ///< m c / (its diagonal): times C, what a row's right side loses
        double inverse;     ///< of its diagonal
    };

    /// A velocity outside the stencils.
    struct Other {
        std::uint32_t velocity;
        double mobility;
    };

    const PressureSystem* system_ = nullptr;
    PressureSystem::Range fluid_{}, wallRows_{};
    std::vector<Wall> walls_;
    std::vector<double> wallMobility_; ///< by wall row: share that is left; 1: the wall stays
    std::vector<double> diagonal_;
    std::vector<Stencil> stencils_;
    std::vector<std::uint8_t> seesOther_, isOther_; ///< by fluid pressure, by velocity
    std::vector<Other> others_;
    mutable std::vector<double> impulses_; ///< by velocity; 0 but for the others
};

/// Returns the side (-x +x -y +y -z +z) of a cell at which another one is; -1: not beside it.
inline int sideTowards(const Cell& from, const Cell& to)
{
    const int dx = to[0] - from[0], dy = to[1] - from[1], dz = to[2] - from[2];
    if (dx * dx + dy * dy + dz * dz != 1)
        return -1;
    const int axis = (dy & 1) + 2 * (dz & 1);
    return 2 * axis + (dx + dy + dz > 0);
}

} // namespace floe::coupled
