#pragma once

/// Block states.

#include "binning.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// New blocks inherit the data of the old block at their coordinate. Blocks that something moved
/// into are already active (countBins), other new ones become `unknown`. One thread per new
/// particle block.
__global__ void inheritBlocks(Blocks old, Blocks made, std::uint32_t unknown, const Report* report)
{
    const std::uint32_t b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= report->particleBlocks)
        return;
    const std::int32_t* c = made.coordinate + 3 * b;
    const unsigned before = findBlock(old.table, c[0], c[1], c[2]);
    const bool known = before != kNoBlock && before < old.particleBlocks;
    const bool moves = made.state[b] == kActive;
    if (!moves)
        made.state[b] = known ? old.state[before] : unknown;
    const bool woke = moves && known && old.state[before] != kActive;
    made.speed[b] = known ? old.speed[before] : 0.0f;
    made.restTime[b] = known && !woke ? old.restTime[before] : 0.0f;
    made.pushSpeed[b] = known ? old.pushSpeed[before] : 0.0f;
    for (int axis = 0; axis < 3; ++axis)
        made.gain[3 * b + axis] = known ? old.gain[3 * before + axis] : 0.0f;
}

/// Counts active blocks. One thread per particle block.
__global__ void countActive(Blocks blocks, Report* report)
{
    const std::uint32_t b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < blocks.particleBlocks && blocks.state[b] == kActive)
        atomicAdd(&report->active, 1u);
}

/// Makes inactive blocks with active neighbours boundary blocks, and other inactive ones passive.
/// One thread per particle block: it alone changes the block's state, and never from or to active,
/// which is all that others ask.
__global__ void markBoundary(Blocks blocks, Report* report)
{
    const std::uint32_t b = blockIdx.x * blockDim.x + threadIdx.x;
    const std::uint32_t count = report->overflow ? 0 : report->particleBlocks;
    if (b >= count)
        return;
    const auto stateOf = [&](unsigned block) {
        return atomicOr(&blocks.state[block], 0u);
    };
    const std::uint32_t before = stateOf(b);
    if (before == kActive) {
        atomicAdd(&report->active, 1u);
        return;
    }
    const std::int32_t* c = blocks.coordinate + 3 * b;
    bool nextToActive = false;
    for (int n = 0; n < 27 && !nextToActive; ++n) {
        const unsigned other = blocks.beside(c, n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1);
        nextToActive = blocks.mayHold(other, count) && stateOf(other) == kActive;
    }
    if ((before == kBoundary) != nextToActive)
        for (int axis = 0; axis < 3; ++axis)
            blocks.gain[3 * b + axis] = 0;
    atomicExch(&blocks.state[b], nextToActive ? kBoundary : kPassive);
    if (nextToActive)
        atomicAdd(&report->boundary, 1u);
}

/// Mass-weighted mean speed of a block's particles per cell, summed in integers so that it does not
/// depend on their order. 0 for blocks that do not move. One CUDA block of 64 threads per particle
/// block. @param massScale  2^20 / the largest mass of a particle
__global__ void __launch_bounds__(kBlockNodes)
    findCellSpeeds(Particles particles, Blocks blocks, float massScale, float* speed)
{
    FLOE_SHARED(unsigned long long, mass, kBlockNodes);
    FLOE_SHARED(unsigned long long, sum, kBlockNodes);
    mass[threadIdx.x] = sum[threadIdx.x] = 0;
    __syncthreads();
    const std::uint32_t first = blocks.first(blockIdx.x), last = blocks.last(blockIdx.x);
    if (blocks.state[blockIdx.x] == kActive)
        for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += kBlockNodes) {
            const std::uint32_t p = blocks.particle(slot);
            const unsigned cell = cellOf(particles.vector(kPosition, p));
            const double weight = rint(double(particles.at(kMass, p)) * massScale);
            const double v = physics::length(particles.vector(kVelocity, p));
            atomicAdd(&mass[cell], static_cast<unsigned long long>(weight));
            atomicAdd(&sum[cell],
                      static_cast<unsigned long long>(rint(weight * fmin(v, 1e5) * 4096.0)));
        }
    __syncthreads();
    const unsigned long long m = mass[threadIdx.x];
    speed[std::uint64_t(blockIdx.x) * kBlockNodes + threadIdx.x] =
        m > 0 ? static_cast<float>(static_cast<double>(sum[threadIdx.x]) / 4096.0 /
                                   static_cast<double>(m))
              : 0.0f;
}

/// Returns the occupied cells, one bit each. One CUDA block per particle block.
__global__ void __launch_bounds__(kThreads)
    findOccupiedCells(Particles particles, Blocks blocks, unsigned long long* cells)
{
    FLOE_SHARED(unsigned, half, 2);
    if (threadIdx.x < 2)
        half[threadIdx.x] = 0;
    __syncthreads();
    const std::uint32_t first = blocks.first(blockIdx.x), last = blocks.last(blockIdx.x);
    for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += kThreads) {
        const std::uint32_t p = blocks.particle(slot);
        if (!(particles.at(kMass, p) > 0))
            continue;
        const unsigned cell = cellOf(particles.vector(kPosition, p));
        atomicOr(&half[cell / 32], 1u << cell % 32);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        cells[blockIdx.x] = static_cast<unsigned long long>(half[1]) << 32 | half[0];
}

/// Clears the velocity of particles in blocks that do not move. One CUDA block per particle block.
__global__ void __launch_bounds__(kThreads) putToRest(Particles particles, Blocks blocks)
{
    if (blocks.state[blockIdx.x] == kActive)
        return;
    const std::uint32_t first = blocks.first(blockIdx.x), last = blocks.last(blockIdx.x);
    for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += blockDim.x)
        for (unsigned channel = kVelocity; channel < kAffine + 9; ++channel)
            particles.at(channel, blocks.particle(slot)) = 0;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
