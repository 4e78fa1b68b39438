#pragma once

/// Compaction between frames: adds and removes particles, and finds blocks again from coordinates.

#include "binning.cuh"
#include "scatter.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// Block coordinate of each particle. One CUDA block per particle block.
__global__ void __launch_bounds__(kThreads)
    writeCoordinates(Blocks blocks, std::int32_t* coordinates)
{
    const std::uint32_t first = blocks.first(blockIdx.x), last = blocks.last(blockIdx.x);
    for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += blockDim.x)
        for (unsigned axis = 0; axis < 3; ++axis)
            coordinates[3 * std::uint64_t(blocks.particle(slot)) + axis] =
                blocks.coordinate[3 * blockIdx.x + axis];
}

/// Computes bins of particles [first, end) whose blocks are given by coordinate; one thread each.
/// New particles wake their blocks, unless they are at rest and `passive` is set.
__global__ void countAnew(Particles particles, Blocks made, const std::int32_t* coordinates,
                          std::uint32_t first, std::uint32_t end, std::uint32_t firstNew,
                          bool passive, std::uint32_t* binCount, std::uint32_t* bin,
                          std::uint32_t* rank, Report* report)
{
    const std::uint32_t p = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= end)
        return;
    int c[3];
    for (unsigned axis = 0; axis < 3; ++axis)
        c[axis] = coordinates[3 * std::uint64_t(p) + axis] +
                  blocksAway(particles.at(kPosition + axis, p));
    const unsigned block = findOrMakeBlock(made, report, c[0], c[1], c[2]);
    if (block == kNoBlock)
        return;
    const Vec3f v = particles.vector(kVelocity, p);
    if (p >= firstNew && (!passive || v.x != 0 || v.y != 0 || v.z != 0))
        atomicExch(&made.state[block], static_cast<unsigned>(kActive));
    bin[p] = block * made.materials + particles.material(p);
    rank[p] = atomicAdd(&binCount[bin[p]], 1u);
}

/// Writes 1 for particles that still exist.
__global__ void markLiving(Particles particles, std::uint32_t count, std::uint32_t* stays)
{
    const std::uint32_t p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < count)
        stays[p] = particles.at(kMass, p) > 0 ? 1 : 0;
}

/// Writes index[place] = particle for those that stay; `place` is a scan of `stays`.
__global__ void listLiving(const std::uint32_t* stays, const std::uint32_t* place,
                           std::uint32_t* index, std::uint32_t count)
{
    const std::uint32_t p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < count && stays[p] != 0)
        index[place[p]] = p;
}

/// A particle's block, for takeValues().
struct BlockCoordinates {
    std::int32_t c[3];
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
