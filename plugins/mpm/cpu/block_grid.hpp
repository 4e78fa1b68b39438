/// The blocks that exist, how they lie beside each other, and which of them take part in a step.
#pragma once

#include "block.hpp"
#include "cpu_state.hpp"
#include "migration.hpp"

#include <vector>

namespace floe::mpm {

struct BlockGrid {
    BlockGrid(const CpuState& state, MemorySource& memory);

    /// The block at a coordinate; a new one, without neighbours as yet, where there was none.
    Block& at(const BlockCoordinate& coordinate);
    /// Anew: blocks that hold particles and those around them, in Morton order, linked.
    void rebuildTopology();
    /// Blocks that do not move are boundary blocks beside active ones, and else passive.
    void markBoundary();
    /// Makes the lists of a step if they do not hold.
    void updateLists();
    void clear();

    // -- particles change their blocks: every active block's leavers go into its buffer, then
    //    expectArrivals() makes room, then every scattered block takes what is for it

    std::vector<MigrationBuffer> openBuffers(); ///< one for each active block, Block::migration
    /// Once all are filled: counts what will arrive where, wakes those blocks, and makes blocks and
    /// lists ready for it. Every neighbour of a block with particles exists and is in the list of
    /// grid blocks; whatever gets arrivals is in the list of blocks to scatter afterwards.
    void expectArrivals(const std::vector<MigrationBuffer>& buffers);
    /// In the order of the directions they come from: the same for any number of threads.
    void takeArrivals(Block& block, const std::vector<MigrationBuffer>& buffers);
    void closeBuffers();

    std::size_t bytes() const;

    BinPool pool;
    FloatPool cachePool, contactPool;
    std::vector<Block> blocks; ///< gives back to the pools
    BlockMap map;
    // indices of blocks, of this step
    std::vector<std::int32_t> scatterList; ///< active and boundary blocks: Block::arena
    std::vector<std::int32_t> gatherList;  ///< active ones
    std::vector<std::int32_t> gridList;    ///< those whose nodes active blocks reach: Block::nodes
    std::size_t inactive = 0;              ///< blocks that hold particles and are in no gatherList
    bool listsStale = true;                ///< whether the lists have to be made anew
    std::uint64_t generation = 0;          ///< of the lists: another one whenever they change

private:
    const MigrationBuffer* bufferOf(const Block& block, int offset,
                                    const std::vector<MigrationBuffer>& buffers) const;
    void checkRange(const BlockCoordinate& coordinate, std::uint16_t material) const;

    const CpuState* state_;
};

/// It becomes active.
void wakeBlock(Block& block);

} // namespace floe::mpm
