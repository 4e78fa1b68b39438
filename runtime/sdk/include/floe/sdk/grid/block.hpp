/// Blocks of 4x4x4 cells and nodes, the unit of the sparse grid: their keys and the numbering of
/// their cells, on the host and in kernels.
#pragma once

#include "floe/sdk/physics/lane.hpp"
#include "floe/sdk/records.h"

#include <array>
#include <cstdint>

namespace floe::sdk::grid {

inline constexpr int kBlockEdge = 4;
inline constexpr int kBlockNodes = kBlockEdge * kBlockEdge * kBlockEdge;

/// A node of the grids that particles scatter to: momentum (or velocity) and mass.
inline constexpr int kNodeFloats = 4;

/// A block's particles have their lowest node in it, or at most one cell outside: particles may
/// drift that far before they are rebinned. They therefore write to nodes -1 to 6 of each axis: the
/// block's arena.
inline constexpr int kArenaEdge = 8;
inline constexpr int kArenaNodes = kArenaEdge * kArenaEdge * kArenaEdge;

/// Coordinates of a block: its first cell / 4. Within +-kMaxCoordinate, so that the keys of its
/// neighbours' neighbours are distinct too.
using BlockCoordinate = std::array<std::int32_t, 3>;
inline constexpr std::int32_t kMaxCoordinate = (1 << 20) - 2;

/// State that an activation strategy gives to a block (floe/sdk/records.h).
enum class BlockState : std::uint8_t {
    passive = FLOE_PASSIVE,   ///< its particles neither move nor contribute to the grid
    active = FLOE_ACTIVE,     ///< its particles move
    boundary = FLOE_BOUNDARY, ///< its particles contribute to the grid beside active blocks but do
                              ///< not move
};

// --------------------------------------------------------------------------------------- cells

/// The block of a cell or node along one axis, and its index in that block. For integers of any
/// width, negative ones too.
template <class Int>
FLOE_HD constexpr Int blockOf(Int cell)
{
    return cell >> 2;
}
template <class Int>
FLOE_HD constexpr int placeOf(Int cell)
{
    return static_cast<int>(cell & 3);
}
/// A block's cells and nodes are numbered x slowest, z fastest.
FLOE_HD constexpr int cellNumber(int x, int y, int z)
{
    return 16 * x + 4 * y + z;
}

// ----------------------------------------------------------------------------------- neighbours

/// Offsets (-1..1)^3 between blocks are numbered 0 to 26, z fastest; kSelf is the block itself, and
/// 26 - n is the offset opposite to n.
inline constexpr int kOffsets = 27;
inline constexpr int kSelf = 13;
FLOE_HD constexpr int offsetNumber(int dx, int dy, int dz)
{
    return (dx + 1) * 9 + (dy + 1) * 3 + dz + 1;
}

constexpr BlockCoordinate neighbourOf(const BlockCoordinate& c, int offset)
{
    return {c[0] + offset / 9 - 1, c[1] + offset / 3 % 3 - 1, c[2] + offset % 3 - 1};
}

// ----------------------------------------------------------------------------------------- keys

/// A block's coordinate in one word, 21 bits per axis; keys sort like coordinates. The type is one
/// that CUDA's atomics take.
using BlockKey = unsigned long long;
/// No block has this key.
inline constexpr BlockKey kNoKey = ~0ull;

FLOE_HD constexpr BlockKey keyOf(std::int32_t x, std::int32_t y, std::int32_t z)
{
    constexpr std::uint32_t kMask = (1u << 21) - 1, kMiddle = 1u << 20;
    return BlockKey{(static_cast<std::uint32_t>(x) + kMiddle) & kMask} << 42 |
           BlockKey{(static_cast<std::uint32_t>(y) + kMiddle) & kMask} << 21 |
           BlockKey{(static_cast<std::uint32_t>(z) + kMiddle) & kMask};
}
constexpr BlockKey keyOf(const BlockCoordinate& c)
{
    return keyOf(c[0], c[1], c[2]);
}
/// Returns the key of the block at an offset in blocks.
FLOE_HD constexpr BlockKey besideKey(BlockKey key, int x, int y, int z)
{
    constexpr std::uint32_t kMask = (1u << 21) - 1, kMiddle = 1u << 20;
    return keyOf(static_cast<std::int32_t>((key >> 42 & kMask) - kMiddle) + x,
                 static_cast<std::int32_t>((key >> 21 & kMask) - kMiddle) + y,
                 static_cast<std::int32_t>((key & kMask) - kMiddle) + z);
}
/// Returns where the search for a key begins in a table: keys of neighbouring blocks are scattered
/// (Stafford's mix 13, as in SplitMix64).
FLOE_HD constexpr std::uint32_t hashOf(BlockKey key)
{
    key ^= key >> 31;
    key *= 0xbf58476d1ce4e5b9ull;
    key ^= key >> 27;
    key *= 0x94d049bb133111ebull;
    return static_cast<std::uint32_t>(key >> 32);
}

/// Returns a block's index on Morton's curve, along which near blocks are near in space.
constexpr std::uint64_t mortonOrder(const BlockCoordinate& c)
{
    std::uint64_t place = 0;
    for (int axis = 0; axis < 3; ++axis) {
        std::uint64_t a =
            static_cast<std::uint64_t>(c[static_cast<std::size_t>(axis)] + (1 << 20)) & 0x1fffff;
        a = (a | a << 32) & 0x1f00000000ffff;
        a = (a | a << 16) & 0x1f0000ff0000ff;
        a = (a | a << 8) & 0x100f00f00f00f00f;
        a = (a | a << 4) & 0x10c30c30c30c30c3;
        a = (a | a << 2) & 0x1249249249249249;
        place |= a << (2 - axis);
    }
    return place;
}

} // namespace floe::sdk::grid
