#pragma once

/// Kernels for nodes that bodies share (body_contact.hpp has the rules), and for those of one body
/// beside them.

#include "bodies.cuh"
#include "body_contact.hpp"
#include "near_mass.cuh"
#include "nodes.cuh"
#include "scatter.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// How far bodies reach at the nodes that they share, laid out as NodeSums: `Mass` is the weighted
/// volume of a body's particles in cells of the grid, `Momentum` that times their place from the
/// node [cells], both in units of 2^-kExtentExponent.
struct Extents {
    unsigned char* sum;

    __device__ sdk::grid::Block<NodeSums> at(std::uint32_t shared) const
    {
        return sdk::grid::Block<NodeSums>(sum, shared);
    }
};
inline constexpr int kExtentExponent = 32; ///< 2^31 cells do not overflow

/// Sums the extents of the parts that reach shared nodes. One CUDA block per part.
/// @param perCell  1 / volume of a cell [1/m^3]
template <int kSupport>
__global__ void __launch_bounds__(kThreads)
    measureBodies(Particles particles, Blocks parts, std::uint32_t blocks, Extents extents,
                  float perCell)
{
    FLOE_SHARED(int, arena, 4 * kArenaWords);
    FLOE_SHARED(int, partial, kThreads / 32);
    FLOE_SHARED(float, bounds, 2);
    if (parts.state[blockIdx.x] == kPassive)
        return;
    const std::uint32_t* neighbour = parts.neighbour + 27 * blockIdx.x;
    const bool shares = threadIdx.x < 27 && neighbour[threadIdx.x] >= blocks;
    if (__syncthreads_or(shares) == 0)
        return;
    const auto contribution = [&](std::uint32_t p) {
        const float volume = perCell * particles.at(kVolume, p);
        return Contribution{
            volume, {0, 0, 0}, {{{-volume, 0, 0}, {0, -volume, 0}, {0, 0, -volume}}}, 0};
    };
    float volume = 0;
    for (std::uint32_t slot = parts.first(blockIdx.x) + threadIdx.x; slot < parts.last(blockIdx.x);
         slot += kThreads)
        volume = fmaxf(volume, perCell * particles.at(kVolume, parts.particle(slot)));
    const ArenaUnits units =
        sumInArena<Scheme<kSupport, false>>(arena, partial, bounds, particles, parts, 1.0f, volume,
                                            0.5f * kSupport * volume, contribution);
    const int volumeShift = kExtentExponent - units.massExponent,
              momentShift = kExtentExponent - units.momentumExponent;
    for (unsigned i = threadIdx.x; i < kArenaNodes; i += kThreads) {
        const int word = arenaWord(static_cast<int>(i));
        const ArenaNode at = arenaNode(i);
        if (arena[word] == 0 || neighbour[at.neighbour] < blocks)
            continue;
        const auto sums = extents.at(neighbour[at.neighbour] - blocks);
        const int node = static_cast<int>(at.node);
        atomicAdd(&sums.template at<Mass>(node), changeUnit(arena[word], volumeShift));
        for (int axis = 0; axis < 3; ++axis)
            atomicAdd(&sums.template at<Momentum>(node, axis),
                      changeUnit(arena[(1 + axis) * kArenaWords + word], momentShift));
    }
}

/// What pairs of bodies are to each other.
struct BodyPairs {
    const double* friction; ///< [body][body]
    const float* sound;     ///< of each body [m/s]
    std::uint32_t bodies;
    rules::Reach reach;
};

/// Returns a body at a shared node; mass 0: it is not there, or too far to tell where it ends.
/// @param shared  number of its nodes among those that are shared
__device__ __forceinline__ rules::BodyAtNode bodyAt(const Grid& grid, const BodyNodes& bodies,
                                                    const Extents& extents, std::uint32_t shared,
                                                    int node)
{
    rules::BodyAtNode body{};
    const auto at = extents.at(shared);
    const auto extent = [&](unsigned long long sum) {
        return static_cast<double>(static_cast<long long>(sum));
    };
    const double volume = extent(at.template at<Mass>(node));
    const auto mass =
        static_cast<long long>(grid.sums(bodies.blocks + shared).template at<Mass>(node));
    if (!(mass > 0 && rules::isNear(volume / (1ll << kExtentExponent), 1)))
        return body;
    body.mass = static_cast<double>(mass);
    const auto velocities = grid.velocities(bodies.blocks + shared);
    for (int axis = 0; axis < 3; ++axis) {
        body.v[axis] = velocities.template at<Velocity>(node, axis);
        body.mean[axis] = static_cast<float>(extent(at.template at<Momentum>(node, axis)) / volume);
    }
    return body;
}

/// Updates the nodes that bodies share: each body's as updateNodes(), but before forces and
/// contacts the bodies meet. One CUDA block of 64 threads for each shared nodes; that of a block's
/// first body works for all of them.
template <bool kColliders>
__global__ void __launch_bounds__(kBlockNodes)
    meetBodies(Blocks blocks, Grid grid, BodyNodes bodies, Extents extents, BodyPairs pairs,
               StepNumbers step, Environment environment, Report* report)
{
    FLOE_SHARED(int, partial, 2);
    const std::uint32_t block = bodies.block[blockIdx.x];
    const std::uint32_t first = bodies.first[block], end = bodies.first[block + 1];
    if (first != blockIdx.x)
        return;
    const int node = static_cast<int>(threadIdx.x);
    const std::int32_t* c = blocks.coordinate + 3 * block;
    const auto massOf = [&](std::uint32_t shared) {
        return static_cast<long long>(grid.sums(bodies.blocks + shared).template at<Mass>(node));
    };
    bool behind = false;
    for (std::uint32_t i = first; i < end; ++i) {
        const NodesOfBody of(bodies, bodies.blocks + i);
        Vec3f v{0, 0, 0};
        if (massOf(i) > 0)
            v = velocityFromSums<true>(of, blocks, grid, step, environment, node, massOf(i),
                                       behind);
        const auto velocities = grid.velocities(of.nodes());
        for (int axis = 0; axis < 3; ++axis)
            velocities.template at<Velocity>(node, axis) = v[axis];
    }
    unsigned near = 0; // bodies at the node
    for (std::uint32_t i = first; i < end && !behind; ++i)
        near += bodyAt(grid, bodies, extents, i, node).mass > 0 ? 1 : 0;
    const int rounds = near < 2 ? 0 : near == 2 ? 1 : rules::kRounds;
    for (int round = 0; round < rounds; ++round)
        for (std::uint32_t i = first; i + 1 < end; ++i)
            for (std::uint32_t k = i + 1; k < end; ++k) {
                rules::BodyAtNode a = bodyAt(grid, bodies, extents, i, node),
                                  b = bodyAt(grid, bodies, extents, k, node);
                if (!(a.mass > 0 && b.mass > 0))
                    continue;
                const unsigned one = bodies.body[i], other = bodies.body[k];
                const rules::Meeting meeting = rules::meetingOf(pairs.reach, a, b);
                const double gapSpeed =
                    rules::gapSpeed(meeting.gap, step.cellSize, step.dt,
                                    fminf(pairs.sound[one], pairs.sound[other]));
                rules::meet(meeting, gapSpeed, pairs.friction[one * pairs.bodies + other], a, b);
                const auto ofA = grid.velocities(bodies.blocks + i),
                           ofB = grid.velocities(bodies.blocks + k);
                for (int axis = 0; axis < 3; ++axis) {
                    ofA.template at<Velocity>(node, axis) = static_cast<float>(a.v[axis]);
                    ofB.template at<Velocity>(node, axis) = static_cast<float>(b.v[axis]);
                }
            }
    float fastest = 0;
    for (std::uint32_t i = first; i < end; ++i) {
        const auto velocities = grid.velocities(bodies.blocks + i);
        Vec3f v;
        for (int axis = 0; axis < 3; ++axis)
            v[axis] = velocities.template at<Velocity>(node, axis);
        const long long mass = massOf(i);
        if (mass > 0 && !behind)
            v = withContacts<kColliders, true, true>(c, step, environment, node, v, report);
        fastest =
            fmaxf(fastest, storeNode(grid, bodies.blocks + i, node, v, behind, mass, step, report));
    }
    const float component = blockMax(fastest, partial);
    if (node == 0)
        reportMax(&report->maxNodeComponent, component);
}

/// As updateNodes(), of nodes of one body whose images may be among shared ones. One CUDA block of
/// 64 threads per grid block.
template <bool kColliders>
__global__ void __launch_bounds__(kBlockNodes)
    updateNodesOfBodies(Blocks blocks, Grid grid, BodyNodes bodies, StepNumbers step,
                        Environment environment, Report* report)
{
    updateNodesOf<kColliders, true, true>(NodesOfBody(bodies, blockIdx.x), blocks, grid, step,
                                          environment, report);
}

/// As extendNodes(). One CUDA block of 64 threads for the nodes of each block and body.
__global__ void __launch_bounds__(kBlockNodes)
    extendNodesOfBodies(Blocks blocks, Grid grid, BodyNodes bodies, Environment environment)
{
    extendNodesOf(NodesOfBody(bodies, blockIdx.x), blocks, grid, environment);
}

/// As completeMasses(). One CUDA block of 64 threads for the nodes of each block and body.
template <bool kBehind>
__global__ void __launch_bounds__(kBlockNodes)
    completeMassesOfBodies(Blocks blocks, Grid grid, BodyNodes bodies, MirrorWalls mirror)
{
    completeMassesOf<kBehind>(NodesOfBody(bodies, blockIdx.x), blocks, grid, mirror);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
