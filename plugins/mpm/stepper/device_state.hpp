/// Saved states of the CUDA backend: their layout, and what one of several ranks takes of them.
#pragma once

#include "saved_source.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace floe::mpm::saved {

/// A state is this, the backend's report, the laws, particles by id (numbers channel by channel,
/// block, material, id), then blocks by coordinate (coordinate, state, speed, rest time, push
/// speed, gain). A part is a PartHeader and a state of own particles and blocks.
struct DeviceHead {
    char magic[8];
    double cellSize, time, lastStep;
    std::uint64_t emitted, alive, leftDomain, deletedByCollider, nextId; ///< of all ranks
    std::uint64_t particles, blocks;                                     ///< in this state
    std::uint64_t laws, reportBytes;
    std::uint64_t support;                  ///< nodes of the splines along an axis
    BlockCoordinate periodLow, periodCount; ///< Period
};
// The last character is the version: 8 had no period.
inline constexpr char kDeviceMagic[8] = {'f', 'l', 'o', 'e', 'c', 'u', 'd', '9'};
inline constexpr std::uint64_t kDeviceChannels = 37, kDeviceLawBytes = 64;

/// Returns whether a state, or what follows a part's header, is of a CUDA device.
bool isOfDevice(Source& source, const Extent& state);

/// As takeOwn() (saved_parts.hpp), of states of the CUDA backend. Besides its own particles, a rank
/// has a list of all blocks in memory.
/// @param asParts  they are parts, else one whole state
OwnState takeOwnOfDevice(Source& source, std::span<const Extent> states, bool asParts,
                         const Ownership& ownership);

} // namespace floe::mpm::saved
