#pragma once

/// Grid update between the transfers: momentum to velocity, forces, contact.

#include "layout.cuh"
#include "world.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// The nodes of a block and of those around it, by steps from the block's first node.
class NodesAround {
public:
    __device__ NodesAround(const Blocks& blocks, const Grid& grid) : blocks_(blocks), grid_(grid) {}

    /// @return kNoBlock: there is none
    __device__ std::uint32_t owner(int x, int y, int z) const
    {
        const int dx = x >> 2, dy = y >> 2, dz = z >> 2;
        if (dx == 0 && dy == 0 && dz == 0)
            return blockIdx.x;
        return blocks_.beside(blocks_.coordinate + 3 * blockIdx.x, dx, dy, dz);
    }
    /// From the sums, which no kernel of nodes changes.
    __device__ NodeValue summed(int x, int y, int z, double velocityUnit) const
    {
        const std::uint32_t block = owner(x, y, z);
        if (block == kNoBlock)
            return {};
        const auto sums = grid_.sums(block);
        const int node = sdk::grid::cellNumber(x & 3, y & 3, z & 3);
        const auto mass = static_cast<long long>(sums.template at<Mass>(node));
        if (mass <= 0)
            return {};
        const double perMass = velocityUnit / static_cast<double>(mass);
        NodeValue value{{0, 0, 0}, static_cast<float>(mass)};
        for (int axis = 0; axis < 3; ++axis)
            value.v[axis] =
                static_cast<float>(perMass * static_cast<double>(static_cast<long long>(
                                                 sums.template at<Momentum>(node, axis))));
        return value;
    }
    /// As they are now.
    __device__ NodeValue moving(int x, int y, int z) const
    {
        const std::uint32_t block = owner(x, y, z);
        if (block == kNoBlock)
            return {};
        const int node = sdk::grid::cellNumber(x & 3, y & 3, z & 3);
        const auto v = grid_.velocities(block);
        return {
            {v.template at<Velocity>(node, 0), v.template at<Velocity>(node, 1),
             v.template at<Velocity>(node, 2)},
            static_cast<float>(static_cast<long long>(grid_.sums(block).template at<Mass>(node)))};
    }

private:
    const Blocks& blocks_;
    const Grid& grid_;
};

/// One CUDA block of 64 threads per grid block. Nodes behind mirrors keep what they were given;
/// they are extendNodes()' business.
/// @tparam kForces  whether the environment has forces  @tparam kMirror  whether it has mirrors
template <bool kColliders, bool kForces, bool kMirror>
__global__ void __launch_bounds__(kBlockNodes)
    updateNodes(Blocks blocks, Grid grid, StepNumbers step, Environment environment, Report* report)
{
    FLOE_SHARED(int, partial, 2);
    const auto sums = grid.sums(blockIdx.x);
    const int node = static_cast<int>(threadIdx.x);
    const auto mass = static_cast<long long>(sums.at<Mass>(node));
    Vec3f v{0, 0, 0};
    bool behind = false;
    if (mass > 0) {
        const double perMass = step.velocityUnit / static_cast<double>(mass);
        for (int axis = 0; axis < 3; ++axis)
            v[axis] = static_cast<float>(perMass * static_cast<double>(static_cast<long long>(
                                                       sums.at<Momentum>(node, axis))));
        v = v + environment.gravity;
        const std::int32_t* c = blocks.coordinate + 3 * blockIdx.x;
        if constexpr (kMirror) {
            const MirrorStencil images =
                environment.mirror.fold(c, node / 16, node / 4 % 4, node % 4);
            behind = images.isEmpty();
            if (!behind && !images.isTrivial()) {
                const NodesAround around(blocks, grid);
                const auto at = [&](int x, int y, int z) {
                    NodeValue image = around.summed(node / 16 + x, node / 4 % 4 + y, node % 4 + z,
                                                    step.velocityUnit);
                    image.v = image.v + environment.gravity;
                    return image;
                };
                const MirrorStencil stencil = images.where(at);
                if (!stencil.isTrivial())
                    v = stencil.folded(at);
            }
        }
        const double width = kBlockEdge * step.cellSize;
        const Vec3d corner{c[0] * width, c[1] * width, c[2] * width};
        const Vec3f offset{static_cast<float>(node / 16 * step.cellSize),
                           static_cast<float>(node / 4 % 4 * step.cellSize),
                           static_cast<float>(node % 4 * step.cellSize)};
        if (kForces && !behind)
            v = applyForces(environment, corner, offset, v, &report->forceFaults);
        if (!behind)
            v = applyContacts<kColliders>(environment, corner, offset, step.cellSize, v);
        if constexpr (kMirror)
            if (!behind)
                v = environment.mirror.hold(c, node / 16, node / 4 % 4, node % 4, v);
    }
    const auto velocities = grid.velocities(blockIdx.x);
    for (int axis = 0; axis < 3; ++axis)
        velocities.at<Velocity>(node, axis) = v[axis];
    const float sum = fabsf(v.x) + fabsf(v.y) + fabsf(v.z);
    const bool usable = behind || sum < 1e30f;
    if (!usable)
        atomicAdd(&report->badNodes, 1u);
    const bool counts = usable && !behind && mass >= step.negligibleMass;
    const float component =
        blockMax(counts ? fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z))) : 0.0f, partial);
    if (node == 0)
        reportMax(&report->maxNodeComponent, component);
}

/// Nodes behind mirrors continue those before them. As updateNodes(), after it.
__global__ void __launch_bounds__(kBlockNodes)
    extendNodes(Blocks blocks, Grid grid, Environment environment)
{
    const std::int32_t* c = blocks.coordinate + 3 * blockIdx.x;
    if (!environment.mirror.concern(c))
        return;
    const int node = static_cast<int>(threadIdx.x);
    const int x = node / 16, y = node / 4 % 4, z = node % 4;
    const MirrorStencil stencil = environment.mirror.extend(c, x, y, z);
    if (stencil.isTrivial() ||
        static_cast<long long>(grid.sums(blockIdx.x).template at<Mass>(node)) <= 0)
        return;
    const NodesAround around(blocks, grid);
    const auto at = [&](int i, int j, int k) {
        return around.moving(x + i, y + j, z + k);
    };
    const Vec3f v = stencil.where(at).extended(at);
    const auto velocities = grid.velocities(blockIdx.x);
    for (int axis = 0; axis < 3; ++axis)
        velocities.template at<Velocity>(node, axis) = v[axis];
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
