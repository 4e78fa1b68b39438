#pragma once

/// The grid between the transfers: momentum to velocity, forces, contact.

#include "environment.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// Colliders in their order, then walls, which have the last word. Colliders go on behind walls, as
/// Domain::sampleWithin() (core/boundary.hpp) says.
/// @tparam kColliders  whether there are any: sampling them takes most of the registers
template <bool kColliders>
__device__ Vec3f applyContacts(const Environment& environment, const Vec3d& corner,
                               const Vec3f& offset, float cell, Vec3f v)
{
    const Vec3d world{corner.x + offset.x, corner.y + offset.y, corner.z + offset.z};
    const DeviceDomain& domain = environment.domain;
    float distance[6];
    Vec3f inwards[6];
    Vec3f image = offset;
    bool moved = false;
    const float skin = 0.05f * cell, slack = 0.25f * cell;
    for (int face = 0; domain.bounded && face < 6; ++face) {
        if (domain.faces[face] == NodeContact::open)
            continue;
        distance[face] = faceDistance(domain, face, corner, offset, inwards[face]);
        if (distance[face] < skin) {
            image = image + (2 * fmaxf(-distance[face], skin)) * inwards[face];
            moved = true;
        }
    }
    for (int i = 0; kColliders && i < environment.colliderCount; ++i) {
        const DeviceCollider& collider = environment.colliders[i];
        ColliderAt at;
        if (collider.contact == NodeContact::open)
            continue;
        bool inside = sampleCollider(collider, world, at), mirrored = false;
        if (!inside && moved) {
            const Vec3d there{corner.x + image.x, corner.y + image.y, corner.z + image.z};
            inside = mirrored = sampleCollider(collider, there, at);
        }
        if (!inside)
            continue;
        bool closed = at.normal.x == 0 && at.normal.y == 0 && at.normal.z == 0;
        for (int face = 0; domain.bounded && face < 6; ++face) {
            if (domain.faces[face] == NodeContact::open)
                continue;
            const float slope = at.normal.x * inwards[face].x + at.normal.y * inwards[face].y +
                                at.normal.z * inwards[face].z;
            Vec3f unused;
            const float from =
                mirrored ? faceDistance(domain, face, corner, image, unused) : distance[face];
            closed = closed || (slope < 0 && from + at.depth * slope < slack);
        }
        v = at.v + contactVelocity(v - at.v, at.normal,
                                   closed ? NodeContact::stick : collider.contact,
                                   collider.friction);
    }
    for (int face = 0; domain.bounded && face < 6; ++face)
        if (domain.faces[face] != NodeContact::open && distance[face] <= 0)
            v = contactVelocity(v, inwards[face], domain.faces[face], domain.friction);
    return v;
}

/// One CUDA block of 64 threads per grid block.
template <bool kColliders>
__global__ void __launch_bounds__(kBlockNodes)
    updateNodes(Blocks blocks, Grid grid, StepNumbers step, Environment environment, Report* report)
{
    FLOE_SHARED(int, partial, 2);
    const unsigned long long* sums = grid.sums(blockIdx.x);
    const unsigned node = threadIdx.x;
    const auto mass = static_cast<long long>(sums[node]);
    Vec3f v{0, 0, 0};
    if (mass > 0) {
        const double perMass = step.velocityUnit / static_cast<double>(mass);
        for (int axis = 0; axis < 3; ++axis)
            v[axis] = static_cast<float>(
                perMass * static_cast<double>(static_cast<long long>(
                              sums[static_cast<unsigned>(axis + 1) * kBlockNodes + node])));
        v = v + environment.gravity;
        const std::int32_t* c = blocks.coordinate + 3 * blockIdx.x;
        const double width = kBlockWidth * step.cellSize;
        const Vec3d corner{c[0] * width, c[1] * width, c[2] * width};
        const Vec3f offset{static_cast<float>(node / 16 * step.cellSize),
                           static_cast<float>(node / 4 % 4 * step.cellSize),
                           static_cast<float>(node % 4 * step.cellSize)};
        v = applyContacts<kColliders>(environment, corner, offset,
                                      static_cast<float>(step.cellSize), v);
    }
    float* velocities = grid.velocities(blockIdx.x);
    for (int axis = 0; axis < 3; ++axis)
        velocities[static_cast<unsigned>(axis) * kBlockNodes + node] = v[axis];
    const float sum = fabsf(v.x) + fabsf(v.y) + fabsf(v.z);
    const bool usable = sum < 1e30f;
    if (!usable)
        atomicAdd(&report->badNodes, 1u);
    const float component =
        blockMax(usable ? fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z))) : 0.0f, partial);
    if (node == 0)
        reportMax(&report->maxNodeComponent, component);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
