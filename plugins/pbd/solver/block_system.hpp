/// Sparse symmetric linear systems of particles: three unknowns each.
#pragma once

#include "block_rules.hpp"

#include "floe/sdk/parallel/executor.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace floe::pbd {

/// A symmetric positive definite matrix, row by row. Entries are blocks of three by three, and
/// numbers that stand for that multiple of the identity, each with a pattern of its own.
struct BlockMatrix {
    struct Pattern {
        std::vector<std::uint32_t> begin;  ///< of each row's entries, and the end
        std::vector<std::uint32_t> column; ///< of each entry, ascending in a row

        /// @param pairs  row and column of each entry; may name one several times
        static Pattern of(std::size_t rows, const std::vector<std::array<std::uint32_t, 2>>& pairs);
        BlockRows::Pattern rows() const { return {begin.data(), column.data()}; }
        /// @return number of an entry that exists
        std::uint32_t at(std::uint32_t row, std::uint32_t of) const { return rows().at(row, of); }
    };
    Pattern dense, light;
    std::vector<Mat3d> block;   ///< of `dense`, which has every diagonal entry
    std::vector<double> number; ///< of `light`

    BlockRows rows()
    {
        return {static_cast<std::uint32_t>(dense.begin.size() - 1), dense.rows(), light.rows(),
                block.data(), number.data()};
    }
};

/// Conjugate gradients, preconditioned by the diagonal blocks. The same bits for any number of
/// threads: sums are of parts of fixed size.
class ConjugateGradients {
public:
    /// Residuals of solves from here on are measured by the largest right hand side among them.
    void begin() { scale_ = 0; }
    /// @param tolerance  of the residual, by the diagonal's norm
    /// @param x          out
    void solve(const BlockRows& A, const std::vector<Vec3d>& b, double tolerance,
               std::vector<Vec3d>& x, sdk::parallel::Executor& executor);
    std::size_t iterations() const { return iterations_; } ///< of all solves
    double left() const { return left_; } ///< of the last solve's residual, as `tolerance`

private:
    double scale_ = 0, left_ = 0;
    std::size_t iterations_ = 0;
    std::vector<Vec3d> residual_, direction_, product_, scaled_;
    std::vector<Mat3d> inverse_;
};

} // namespace floe::pbd
