#pragma once

/// Grid update between the transfers: momentum to velocity, forces, contact.

#include "layout.cuh"
#include "world.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// The nodes of a block and around it where all matter moves together, for NodesAround. Each CUDA
/// block works on those of one block.
class NodesOfAll {
public:
    __device__ std::uint32_t nodes() const { return blockIdx.x; }
    __device__ std::uint32_t block() const { return blockIdx.x; }
    /// Returns the number of a block's nodes. @param block  may be kNoBlock
    __device__ std::uint32_t nodesIn(std::uint32_t block) const { return block; }
};

/// The nodes of a block and of those around it, by steps from the block's first node.
/// @tparam Of  whose they are: NodesOfAll or NodesOfBody
template <class Of>
class NodesAround {
public:
    __device__ NodesAround(const Of& of, const Blocks& blocks, const Grid& grid)
        : of_(of), blocks_(blocks), grid_(grid)
    {}

    /// @return kNoBlock: there is none
    __device__ std::uint32_t owner(int x, int y, int z) const
    {
        const int dx = x >> 2, dy = y >> 2, dz = z >> 2;
        if (dx == 0 && dy == 0 && dz == 0)
            return of_.nodes();
        return of_.nodesIn(blocks_.beside(blocks_.coordinate + 3 * of_.block(), dx, dy, dz));
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
    const Of& of_;
    const Blocks& blocks_;
    const Grid& grid_;
};

/// Returns the velocity of a node with mass from its sums, with gravity; with that of its images if
/// it lies before mirrors. @param behind  set if it lies behind
template <bool kMirror, class Of>
__device__ __forceinline__ Vec3f velocityFromSums(const Of& of, const Blocks& blocks,
                                                  const Grid& grid, const StepNumbers& step,
                                                  const Environment& environment, int node,
                                                  long long mass, bool& behind)
{
    const auto sums = grid.sums(of.nodes());
    const double perMass = step.velocityUnit / static_cast<double>(mass);
    Vec3f v;
    for (int axis = 0; axis < 3; ++axis)
        v[axis] = static_cast<float>(perMass * static_cast<double>(static_cast<long long>(
                                                   sums.template at<Momentum>(node, axis))));
    v = v + environment.gravity;
    if constexpr (kMirror) {
        const MirrorStencil images = environment.mirror.fold(blocks.coordinate + 3 * of.block(),
                                                             node / 16, node / 4 % 4, node % 4);
        behind = images.isEmpty();
        if (!behind && !images.isTrivial()) {
            const NodesAround around(of, blocks, grid);
            const auto at = [&](int x, int y, int z) {
                NodeValue image =
                    around.summed(node / 16 + x, node / 4 % 4 + y, node % 4 + z, step.velocityUnit);
                image.v = image.v + environment.gravity;
                return image;
            };
            const MirrorStencil stencil = images.where(at);
            if (!stencil.isTrivial())
                v = stencil.folded(at);
        }
    }
    return v;
}

/// Applies forces, colliders and walls to a node that is not behind mirrors.
/// @param c  coordinate of its block
template <bool kColliders, bool kForces, bool kMirror>
__device__ __forceinline__ Vec3f withContacts(const std::int32_t* c, const StepNumbers& step,
                                              const Environment& environment, int node, Vec3f v,
                                              Report* report)
{
    const double width = kBlockEdge * step.cellSize;
    const Vec3d corner{c[0] * width, c[1] * width, c[2] * width};
    const Vec3f offset{static_cast<float>(node / 16 * step.cellSize),
                       static_cast<float>(node / 4 % 4 * step.cellSize),
                       static_cast<float>(node % 4 * step.cellSize)};
    if (kForces)
        v = applyForces(environment, corner, offset, v, &report->forceFaults);
    v = applyContacts<kColliders>(environment, corner, offset, step.cellSize, v);
    if constexpr (kMirror)
        v = environment.mirror.hold(c, node / 16, node / 4 % 4, node % 4, v);
    return v;
}

/// Stores a node's velocity. @return its largest component, 0 if it does not count [m/s]
__device__ __forceinline__ float storeNode(const Grid& grid, std::uint32_t nodes, int node,
                                           const Vec3f& v, bool behind, long long mass,
                                           const StepNumbers& step, Report* report)
{
    const auto velocities = grid.velocities(nodes);
    for (int axis = 0; axis < 3; ++axis)
        velocities.template at<Velocity>(node, axis) = v[axis];
    const float sum = fabsf(v.x) + fabsf(v.y) + fabsf(v.z);
    const bool usable = behind || sum < 1e30f;
    if (!usable)
        atomicAdd(&report->badNodes, 1u);
    const bool counts = usable && !behind && mass >= step.negligibleMass;
    return counts ? fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z))) : 0.0f;
}

/// The update of the nodes of one block by 64 threads. Nodes behind mirrors keep what they were
/// given; they are extendNodes()' business.
/// @tparam kForces  whether the environment has forces  @tparam kMirror  whether it has mirrors
template <bool kColliders, bool kForces, bool kMirror, class Of>
__device__ __forceinline__ void updateNodesOf(const Of& of, const Blocks& blocks, const Grid& grid,
                                              const StepNumbers& step,
                                              const Environment& environment, Report* report)
{
    FLOE_SHARED(int, partial, 2);
    const int node = static_cast<int>(threadIdx.x);
    const auto mass = static_cast<long long>(grid.sums(of.nodes()).template at<Mass>(node));
    Vec3f v{0, 0, 0};
    bool behind = false;
    if (mass > 0) {
        v = velocityFromSums<kMirror>(of, blocks, grid, step, environment, node, mass, behind);
        if (!behind)
            v = withContacts<kColliders, kForces, kMirror>(blocks.coordinate + 3 * of.block(), step,
                                                           environment, node, v, report);
    }
    const float component =
        blockMax(storeNode(grid, of.nodes(), node, v, behind, mass, step, report), partial);
    if (node == 0)
        reportMax(&report->maxNodeComponent, component);
}

/// One CUDA block of 64 threads per grid block.
template <bool kColliders, bool kForces, bool kMirror>
__global__ void __launch_bounds__(kBlockNodes)
    updateNodes(Blocks blocks, Grid grid, StepNumbers step, Environment environment, Report* report)
{
    updateNodesOf<kColliders, kForces, kMirror>(NodesOfAll(), blocks, grid, step, environment,
                                                report);
}

/// Lets nodes behind mirrors continue those before them, by 64 threads.
template <class Of>
__device__ __forceinline__ void extendNodesOf(const Of& of, const Blocks& blocks, const Grid& grid,
                                              const Environment& environment)
{
    const std::int32_t* c = blocks.coordinate + 3 * of.block();
    if (!environment.mirror.concern(c))
        return;
    const int node = static_cast<int>(threadIdx.x);
    const int x = node / 16, y = node / 4 % 4, z = node % 4;
    const MirrorStencil stencil = environment.mirror.extend(c, x, y, z);
    if (stencil.isTrivial() ||
        static_cast<long long>(grid.sums(of.nodes()).template at<Mass>(node)) <= 0)
        return;
    const NodesAround around(of, blocks, grid);
    const auto at = [&](int i, int j, int k) {
        return around.moving(x + i, y + j, z + k);
    };
    const Vec3f v = stencil.where(at).extended(at);
    const auto velocities = grid.velocities(of.nodes());
    for (int axis = 0; axis < 3; ++axis)
        velocities.template at<Velocity>(node, axis) = v[axis];
}

/// As updateNodes(), after it.
__global__ void __launch_bounds__(kBlockNodes)
    extendNodes(Blocks blocks, Grid grid, Environment environment)
{
    extendNodesOf(NodesOfAll(), blocks, grid, environment);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
