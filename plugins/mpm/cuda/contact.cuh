#pragma once

/// What happens to particles at colliders and open faces.

#include "environment.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// After moving: colliders bounce or take particles inside them, open faces take those beyond. What
/// is taken keeps its place without mass until the next compaction. All threads of a CUDA block,
/// each the particles that it has moved.
/// @tparam kColliders  whether there are any to ask: sampling them takes most of the registers
template <bool kColliders>
__device__ void contactBlock(const Particles& particles, const Blocks& blocks, double cellSize,
                             const Environment& environment, Report* report)
{
    const std::int32_t* c = blocks.coordinate + 3 * blockIdx.x;
    const double width = kBlockWidth * cellSize;
    const Vec3d corner{c[0] * width, c[1] * width, c[2] * width};
    const std::uint32_t first = blocks.first(blockIdx.x), last = blocks.last(blockIdx.x);
    for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += kThreads) {
        const std::uint32_t p = blocks.order[slot];
        if (particles.at(kMass, p) == 0)
            continue;
        const Vec3f x = particles.vector(kPosition, p);
        const Vec3f offset{static_cast<float>(x.x * cellSize), static_cast<float>(x.y * cellSize),
                           static_cast<float>(x.z * cellSize)};
        const Vec3d world{corner.x + offset.x, corner.y + offset.y, corner.z + offset.z};
        bool outside = false, inside = false;
        if (environment.domain.bounded)
            for (int face = 0; face < 6; ++face) {
                Vec3f normal;
                outside |= environment.domain.faces[face] == NodeContact::open &&
                           faceDistance(environment.domain, face, corner, offset, normal) < 0;
            }
        Vec3f v = particles.vector(kVelocity, p);
        for (int i = 0; kColliders && i < environment.colliderCount; ++i) {
            const DeviceCollider& collider = environment.colliders[i];
            ColliderAt at;
            if (collider.particles == 0 || !sampleCollider(collider, world, at))
                continue;
            if (collider.particles == 2) {
                inside = true;
                continue;
            }
            const float vn = physics::dot(v - at.v, at.normal);
            if (vn < 0) {
                v = v - 2.0f * vn * at.normal;
                particles.setVector(kVelocity, p, v);
            }
        }
        if (outside || inside) {
            atomicAdd(outside ? &report->left : &report->eaten, 1u);
            for (unsigned channel = kVelocity; channel <= kStiffness; ++channel)
                particles.at(channel, p) = 0;
        }
    }
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
