/// The linear system of a step: pressures that make fluid and solid velocities admissible.
///
/// Fang et al. 2020, "IQ-MPM: an interface quadrature material point method for non-sticky strongly
/// two-way coupled nonlinear solids and fluids". Velocities v of both phases change by pressures,
///
///     v' = v - dt M^-1 C^T x,   x = (p_s, p_f, y, h),
///
/// so that C v' = b + (S/dt) (x - x_t), with one row of C for each unknown:
///
///     solid pressure      p_s   G_s^T v_s            compressible: S is V0/lambda, x_t the last
///     p_s fluid pressure      p_f   G_f^T v_f            minus the divergence of a cell, b: moving
///     walls wall pressure       y     B v_f                flux through a wall's face, b: that of
///     the wall interface pressure  h     H_f v_f - H_s v_s    normal velocity of one phase against
///     the other
///
/// hence (S/dt + dt C M^-1 C^T) x = C v + (S/dt) x_t - b: symmetric, positive definite with the
/// small `diagonal` of the rows that have no S. The printed blocks of the paper are these, the
/// signs of its right side are not.
#pragma once

#include "sparse_rows.hpp"

#include "floe/sdk/grid/block.hpp"
#include "floe/sdk/parallel/executor.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace floe::coupled {

using sdk::parallel::Executor;

/// Coordinates of a cell of the lattice that all unknowns share.
using Cell = std::array<std::int32_t, 3>;

/// In the order of the rows.
enum class Unknown { solidPressure, fluidPressure, wallPressure, interfacePressure };
inline constexpr std::size_t kUnknowns = 4;

class PressureSystem {
public:
    /// Rows of one kind: [first, last).
    struct Range {
        std::size_t first, last;
        std::size_t size() const { return last - first; }
    };

    /// Starts over, with velocities of these mobilities.
    /// @param mobility  dt/m of each velocity component [s/kg]; 0: it does not move
    void begin(std::vector<double> mobility);
    /// A velocity component in a row of C.
    struct Entry {
        /// What else a velocity moves, besides the row: anything, which is always true; nothing;
        /// one wall pressure, alone or with one more cell of fluid.
        static constexpr std::uint32_t kAnything = ~0u, kNothing = ~0u - 1, kWall = ~0u - 2;

        std::uint32_t velocity;
        double coefficient;
        /// One of these; or the only other row, that of a cell of fluid beside this one's, in which
        /// the coefficient has the opposite sign. Solvers are quicker with what they know.
        std::uint32_t behind = kAnything;
    };
    /// Adds an unknown, kind after kind in the order of Unknown.
    /// @param cell      where it is; a wall pressure of axis a is that of the cell's lower a-face
    /// @param axis      of a wall pressure, else 0
    /// @param diagonal  S/dt, or the row's regularisation relative to dt C M^-1 C^T if `relative`
    /// @param entries   of its row of C: each velocity component once
    void add(Unknown kind, const Cell& cell, int axis, double diagonal, bool relative,
             std::span<const Entry> entries);
    /// Ends the rows: everything below may then be used.
    void end();

    std::size_t size() const { return cells_.size(); }
    std::size_t velocities() const { return mobility_.size(); }
    Range rows(Unknown kind) const
    {
        const auto k = static_cast<std::size_t>(kind);
        return {first_[k], first_[k + 1]};
    }
    const Cell& cell(std::size_t row) const { return cells_[row]; }
    int axis(std::size_t row) const { return axes_[row]; }
    const SparseRows& constraints() const { return C_; }             ///< C
    const SparseRows& transpose() const { return CT_; }              ///< C^T
    std::uint32_t behind(std::size_t k) const { return behind_[k]; } ///< Entry::behind, as in C
    const std::vector<double>& mobility() const { return mobility_; }
    const std::vector<double>& diagonal() const { return diagonal_; } ///< without C M^-1 C^T

    /// Sets y = A x by products with C^T, M^-1 and C; A is not formed. From one thread at a time.
    void multiply(const std::vector<double>& x, std::vector<double>& y, Executor& executor) const;
    /// Returns A itself; within its rows, columns ascend.
    SparseRows assembled() const;
    /// Returns the diagonal of A.
    std::vector<double> wholeDiagonal() const;
    /// Returns C v - b + (S/dt) x_t.
    /// @param b      by row; empty: 0
    /// @param last   x_t by row, used where a row has an S; empty: 0
    std::vector<double> rightSide(const std::vector<double>& v, const std::vector<double>& b,
                                  const std::vector<double>& last, Executor& executor) const;
    /// Changes v to v' = v - dt M^-1 C^T x.
    void applyPressures(const std::vector<double>& x, std::vector<double>& v,
                        Executor& executor) const;

private:
    SparseRows C_, CT_;
    std::array<std::size_t, kUnknowns + 1> first_{};
    std::vector<std::uint32_t> behind_;
    std::vector<Cell> cells_;
    std::vector<std::uint8_t> axes_;
    std::vector<double> mobility_, diagonal_;
    mutable std::vector<double> impulses_; ///< M^-1 C^T x, kept between products
};

/// Returns the sum of body(begin, end) over ranges that cover [0, count) and do not depend on the
/// number of threads, so that the sum does not either.
template <class Body>
double sumOver(std::size_t count, Executor& executor, const Body& body)
{
    constexpr std::size_t kRange = 4096;
    const std::size_t ranges = (count + kRange - 1) / kRange;
    std::vector<double> sums(ranges);
    executor.parallelFor(ranges, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n < end; ++n)
            sums[n] = body(n * kRange, std::min(count, (n + 1) * kRange));
    });
    double sum = 0;
    for (const double part : sums)
        sum += part;
    return sum;
}

/// Returns the product of long vectors; the same bits for any number of threads.
double dot(const std::vector<double>& a, const std::vector<double>& b, Executor& executor);

} // namespace floe::coupled
