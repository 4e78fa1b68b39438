/// The existing blocks, their neighbours, and which of them take part in a step.
#pragma once

#include "block.hpp"
#include "cpu_state.hpp"
#include "migration.hpp"

#include <array>
#include <vector>

namespace floe::mpm {

using Reach = std::array<int, 3>; ///< in blocks, along each axis

struct BlockGrid {
    BlockGrid(const CpuState& state, MemorySource& memory);

    /// Returns the block at a coordinate; creates it, without neighbours yet, where there is none.
    Block& at(const BlockCoordinate& coordinate);
    /// Rebuilds the blocks: those with particles and their neighbours, in Morton order, linked.
    void rebuildTopology();
    /// Makes inactive blocks beside active ones boundary blocks, and other inactive blocks passive.
    void markBoundary();
    /// Rebuilds the lists of a step if they are stale.
    void updateLists();
    /// Adds to the lists what has come to take part in the step: blocks that are passive no longer,
    /// and nodes that active blocks reach. All others keep their places, except for ghosts.
    void extendLists();
    void clear();

    // -- migration: every active block's leaving particles go into its buffer, expectArrivals()
    //    makes room, and every scattered block takes its arrivals

    std::vector<MigrationBuffer> openBuffers(); ///< one per active block, Block::migration
    /// Call once all buffers are filled: counts arrivals, and wakes the blocks that get some.
    void expectArrivals(const std::vector<MigrationBuffer>& buffers);
    /// Then prepares blocks; the lists are stale. Afterwards every neighbour of a block with
    /// particles exists. Once lists are up to date it is in gridList, where the block is active,
    /// and every block with arrivals is in scatterList.
    /// @param rebuild  whether blocks were added without their neighbours
    void prepare(bool rebuild);
    /// Takes a block's arrivals, ordered by direction: the same for any number of threads.
    void takeArrivals(Block& block, const std::vector<MigrationBuffer>& buffers);
    void closeBuffers();

    /// Returns how far from a block's nodes the particles lie that feel them. Walls that mirror
    /// relate nodes along their normal alone, colliders that do in all directions.
    Reach reachOf(const BlockCoordinate& block, const MirrorWalls& mirror) const;
    /// Returns which nodes of a block this rank's particles feel, a bit for each.
    std::uint64_t feltNodes(const Block& block) const;

    std::size_t bytes() const;

    BinPool pool;
    FloatPool cachePool, contactPool;
    std::vector<Block> blocks; ///< destroyed before the pools
    BlockMap map;
    // indices of blocks, for this step
    std::vector<std::int32_t> scatterList; ///< active and boundary blocks: Block::arena
    std::vector<std::int32_t> gatherList;  ///< active ones
    std::vector<std::int32_t> gridList;    ///< blocks whose nodes active blocks reach: Block::nodes
    std::vector<std::int32_t> ghostList; ///< ghosts with arenas, which follow those of scatterList
    std::size_t inactive = 0;            ///< blocks that hold particles and are not in gatherList
    bool listsStale = true;              ///< whether the lists must be rebuilt
    std::uint64_t generation = 0;        ///< of the lists: increases whenever they change

private:
    const MigrationBuffer* bufferOf(const Block& block, int offset,
                                    const std::vector<MigrationBuffer>& buffers) const;
    bool isNearOwn(const Block& block, const MirrorWalls& mirror) const;
    bool isBesideActive(const Block& block) const;
    void checkRange(const BlockCoordinate& coordinate, std::uint16_t material) const;

    const CpuState* state_;
};

/// Makes a block active.
void wakeBlock(Block& block);

} // namespace floe::mpm
