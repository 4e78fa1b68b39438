#pragma once

/// Lookup and creation of blocks by coordinates in kernels.

#include "floe/sdk/cuda.hpp"
#include "floe/sdk/grid/block.hpp"

#include <cstdint>

namespace floe::sdk::grid {
inline namespace FLOE_KERNEL_SPACE {

inline constexpr unsigned kNoBlock = ~0u;

/// Hash table with open addressing and linear probing. The capacity is a power of two, at least
/// twice the number of blocks. Filling both arrays with bytes 0xFF makes it empty.
struct HashTable {
    BlockKey* key;   ///< or kNoKey
    unsigned* block; ///< index, or kNoBlock until the thread that creates the block has written it
    std::uint32_t mask; ///< capacity - 1
};

/// Returns the index of the block, or kNoBlock. Not while blocks are created.
__device__ unsigned findBlock(const HashTable& table, BlockKey key)
{
    std::uint32_t at = hashOf(key) & table.mask;
    for (std::uint32_t probe = 0; probe <= table.mask; ++probe, at = (at + 1) & table.mask) {
        if (table.key[at] == key)
            return table.block[at];
        if (table.key[at] == kNoKey)
            return kNoBlock;
    }
    return kNoBlock;
}
__device__ unsigned findBlock(const HashTable& table, int x, int y, int z)
{
    return findBlock(table, keyOf(x, y, z));
}

/// Adds a block under a number that the caller gives. No other thread may add the same block, and
/// there must be room.
__device__ void insertBlock(const HashTable& table, BlockKey key, unsigned number)
{
    std::uint32_t at = hashOf(key) & table.mask;
    while (atomicCAS(&table.key[at], kNoKey, key) != kNoKey)
        at = (at + 1) & table.mask;
    table.block[at] = number;
}

/// Returns the index of the block, created if necessary, in order of arrival. From any thread.
/// @param made      counts created blocks; may exceed `capacity`
/// @param overflow  set to 1 when there is no room, in the table or for `capacity` blocks
/// @param begin     begin(index), called by the one thread that creates the block
/// @return kNoBlock when there is no room
template <class Begin>
__device__ unsigned findOrMakeBlock(const HashTable& table, BlockKey key, std::uint32_t capacity,
                                    unsigned* made, unsigned* overflow, const Begin& begin)
{
    std::uint32_t at = hashOf(key) & table.mask;
    for (std::uint32_t probe = 0; probe <= table.mask; ++probe, at = (at + 1) & table.mask) {
        // A table that is far too small fills up: do not probe all of it per particle.
        if (probe % 16 == 15 && atomicAdd(overflow, 0u) != 0)
            return kNoBlock;
        const BlockKey found = atomicCAS(&table.key[at], kNoKey, key);
        if (found == kNoKey) {
            unsigned index = atomicAdd(made, 1u);
            if (index >= capacity) {
                atomicExch(overflow, 1u);
                index = kNoBlock - 1; // full: a value that no reader waits on
            } else {
                begin(index);
            }
            atomicExch(&table.block[at], index);
            return index == kNoBlock - 1 ? kNoBlock : index;
        }
        if (found == key) {
            unsigned index;
            while ((index = atomicAdd(&table.block[at], 0u)) == kNoBlock)
                __nanosleep(20); // its creator is about to write it
            return index == kNoBlock - 1 ? kNoBlock : index;
        }
    }
    atomicExch(overflow, 1u);
    return kNoBlock;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::sdk::grid
