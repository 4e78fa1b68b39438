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
/// A cell is coupled with its six neighbours, weakly to air. On every level, blocks of 4x4x4 cells
/// exist only where there is fluid. Coarse cells are 2x2x2 fine ones; a coarse face has the
/// coefficient of its four fine ones for twice the distance: half of their sum. Corrections are
/// interpolated linearly, within fluid only. Smoothing is Gauss-Seidel, in single precision: blocks
/// in two colours, and within each of them cells in two colours, so that a block is read once for
/// both. Unknowns of other kinds are divided by their diagonal.
class Multigrid final : public Preconditioner {
public:
    void prepare(const ReducedSystem& system, Executor& executor) override;
    void apply(const std::vector<double>& r, std::vector<double>& z, Executor& executor) override;

    /// Returns the number of levels, the finest included.
    std::size_t levels() const { return levels_.size(); }

private:
    struct Links; ///< coefficients towards the neighbours -x +x -y +y -z +z
    struct Whole; ///< diagonal; 0 where there is no unknown, as are all that follow
    struct Right; ///< the right side
    struct Value; ///< the correction
    struct Inverse;
    struct Lost; ///< weight that interpolation from the coarser level finds no unknowns for
    struct Down; ///< the block's share of the coarser right side, from 1 cell before it to 1 behind
    using Cells =
        sdk::grid::Channels<sdk::grid::kStructOfArrays, sdk::grid::Channel<Links, float, 6>,
                            sdk::grid::Channel<Whole, float>, sdk::grid::Channel<Right, float>,
                            sdk::grid::Channel<Value, float>, sdk::grid::Channel<Inverse, float>,
                            sdk::grid::Channel<Lost, float>, sdk::grid::Channel<Down, float>>;
    using Block = sdk::grid::Block<Cells>;

    struct Level {
        std::vector<sdk::grid::BlockCoordinate> blocks; ///< in Morton order
        sdk::grid::BlockMap map;
        std::vector<std::array<std::int32_t, sdk::grid::kOffsets>> beside; ///< -1: none
        /// Blocks of either colour: those of one are not beside each other.
        std::array<std::vector<std::uint32_t>, 2> colours;
        std::vector<std::uint32_t> parent;               ///< block of the coarser level
        std::vector<std::array<std::int32_t, 64>> finer; ///< blocks -1 to 2 of the finer level
        std::vector<std::uint8_t> loses;                 ///< Lost is not 0 everywhere
        sdk::grid::BlockStorage<Cells> cells;

        void connect(Executor& executor);
        Block block(std::int32_t index) { return cells[static_cast<std::size_t>(index)]; }
    };

    void makeLevels(std::vector<sdk::grid::BlockCoordinate> blocks, Executor& executor);
    void fillFinest(Executor& executor);
    static void fillCoarser(const Level& fine, Level& coarse, Executor& executor);
    static void finish(Level& level, Executor& executor);
    static void findLost(Level& coarse, Level& fine, Executor& executor);
    static void relax(Level& level, bool back, Executor& executor);
    static void relaxBlock(Level& level, std::size_t b, int colour);
    static void restrictBlock(Level& level, std::size_t b);
    static void restrictRest(Level& fine, Level& coarse, Executor& executor);
    static void prolong(Level& coarse, Level& fine, Executor& executor);
    void cycle(Executor& executor);

    const ReducedSystem* system_ = nullptr;
    std::vector<Level> levels_;
    std::vector<std::uint32_t> slots_; ///< block * 64 + cell, of each fluid pressure
};

} // namespace floe::coupled
