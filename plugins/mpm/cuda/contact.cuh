#pragma once

/// Contact of particles with colliders and open faces.

#include "layout.cuh"
#include "world.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// After the move: colliders bounce or remove a particle inside them, open faces remove one beyond.
/// A removed particle keeps its place without mass until the next compaction.
/// @tparam kColliders  whether there are any: sampling them takes most of the registers
/// @return whether it was removed
template <bool kColliders>
__device__ __forceinline__ bool contactParticle(const Particles& particles, std::uint32_t p,
                                                const Vec3d& corner, double cellSize,
                                                const Environment& environment, Report* report)
{
    const Vec3f x = particles.vector(kPosition, p);
    const Vec3f offset{static_cast<float>(x.x * cellSize), static_cast<float>(x.y * cellSize),
                       static_cast<float>(x.z * cellSize)};
    const Vec3f v = particles.vector(kVelocity, p);
    const ParticleFate fate = particleFate<kColliders>(environment, corner, offset, v);
    if (fate.bounced)
        particles.setVector(kVelocity, p, fate.v);
    const bool removed = fate.outside || fate.inside;
    if (removed) {
        atomicAdd(fate.outside ? &report->left : &report->taken, 1u);
        for (unsigned channel = kVelocity; channel <= kStiffness; ++channel)
            particles.at(channel, p) = 0;
    }
    return removed;
}

/// Returns where a block begins [m].
__device__ __forceinline__ Vec3d cornerOf(const Blocks& blocks, double cellSize)
{
    const std::int32_t* c = blocks.coordinate + 3 * blockIdx.x;
    const double width = kBlockEdge * cellSize;
    return {c[0] * width, c[1] * width, c[2] * width};
}

/// The particles of a block in contact with colliders. Called by all threads of a CUDA block, each
/// with the particles that it has moved.
__device__ void contactBlock(const Particles& particles, const Blocks& blocks, double cellSize,
                             const Environment& environment, Report* report)
{
    const Vec3d corner = cornerOf(blocks, cellSize);
    const std::uint32_t first = blocks.first(blockIdx.x), last = blocks.last(blockIdx.x);
    for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += kThreads) {
        const std::uint32_t p = blocks.particle(slot);
        if (particles.at(kMass, p) > 0)
            contactParticle<true>(particles, p, corner, cellSize, environment, report);
    }
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
