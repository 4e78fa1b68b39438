#pragma once

/// Kernels of several ranks: nodes and blocks at the border of what this rank holds.

#include "binning.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// What Blocks::border says of a particle block.
enum Border : std::uint32_t {
    kInterior = 0, ///< nobody else's particles come within reach of its nodes
    kAtBorder = 1,
    kUnknown = 2 ///< new; the host finds out
};

/// The blocks around one up to so many away, itself among them, z fastest.
struct BlocksAround {
    static constexpr int kMax = 125; ///< blocks
    int reach = 1;

    FLOE_HD int side() const { return 2 * reach + 1; }
    FLOE_HD int count() const { return side() * side() * side(); }
    /// Returns how far a block is away along each axis.
    FLOE_HD void step(int n, int (&step)[3]) const
    {
        step[0] = n / (side() * side()) - reach;
        step[1] = n / side() % side() - reach;
        step[2] = n % side() - reach;
    }
};

/// A particle block that is not interior, for the host.
struct BorderBlock {
    std::uint32_t block;
    std::uint32_t border; ///< Border
    std::int32_t coordinate[3];
    std::uint32_t around[BlocksAround::kMax]; ///< blocks
};

/// Blocks inherit what is known of their place; with `none` nothing is. One thread per block of
/// `made`.
__global__ void inheritBorder(Blocks old, Blocks made, bool none, const Report* report)
{
    const std::uint32_t b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= report->particleBlocks)
        return;
    const std::int32_t* c = made.coordinate + 3 * b;
    const unsigned before = none ? kNoBlock : findBlock(old.table, c[0], c[1], c[2]);
    made.border[b] = before != kNoBlock && before < old.particleBlocks
                         ? old.border[before]
                         : static_cast<std::uint32_t>(kUnknown);
}

/// Creates the blocks two away from particle blocks. One thread for each of BlocksAround.
__global__ void makeOuter(Blocks blocks, Report* report)
{
    const BlocksAround around{2};
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const auto count = static_cast<std::uint32_t>(around.count());
    if (i >= count * report->particleBlocks)
        return;
    const std::int32_t* c = blocks.coordinate + 3 * (i / count);
    int step[3];
    around.step(static_cast<int>(i % count), step);
    findOrMakeBlock(blocks, report, c[0] + step[0], c[1] + step[1], c[2] + step[2]);
}

/// Lists blocks that are not interior. One thread per particle block.
/// @param room  of the list; `count` may become more
__global__ void listBorder(Blocks blocks, std::uint32_t count, BlocksAround around,
                           BorderBlock* list, std::uint32_t room, std::uint32_t* listed)
{
    const std::uint32_t b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= count || blocks.border[b] == kInterior)
        return;
    const std::uint32_t i = atomicAdd(listed, 1u);
    if (i >= room)
        return;
    list[i].block = b;
    list[i].border = blocks.border[b];
    for (int axis = 0; axis < 3; ++axis)
        list[i].coordinate[axis] = blocks.coordinate[3 * b + axis];
    for (int n = 0; n < around.count(); ++n) {
        int step[3];
        around.step(n, step);
        list[i].around[n] = blocks.beside(blocks.coordinate + 3 * b, step[0], step[1], step[2]);
    }
}

/// to[index[i]] = from[i]. One thread each.
__global__ void setWords(std::uint32_t* to, const std::uint32_t* index, const std::uint32_t* from,
                         std::uint32_t count)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[index[i]] = from[i];
}

/// Copies `each` words of the listed blocks, one block after the other. One CUDA block each.
/// @param pitch  from a block to the next in `to` [words]
__global__ void __launch_bounds__(kBlockNodes)
    packNodes(const unsigned long long* from, const std::uint32_t* blocks, std::uint32_t each,
              unsigned long long* to, std::uint32_t pitch)
{
    const std::uint64_t block = blocks[blockIdx.x];
    for (std::uint32_t i = threadIdx.x; i < each; i += kBlockNodes)
        to[std::uint64_t(blockIdx.x) * pitch + i] = from[block * each + i];
}

/// Adds what packNodes() of others has copied. A block may be listed more than once.
__global__ void __launch_bounds__(kBlockNodes)
    addNodes(const unsigned long long* from, std::uint32_t pitch, const std::uint32_t* blocks,
             std::uint32_t each, unsigned long long* to)
{
    const std::uint64_t block = blocks[blockIdx.x];
    for (std::uint32_t i = threadIdx.x; i < each; i += kBlockNodes)
        if (const unsigned long long value = from[std::uint64_t(blockIdx.x) * pitch + i])
            atomicAdd(&to[block * each + i], value);
}

/// A block at the border and the ranks that own what is around it.
struct Exits {
    std::uint32_t block;
    std::int32_t owner[27];
};

/// A particle that has moved to a block of another rank.
struct Leaver {
    std::uint32_t particle;
    std::uint32_t direction; ///< of the block, numbered as neighbours
    std::uint32_t exit;      ///< its old block, among `exits`
};

/// Finds particles that have left for blocks of other ranks. One CUDA block for each of `exits`.
/// @param room  of the list; `count` may become more
__global__ void __launch_bounds__(kThreads)
    findLeavers(Particles particles, Blocks blocks, const Exits* exits, std::int32_t self,
                Leaver* leavers, std::uint32_t room, std::uint32_t* count, Report* report)
{
    const Exits& at = exits[blockIdx.x];
    if (blocks.state[at.block] != kActive)
        return;
    for (std::uint32_t slot = blocks.first(at.block) + threadIdx.x; slot < blocks.last(at.block);
         slot += kThreads) {
        const std::uint32_t p = blocks.particle(slot);
        int direction = 0;
        for (unsigned axis = 0; axis < 3; ++axis) {
            int away = blocksAway(particles.at(kPosition + axis, p));
            if (away < -1 || away > 1) {
                atomicAdd(&report->tooFar, 1u);
                away = away < 0 ? -1 : 1;
            }
            direction = 3 * direction + away + 1;
        }
        if (direction == 13 || at.owner[direction] == self)
            continue;
        const std::uint32_t i = atomicAdd(count, 1u);
        if (i < room)
            leavers[i] = {p, static_cast<std::uint32_t>(direction), blockIdx.x};
    }
}

/// A particle on its way: its channels, those that it lacks being 0, then its new block.
inline constexpr unsigned kRecordWords = kChannels + 3;

/// Packs particles that leave and marks their places as free. One thread each.
/// @param channels  that there are
__global__ void packLeavers(Particles particles, Blocks blocks, unsigned channels,
                            const Exits* exits, const Leaver* leavers, std::uint32_t count,
                            std::uint32_t* records)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const Leaver leaver = leavers[i];
    const std::uint32_t p = leaver.particle, direction = leaver.direction;
    std::uint32_t* record = records + std::uint64_t(i) * kRecordWords;
    for (unsigned channel = 0; channel < kChannels; ++channel)
        record[channel] = channel < channels ? __float_as_uint(particles.at(channel, p)) : 0u;
    const std::int32_t* from = blocks.coordinate + 3 * exits[leaver.exit].block;
    const int step[3] = {static_cast<int>(direction / 9) - 1,
                         static_cast<int>(direction / 3 % 3) - 1,
                         static_cast<int>(direction % 3) - 1};
    for (unsigned axis = 0; axis < 3; ++axis) {
        record[kPosition + axis] =
            __float_as_uint(localTo(particles.at(kPosition + axis, p), step[axis]));
        record[kChannels + axis] = static_cast<std::uint32_t>(from[axis] + step[axis]);
    }
    particles.at(kMaterial, p) = __uint_as_float(kGone);
}

/// Writes particles that have come, from `first` on. One thread each.
__global__ void takeArrivals(const std::uint32_t* records, std::uint32_t count, Particles particles,
                             unsigned channels, std::uint32_t first, std::int32_t* coordinates)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const std::uint32_t* record = records + std::uint64_t(i) * kRecordWords;
    for (unsigned channel = 0; channel < channels; ++channel)
        particles.at(channel, first + i) = __uint_as_float(record[channel]);
    for (unsigned axis = 0; axis < 3; ++axis)
        coordinates[3 * std::uint64_t(first + i) + axis] =
            static_cast<std::int32_t>(record[kChannels + axis]);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
