#pragma once

/// Grid update between the transfers: momentum to velocity, forces, contact.

#include "layout.cuh"
#include "world.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// One CUDA block of 64 threads per grid block.
template <bool kColliders>
__global__ void __launch_bounds__(kBlockNodes)
    updateNodes(Blocks blocks, Grid grid, StepNumbers step, Environment environment, Report* report)
{
    FLOE_SHARED(int, partial, 2);
    const auto sums = grid.sums(blockIdx.x);
    const int node = static_cast<int>(threadIdx.x);
    const auto mass = static_cast<long long>(sums.at<Mass>(node));
    Vec3f v{0, 0, 0};
    if (mass > 0) {
        const double perMass = step.velocityUnit / static_cast<double>(mass);
        for (int axis = 0; axis < 3; ++axis)
            v[axis] = static_cast<float>(perMass * static_cast<double>(static_cast<long long>(
                                                       sums.at<Momentum>(node, axis))));
        v = v + environment.gravity;
        const std::int32_t* c = blocks.coordinate + 3 * blockIdx.x;
        const double width = kBlockEdge * step.cellSize;
        const Vec3d corner{c[0] * width, c[1] * width, c[2] * width};
        const Vec3f offset{static_cast<float>(node / 16 * step.cellSize),
                           static_cast<float>(node / 4 % 4 * step.cellSize),
                           static_cast<float>(node % 4 * step.cellSize)};
        v = applyContacts<kColliders>(environment, corner, offset, step.cellSize, v);
    }
    const auto velocities = grid.velocities(blockIdx.x);
    for (int axis = 0; axis < 3; ++axis)
        velocities.at<Velocity>(node, axis) = v[axis];
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
