#pragma once

/// Exclusive prefix sums in three launches: sums of tiles, a scan of these by one CUDA block, and
/// the tiles again with their offsets (Blelloch 1990 over tiles). Launched with kScanThreads
/// threads per block:
///
///     sumTiles        scanTiles(count) blocks
///     scanTileSums    one block
///     scanTileValues  scanTiles(count) blocks

#include "floe/sdk/cuda.hpp"

#include <cstdint>

namespace floe::sdk::grid {
inline namespace FLOE_KERNEL_SPACE {

inline constexpr unsigned kScanThreads = 256;
inline constexpr unsigned kScanTile = 4 * kScanThreads; ///< values that a CUDA block scans

inline std::uint32_t scanTiles(std::uint64_t count)
{
    return static_cast<std::uint32_t>((count + kScanTile - 1) / kScanTile);
}

/// Returns the sum of the values of the threads before this one; `total` gets the sum of all.
__device__ std::uint32_t blockScan(std::uint32_t value, std::uint32_t* partial,
                                   std::uint32_t& total)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    std::uint32_t inclusive = value;
    for (unsigned step = 1; step < 32; step *= 2) {
        const std::uint32_t left = __shfl_up_sync(0xFFFFFFFFu, inclusive, step);
        if (lane >= step)
            inclusive += left;
    }
    if (lane == 31)
        partial[warp] = inclusive;
    __syncthreads();
    std::uint32_t before = 0;
    total = 0;
    for (unsigned w = 0; w < kScanThreads / 32; ++w) {
        if (w < warp)
            before += partial[w];
        total += partial[w];
    }
    __syncthreads();
    return before + inclusive - value;
}

__global__ void sumTiles(const std::uint32_t* values, std::uint64_t count, std::uint32_t* tiles)
{
    FLOE_SHARED(std::uint32_t, partial, kScanThreads / 32);
    std::uint32_t sum = 0, total = 0;
    for (unsigned k = 0; k < 4; ++k) {
        const std::uint64_t i =
            std::uint64_t(blockIdx.x) * kScanTile + k * kScanThreads + threadIdx.x;
        sum += i < count ? values[i] : 0;
    }
    blockScan(sum, partial, total);
    if (threadIdx.x == 0)
        tiles[blockIdx.x] = total;
}

/// Scans the sums of tiles in place, in one CUDA block.
__global__ void scanTileSums(std::uint32_t* tiles, std::uint32_t count)
{
    FLOE_SHARED(std::uint32_t, partial, kScanThreads / 32);
    std::uint32_t before = 0;
    for (std::uint32_t first = 0; first < count; first += kScanThreads) {
        const std::uint32_t i = first + threadIdx.x;
        const std::uint32_t value = i < count ? tiles[i] : 0;
        std::uint32_t total = 0;
        const std::uint32_t offset = blockScan(value, partial, total);
        if (i < count)
            tiles[i] = before + offset;
        before += total;
    }
}

/// Writes count + 1 sums, the last of them the total, to memory that does not overlap the values.
__global__ void scanTileValues(const std::uint32_t* values, std::uint64_t count,
                               const std::uint32_t* tiles, std::uint32_t* sums)
{
    FLOE_SHARED(std::uint32_t, partial, kScanThreads / 32);
    const std::uint64_t first = std::uint64_t(blockIdx.x) * kScanTile + 4 * threadIdx.x;
    std::uint32_t value[4];
    std::uint32_t own = 0;
    for (unsigned k = 0; k < 4; ++k) {
        value[k] = first + k < count ? values[first + k] : 0;
        own += value[k];
    }
    std::uint32_t total = 0;
    std::uint32_t sum = tiles[blockIdx.x] + blockScan(own, partial, total);
    for (unsigned k = 0; k < 4; ++k) {
        if (first + k < count)
            sums[first + k] = sum;
        sum += value[k];
        if (first + k + 1 == count)
            sums[count] = sum;
    }
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::sdk::grid
