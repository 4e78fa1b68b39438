/// Geometric multigrid for fluid and wall pressures on sparse blocks.
#pragma once

#include "conjugate_gradients.hpp"

#include "floe/sdk/grid/block_map.hpp"
#include "floe/sdk/grid/channels.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace floe::coupled {

/// One V-cycle, as a preconditioner.
///
/// Wall pressures are eliminated first: each belongs to one face, so this is exact. What remains
/// couples a cell with its six neighbours, weakly to air. On every level, blocks of 4x4x4 cells
/// exist only where there is fluid. Coarse cells are 2x2x2 fine ones; a coarse face has the
/// coefficient of its four fine ones for twice the distance: half of their sum. Corrections are
/// interpolated linearly, within fluid only. Smoothing is Gauss-Seidel in two colours, in single
/// precision. Unknowns of other kinds are divided by their diagonal.
class Multigrid final : public Preconditioner {
public:
    void prepare(const PressureSystem& system, Executor& executor) override;
    void apply(const std::vector<double>& r, std::vector<double>& z, Executor& executor) override;

    /// Returns the number of levels, the finest included.
    std::size_t levels() const { return levels_.size(); }

private:
    struct Links; ///< coefficients towards the neighbours -x +x -y +y -z +z
    struct Whole; ///< diagonal; 0 where there is no unknown
    struct Inverse;
    struct Value; ///< the correction
    struct Right; ///< the right side
    struct Rest;  ///< the residual
    using Cells =
        sdk::grid::Channels<sdk::grid::kStructOfArrays, sdk::grid::Channel<Links, float, 6>,
                            sdk::grid::Channel<Whole, float>, sdk::grid::Channel<Inverse, float>,
                            sdk::grid::Channel<Value, float>, sdk::grid::Channel<Right, float>,
                            sdk::grid::Channel<Rest, float>>;

    struct Level {
        std::vector<sdk::grid::BlockCoordinate> blocks; ///< in Morton order
        sdk::grid::BlockMap map;
        std::vector<std::array<std::int32_t, sdk::grid::kOffsets>> beside; ///< -1: none
        std::vector<std::uint8_t> inside; ///< all cells of the block and around it are unknowns
        sdk::grid::BlockStorage<Cells> cells;

        void finish(Executor& executor);
    };
    template <class Tag, int kEdge>
    static void load(const Level& level, const sdk::grid::BlockCoordinate& block, int first,
                     float (&to)[kEdge][kEdge][kEdge]);

    void makeFinest(const PressureSystem& system, Executor& executor);
    void makeCoarser(Executor& executor);
    static void relax(Level& level, int colour, Executor& executor);
    static void findRest(Level& level, Executor& executor);
    static void restrictRest(const Level& fine, Level& coarse, Executor& executor);
    static void prolong(const Level& coarse, Level& fine, Executor& executor);
    void cycle(Executor& executor);

    const PressureSystem* system_ = nullptr;
    std::vector<double> diagonal_;
    std::vector<Level> levels_;
    std::vector<std::uint32_t> slots_; ///< block * 64 + cell, of each fluid pressure
};

} // namespace floe::coupled
