/// What blocks cost in a step, and whether it pays to divide them anew among ranks.
#pragma once

#include "ownership.hpp"

#include <floe/sdk/grid/partition.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace floe::mpm {

/// What the others are told of a block.
struct BlockWork {
    BlockCoordinate block{};
    std::uint32_t particles = 0;
    BlockState state = BlockState::active;
    std::uint8_t unused[3] = {};
    float seconds = 0; ///< processor time of its passes in a step, as measured; 0: not yet [s]
};

/// Returns the cost of a block by its size, in thousandths of a particle: its arena and nodes cost
/// about as much as 64. Of a boundary block only these are in work; a passive one costs memory
/// alone, and counts for so little that it decides where nothing else does.
std::int64_t costBySize(std::uint64_t particles, BlockState state);

/// Returns the costs of blocks as measured, in the same unit; by size where nothing was measured;
/// or as if particles, or blocks, were all that counts. The same blocks give the same costs on
/// every rank.
std::vector<sdk::grid::BlockCost> costsOf(std::span<const BlockWork> blocks,
                                          CostBy by = CostBy::time);

/// Returns whether the next frames gain more than moving blocks costs, which has to be paid again
/// to go back.
/// @param blocks, costs  the same ones  @param steps  of a frame
bool paysToMove(const sdk::grid::Partition& now, const sdk::grid::Partition& next,
                std::span<const BlockWork> blocks, std::span<const sdk::grid::BlockCost> costs,
                int ranks, std::uint64_t steps);

/// Every rank tells the others of its blocks; all find out whether to divide space anew.
/// @param own    blocks with particles  @param steps  of a frame
/// @param all    receives those of all ranks
/// @return null: as it is
sdk::grid::PartitionPointer betterDivision(const Ownership& ownership,
                                           std::span<const BlockWork> own, std::uint64_t steps,
                                           std::vector<BlockWork>& all);

} // namespace floe::mpm
