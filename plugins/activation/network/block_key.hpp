/// Coordinates of a block as one number, on the host and on devices.
#pragma once

#include "floe/sdk/physics/lane.hpp"

#include <cstdint>

namespace floe::activation {

/// Block coordinates in one word: 21 bits each, so that the world repeats after two million blocks.
using BlockKey = unsigned long long;
/// No block has this key.
inline constexpr BlockKey kNoBlock = ~0ull;
FLOE_HD BlockKey keyOf(std::int32_t x, std::int32_t y, std::int32_t z)
{
    constexpr std::uint32_t kMask = (1u << 21) - 1;
    return BlockKey{static_cast<std::uint32_t>(x) & kMask} << 42 |
           BlockKey{static_cast<std::uint32_t>(y) & kMask} << 21 |
           BlockKey{static_cast<std::uint32_t>(z) & kMask};
}
/// The key of a block beside: steps are -2 to 2 along each axis.
FLOE_HD BlockKey beside(BlockKey key, int x, int y, int z)
{
    constexpr std::uint32_t kMask = (1u << 21) - 1;
    return keyOf(static_cast<std::int32_t>(key >> 42 & kMask) + x,
                 static_cast<std::int32_t>(key >> 21 & kMask) + y,
                 static_cast<std::int32_t>(key & kMask) + z);
}
/// Where the search for a key begins in a table.
FLOE_HD std::uint64_t hashOf(BlockKey key)
{
    key *= 0x9E3779B97F4A7C15u; // Knuth's multiplicative hashing
    return key ^ key >> 32;
}

} // namespace floe::activation
