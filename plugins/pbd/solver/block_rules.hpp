/// Sparse systems of particles, row by row, and their elimination where they are narrow. One text
/// for the CPU and CUDA threads.
#pragma once

#include "scene.hpp"

#include <cstdint>

namespace floe::pbd {

inline constexpr std::size_t kMaxGradientSteps = 2000; ///< of conjugate gradients

FLOE_HD Mat3d inverseOf(const Mat3d& A)
{
    return (1 / physics::determinant(A)) * physics::transpose(physics::cofactor(A));
}

/// A BlockMatrix, wherever its memory is.
struct BlockRows {
    struct Pattern {
        const std::uint32_t *begin, *column;

        /// @return number of an entry that exists
        FLOE_HD std::uint32_t at(std::uint32_t row, std::uint32_t of) const
        {
            std::uint32_t low = begin[row], high = begin[row + 1];
            while (low < high) {
                const std::uint32_t middle = low + (high - low) / 2;
                if (column[middle] < of)
                    low = middle + 1;
                else
                    high = middle;
            }
            return low;
        }
    };
    std::uint32_t count; ///< rows
    Pattern dense, light;
    Mat3d* block;
    double* number;

    /// The diagonal's block of a row, with what `light` adds.
    FLOE_HD Mat3d diagonalOf(std::uint32_t i) const
    {
        Mat3d diagonal = block[dense.at(i, i)];
        for (std::uint32_t e = light.begin[i]; e < light.begin[i + 1]; ++e)
            for (int axis = 0; axis < 3 && light.column[e] == i; ++axis)
                diagonal[axis][axis] += number[e];
        return diagonal;
    }
    /// A row times a vector.
    FLOE_HD Vec3d times(std::uint32_t i, const Vec3d* x) const
    {
        Vec3d y{0, 0, 0};
        for (std::uint32_t e = dense.begin[i]; e < dense.begin[i + 1]; ++e)
            y = y + block[e] * x[dense.column[e]];
        for (std::uint32_t e = light.begin[i]; e < light.begin[i + 1]; ++e)
            y = y + number[e] * x[light.column[e]];
        return y;
    }
};

/// Solves A x = b exactly by elimination, where nothing couples rows more than two apart.
class BandedSolve {
public:
    static constexpr std::uint32_t kWidth = 8; ///< as far as the second block beside the diagonal
    /// Numbers that it works with, of each row of blocks.
    static constexpr std::uint32_t kNumbers = 3 * (kWidth + 2);

    /// @param work  kNumbers for each row
    FLOE_HD static void solve(const BlockRows& A, const Vec3d* b, Vec3d* x, double* work)
    {
        // L D L^T number by number: inverses of whole blocks would lose a rope's mass beside its
        // stiffness. Row i has its entries from column i - kWidth on; D is where they end.
        const std::uint32_t numbers = 3 * A.count;
        double *L = work, *y = work + numbers * (kWidth + 1);
        gather(A, L);
        for (std::uint32_t i = 0; i < numbers; ++i) {
            const std::uint32_t first = i < kWidth ? 0 : i - kWidth;
            y[i] = b[i / 3][static_cast<int>(i % 3)];
            double* row = L + i * (kWidth + 1) + kWidth - i; // from column 0 on
            for (std::uint32_t j = first; j < i; ++j) { // L_ij D_j, with what is left of j done
                const double* other = L + j * (kWidth + 1) + kWidth - j;
                double entry = row[j];
                for (std::uint32_t k = first; k < j; ++k)
                    entry -= row[k] * other[k];
                row[j] = entry;
            }
            for (std::uint32_t j = first; j < i; ++j) {
                const double scaled = row[j] / L[j * (kWidth + 1) + kWidth];
                row[i] -= scaled * row[j];
                row[j] = scaled;
                y[i] -= scaled * y[j];
            }
        }
        for (std::uint32_t i = numbers; i-- > 0;) {
            y[i] /= L[i * (kWidth + 1) + kWidth];
            for (std::uint32_t j = i + 1; j < numbers && j <= i + kWidth; ++j)
                y[i] -= L[j * (kWidth + 1) + kWidth + i - j] * y[j];
        }
        for (std::uint32_t i = 0; i < A.count; ++i)
            x[i] = {y[3 * i], y[3 * i + 1], y[3 * i + 2]};
    }

private:
    FLOE_HD static void gather(const BlockRows& A, double* L)
    {
        for (std::uint32_t k = 0; k < 3 * A.count * (kWidth + 1); ++k)
            L[k] = 0;
        const auto add = [&](std::uint32_t row, std::uint32_t column, double value) {
            if (column <= row)
                L[row * (kWidth + 1) + column + kWidth - row] += value;
        };
        for (std::uint32_t i = 0; i < A.count; ++i) {
            for (std::uint32_t e = A.dense.begin[i]; e < A.dense.begin[i + 1]; ++e)
                for (std::uint32_t r = 0; r < 3; ++r)
                    for (std::uint32_t c = 0; c < 3 && A.dense.column[e] <= i; ++c)
                        add(3 * i + r, 3 * A.dense.column[e] + c,
                            A.block[e][static_cast<int>(r)][c]);
            for (std::uint32_t e = A.light.begin[i]; e < A.light.begin[i + 1]; ++e)
                for (std::uint32_t axis = 0; axis < 3 && A.light.column[e] <= i; ++axis)
                    add(3 * i + axis, 3 * A.light.column[e] + axis, A.number[e]);
        }
    }
};

} // namespace floe::pbd
