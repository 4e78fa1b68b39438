#pragma once

/// Creates blocks, and sorts particles by block and material.
///
/// Slots of the sort are ranks handed out by atomics: the order of two particles of one bin may
/// differ from run to run. No result depends on it.

#include "layout.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// Returns the index of the block, created if necessary; kNoBlock and report.overflow if full.
__device__ unsigned findOrMakeBlock(const Blocks& blocks, Report* report, int x, int y, int z)
{
    x = blocks.wrap.along(0, x);
    y = blocks.wrap.along(1, y);
    z = blocks.wrap.along(2, z);
    return sdk::grid::findOrMakeBlock(blocks.table, sdk::grid::keyOf(x, y, z), blocks.capacity,
                                      &report->blocks, &report->overflow, [&](unsigned index) {
                                          blocks.coordinate[3 * index] = x;
                                          blocks.coordinate[3 * index + 1] = y;
                                          blocks.coordinate[3 * index + 2] = z;
                                      });
}

/// Call before blocks are created. One thread.
__global__ void startBlocks(Report* report)
{
    report->blocks = report->particleBlocks = report->overflow = report->tooFar = 0;
    report->active = report->boundary = 0;
}

/// All blocks with particles have been created; what follows works on them, or on none when they do
/// not fit. One thread.
__global__ void closeBlocks(Report* report)
{
    report->particleBlocks = report->overflow ? 0 : report->blocks;
}

/// Returns how many blocks away from its block a local position is.
__device__ __forceinline__ int blocksAway(float local)
{
    return static_cast<int>(floorf((local - kMinLocal) * (1.0f / kBlockEdge)));
}

/// Finds the destination of each particle: bin[particle] = block and material, rank[particle] = its
/// place there. No particle of an inactive block is read: each material's particles stay together,
/// and the first of them represents all. One CUDA block per old particle block; shared memory of 54
/// * materials words.
__global__ void __launch_bounds__(kThreads)
    countBins(Particles particles, Blocks old, Blocks made, std::uint32_t* count,
              std::uint32_t* bin, std::uint32_t* rank, Report* report)
{
    FLOE_DYNAMIC_SHARED(unsigned, shared); // [27][materials] counts, then first ranks; same: bins
    if (report->notFinite != ~0ull)
        return; // such particles have no position; the host ends the run
    const unsigned materials = old.materials;
    unsigned* counts = shared;
    unsigned* bins = shared + 27 * materials;
    for (unsigned i = threadIdx.x; i < 27 * materials; i += blockDim.x)
        counts[i] = 0;
    __syncthreads();
    const bool moves = old.state[blockIdx.x] == kActive;
    const std::uint32_t* start = old.start + blockIdx.x * materials;
    if (!moves)
        for (unsigned m = threadIdx.x; m < materials; m += blockDim.x)
            counts[13 * materials + m] = start[m + 1] - start[m];
    const std::uint32_t first = start[0], last = moves ? start[materials] : first;
    for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += blockDim.x) {
        const std::uint32_t p = old.particle(slot);
        int direction = 0;
        for (unsigned axis = 0; axis < 3; ++axis) {
            int away = blocksAway(particles.at(kPosition + axis, p));
            if (away < -1 || away > 1) { // a step is limited to a fraction of a cell: cannot be
                atomicAdd(&report->tooFar, 1u);
                away = away < 0 ? -1 : 1;
            }
            direction = 3 * direction + away + 1;
        }
        const std::uint32_t material = particles.material(p);
        const unsigned key = static_cast<unsigned>(direction) * materials + material;
        bin[p] = material == kGone ? kGone : key;
        if (material != kGone)
            rank[p] = atomicAdd(&counts[key], 1u);
    }
    __syncthreads();
    for (unsigned key = threadIdx.x; key < 27 * materials; key += blockDim.x) {
        if (counts[key] == 0)
            continue;
        const int direction = static_cast<int>(key / materials);
        const unsigned block =
            findOrMakeBlock(made, report, old.coordinate[3 * blockIdx.x] + direction / 9 - 1,
                            old.coordinate[3 * blockIdx.x + 1] + direction / 3 % 3 - 1,
                            old.coordinate[3 * blockIdx.x + 2] + direction % 3 - 1);
        if (block == kNoBlock)
            continue; // the whole binning is repeated with more room
        bins[key] = block * materials + key % materials;
        counts[key] = atomicAdd(&count[bins[key]], counts[key]);
        if (moves)
            atomicExch(&made.state[block],
                       static_cast<unsigned>(kActive)); // blocks with arrivals wake
    }
    __syncthreads();
    for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += blockDim.x) {
        const std::uint32_t p = old.particle(slot);
        if (bin[p] == kGone)
            continue;
        rank[p] += counts[bin[p]];
        bin[p] = bins[bin[p]];
    }
    if (moves)
        return;
    for (unsigned m = threadIdx.x; m < materials; m += blockDim.x)
        if (start[m] < start[m + 1]) {
            const std::uint32_t p = old.particle(start[m]);
            rank[p] = counts[13 * materials + m];
            bin[p] = bins[13 * materials + m];
        }
}

/// Returns a position along an axis relative to the block so many away.
__device__ __forceinline__ float localTo(float x, int away)
{
    if (away == 0)
        return x;
    const float moved = x - static_cast<float>(kBlockEdge * away);
    return fminf(fmaxf(moved, kMinLocal), kMaxLocal); // subtraction may round up to 4.5
}

/// Puts a particle into its slot, and makes its position relative to the new block.
__device__ __forceinline__ void placeParticle(const Particles& particles, const Blocks& made,
                                              const std::uint32_t* bin, const std::uint32_t* rank,
                                              std::uint32_t p)
{
    if (bin[p] == kGone)
        return;
    for (unsigned axis = 0; axis < 3; ++axis) {
        float& x = particles.at(kPosition + axis, p);
        if (const int away = blocksAway(x); away != 0)
            x = localTo(x, away);
    }
    made.order[made.start[bin[p]] + rank[p]] = p;
}

/// Call after countAnew(). One thread per particle.
__global__ void placeParticles(Particles particles, Blocks made, const std::uint32_t* bin,
                               const std::uint32_t* rank, std::uint32_t first, std::uint32_t end,
                               const Report* report)
{
    const std::uint32_t p = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (p < end && !report->overflow)
        placeParticle(particles, made, bin, rank, p);
}

/// Call after countBins(): particles of inactive blocks keep their order. One CUDA block per old
/// particle block.
__global__ void __launch_bounds__(kThreads)
    placeMoved(Particles particles, Blocks old, Blocks made, const std::uint32_t* bin,
               const std::uint32_t* rank, const Report* report)
{
    if (report->particleBlocks == 0 || report->overflow)
        return;
    const std::uint32_t* start = old.start + blockIdx.x * old.materials;
    if (old.state[blockIdx.x] == kActive) {
        const std::uint32_t last = start[old.materials];
        for (std::uint32_t slot = start[0] + threadIdx.x; slot < last; slot += blockDim.x)
            placeParticle(particles, made, bin, rank, old.particle(slot));
        return;
    }
    for (unsigned m = 0; m < old.materials; ++m) {
        const std::uint32_t first = start[m], count = start[m + 1] - first;
        if (count == 0)
            continue;
        const std::uint32_t p = old.particle(first);
        std::uint32_t* to = made.order + made.start[bin[p]] + rank[p];
        for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x)
            to[i] = old.particle(first + i);
    }
}

/// Returns the cell of a particle, numbered as in BlockView.
__device__ __forceinline__ unsigned cellOf(const Vec3f& x)
{
    int cell = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const int i = static_cast<int>(floorf(x[axis] - 0.5f));
        cell = 4 * cell + (i < 0 ? 0 : i > 3 ? 3 : i);
    }
    return static_cast<unsigned>(cell);
}

/// Orders the particles of a block and material so that one from each cell comes first, then a
/// second one from each, and so on: threads beside each other then work on different nodes, which
/// lie in different banks of shared memory. One CUDA block per particle block.
/// @param cells      overwritten, one per slot  @param particle  overwritten, one per slot
__global__ void __launch_bounds__(kThreads)
    interleave(Particles particles, Blocks blocks, std::uint32_t* cells, std::uint32_t* particle)
{
    FLOE_SHARED(unsigned, count, kBlockNodes);
    const std::uint32_t* start = blocks.start + blockIdx.x * blocks.materials;
    for (unsigned m = 0; m < blocks.materials; ++m) {
        const std::uint32_t first = start[m], last = start[m + 1];
        if (first == last)
            continue;
        __syncthreads();
        if (threadIdx.x < kBlockNodes)
            count[threadIdx.x] = 0;
        __syncthreads();
        for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += kThreads) {
            const std::uint32_t p = blocks.particle(slot);
            const unsigned cell = cellOf(particles.vector(kPosition, p));
            cells[slot] = atomicAdd(&count[cell], 1u) * kBlockNodes + cell;
            particle[slot] = p;
        }
        __syncthreads();
        for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += kThreads) {
            const unsigned cell = cells[slot] % kBlockNodes, round = cells[slot] / kBlockNodes;
            unsigned before = 0; // of earlier rounds, and of this one in earlier cells
            for (unsigned other = 0; other < kBlockNodes; ++other) {
                const unsigned rounds = round + (other < cell ? 1u : 0u);
                before += count[other] < rounds ? count[other] : rounds;
            }
            blocks.order[first + before] = particle[slot];
        }
    }
}

/// Finds or creates the neighbours of each particle block. One thread for each of them.
__global__ void linkNeighbours(Blocks blocks, Report* report)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 27 * report->particleBlocks)
        return;
    const std::int32_t* c = blocks.coordinate + 3 * (i / 27);
    const int n = static_cast<int>(i % 27);
    blocks.neighbour[i] =
        findOrMakeBlock(blocks, report, c[0] + n / 9 - 1, c[1] + n / 3 % 3 - 1, c[2] + n % 3 - 1);
}

inline constexpr unsigned kSpare = 4; ///< channels that there is more room for, for takeChannels()

/// Moves `channels` channels, at most kSpare, of particle index[i] to particle i of `to`: the same
/// particles, with these channels where nothing lies.
__global__ void takeChannels(Particles from, Particles to, unsigned first, unsigned channels,
                             const std::uint32_t* index, std::uint32_t count)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const std::uint32_t p = index[i];
    float value[kSpare];
    FLOE_UNROLL
    for (unsigned n = 0; n < kSpare; ++n)
        if (n < channels)
            value[n] = from.at(first + n, p);
    FLOE_UNROLL
    for (unsigned n = 0; n < kSpare; ++n)
        if (n < channels)
            to.at(first + n, i) = value[n];
}

/// Copies a channel of particles to an array, or from one. One thread per particle.
__global__ void readChannel(Particles particles, unsigned channel, std::uint32_t count, float* to)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = particles.at(channel, i);
}
__global__ void writeChannel(Particles particles, unsigned channel, std::uint32_t first,
                             std::uint32_t count, const float* from)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        particles.at(channel, first + i) = from[i];
}

/// Copies particles to larger memory; channels that they did not have are 0.
__global__ void copyParticles(Particles from, unsigned channels, Particles to, unsigned more,
                              std::uint32_t count)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned channel = 0; i < count && channel < more; ++channel)
        to.at(channel, i) = channel < channels ? from.at(channel, i) : 0.0f;
}

/// Permutes values: to[i] = from[index[i]], in other memory.
template <class T>
__global__ void takeValues(const T* from, T* to, const std::uint32_t* index, std::uint32_t count)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[index[i]];
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
