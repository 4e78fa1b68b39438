/// Blocks: the unit of the sparse world.
///
/// Space is divided into blocks of 4x4x4 cells, alive only where something is. Blocks are named by
/// coordinate, found by key, ordered along Morton's curve, and linked to the 26 around them by
/// offset. One text for the host and for CUDA. Source, not binary interface: may change between
/// versions.
#pragma once

#include <floe/sdk/grid/block_size.hpp>
#include <floe/sdk/physics/vec.hpp>

#include <array>
#include <cstdint>

namespace floe::sdk::grid {

/// Coordinates of a block: its first cell / kBlockEdge. Within +-kMaxCoordinate, so that a key has
/// room for it and for the blocks around it.
using BlockCoordinate = std::array<std::int32_t, 3>;
inline constexpr std::int32_t kMaxCoordinate = (1 << 20) - 2;

/// What a block takes part in. Same numbers as the activation interface of records.h.
enum class BlockState : std::uint8_t {
    passive = 0, ///< nothing
    active = 1,  ///< all of a step
    boundary = 2 ///< it lends its weight to active neighbours and does not move
};

/// Offsets (-1..1)^3 are numbered 0 to 26, z fastest; kSelf is the block itself, and 26 - n the way
/// back.
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

/// 21 bits an axis, x highest: no two blocks share one.
FLOE_HD constexpr std::uint64_t blockKey(std::int32_t x, std::int32_t y, std::int32_t z)
{
    return std::uint64_t{static_cast<std::uint32_t>(x) & 0x1fffffu} << 42 |
           std::uint64_t{static_cast<std::uint32_t>(y) & 0x1fffffu} << 21 |
           std::uint64_t{static_cast<std::uint32_t>(z) & 0x1fffffu};
}
constexpr std::uint64_t blockKey(const BlockCoordinate& c)
{
    return blockKey(c[0], c[1], c[2]);
}

/// The finaliser of MurmurHash3: neighbouring blocks land far apart.
FLOE_HD constexpr std::uint64_t hashOfKey(std::uint64_t key)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdull;
    key ^= key >> 33;
    key *= 0xc4ceb9fe1a85ec53ull;
    return key ^ key >> 33;
}

/// A block's place on Morton's curve, which stays near in space what is near along it.
FLOE_HD constexpr std::uint64_t mortonOrder(std::int32_t x, std::int32_t y, std::int32_t z)
{
    const std::int32_t c[3] = {x, y, z};
    std::uint64_t place = 0;
    for (int axis = 0; axis < 3; ++axis) {
        std::uint64_t a = static_cast<std::uint64_t>(c[axis] + kMaxCoordinate + 2) & 0x1fffff;
        a = (a | a << 32) & 0x1f00000000ffff;
        a = (a | a << 16) & 0x1f0000ff0000ff;
        a = (a | a << 8) & 0x100f00f00f00f00f;
        a = (a | a << 4) & 0x10c30c30c30c30c3;
        a = (a | a << 2) & 0x1249249249249249;
        place |= a << (2 - axis);
    }
    return place;
}
constexpr std::uint64_t mortonOrder(const BlockCoordinate& c)
{
    return mortonOrder(c[0], c[1], c[2]);
}

} // namespace floe::sdk::grid
