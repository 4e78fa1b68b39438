#pragma once

/// The mass around liquid particles, by which liquids keep their volume and surfaces are under
/// tension (liquid_volume.hpp): from the sums of a step, before they are cleared.

#include "near_walls.hpp"
#include "nodes.cuh"
#include "scatter.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

FLOE_HD bool usesNearMass(const physics::Liquid& law)
{
    return law.matterDensity > 0 || law.surfaceTension > 0;
}

/// Gives nodes the mass that they would have if the mirror image of all matter were behind the
/// walls, by 64 threads.
template <bool kBehind, class Of>
__device__ __forceinline__ void completeMassesOf(const Of& of, const Blocks& blocks,
                                                 const Grid& grid, const MirrorWalls& mirror)
{
    const std::int32_t* c = blocks.coordinate + 3 * of.block();
    if (!mirror.concern(c))
        return;
    const int node = static_cast<int>(threadIdx.x);
    const int place[3] = {node / 16, node / 4 % 4, node % 4};
    if (mirror.isBehind(c, place[0], place[1], place[2]) != kBehind)
        return;
    MirrorStencil images;
    for (int axis = 0; axis < 3; ++axis) {
        const double at = MirrorWalls::nodeAt(c[axis], place[axis]);
        if (mirror.axis(axis).isDeep(at))
            return;
        images.axis[axis] =
            kBehind ? mirror.axis(axis).wholeBehind(at) : mirror.axis(axis).whole(at);
    }
    const NodesAround around(of, blocks, grid);
    const auto at = [&](int x, int y, int z) {
        return around.moving(place[0] + x, place[1] + y, place[2] + z);
    };
    const float mass = images.where(at).mass(at);
    grid.sums(of.nodes()).template at<Mass>(node) =
        static_cast<unsigned long long>(static_cast<long long>(mass));
}

/// One CUDA block of 64 threads per grid block; first nodes before walls and on them, which read
/// nodes behind, then those, which read nodes before.
template <bool kBehind>
__global__ void __launch_bounds__(kBlockNodes)
    completeMasses(Blocks blocks, Grid grid, MirrorWalls mirror)
{
    completeMassesOf<kBehind>(NodesOfAll(), blocks, grid, mirror);
}

/// Finds the mass around the liquid particles that are about to move, in kNearMass. One CUDA block
/// per particle block.
template <int kSupport>
__global__ void __launch_bounds__(kThreads)
    findNearMass(Particles particles, Blocks blocks, Grid grid, const physics::Material* laws,
                 StepNumbers step, Environment environment)
{
    FLOE_SHARED(float, arena, kArenaWords);
    if (blocks.state[blockIdx.x] != kActive)
        return;
    for (unsigned i = threadIdx.x; i < kArenaNodes; i += kThreads) {
        const ArenaNode at = arenaNode(i);
        const auto sums = grid.sums(blocks.neighbour[27 * blockIdx.x + at.neighbour]);
        arena[arenaWord(static_cast<int>(i))] = static_cast<float>(
            step.massUnit *
            static_cast<double>(static_cast<long long>(sums.template at<Mass>(at.node))));
    }
    __syncthreads();
    const NearWalls walls = nearWalls(environment.domain, environment.mirror, step.cellSize,
                                      blocks.coordinate + 3 * blockIdx.x);
    for (std::uint32_t m = 0; m < blocks.materials; ++m) {
        if (!laws[m].isLiquid() || !usesNearMass(laws[m].liquid))
            continue;
        const std::uint32_t* start = blocks.start + blockIdx.x * blocks.materials + m;
        for (std::uint32_t slot = start[0] + threadIdx.x; slot < start[1]; slot += kThreads) {
            const std::uint32_t p = blocks.particle(slot);
            const Vec3f x = particles.vector(kPosition, p);
            const auto s = stencilOf<kSupport>(x);
            const auto momentX = firstMoments(s.x), momentY = firstMoments(s.y),
                       momentZ = firstMoments(s.z);
            float mean = 0;
            Vec3f slope{0, 0, 0};
            FLOE_UNROLL
            for (int i = 0; i < kSupport; ++i) {
                float onX = 0, alongY = 0, alongZ = 0;
                FLOE_UNROLL
                for (int j = 0; j < kSupport; ++j) {
                    float onXY = 0, onXYAlongZ = 0;
                    FLOE_UNROLL
                    for (int k = 0; k < kSupport; ++k) {
                        const float mass = arena[s.base + i * kArenaStepX + j * kArenaEdge + k];
                        onXY += s.z.w[k] * mass;
                        onXYAlongZ += momentZ[k] * mass;
                    }
                    onX += s.y.w[j] * onXY;
                    alongY += momentY[j] * onXY;
                    alongZ += s.y.w[j] * onXYAlongZ;
                }
                mean += s.x.w[i] * onX;
                slope = slope + Vec3f{momentX[i] * onX, s.x.w[i] * alongY, s.x.w[i] * alongZ};
            }
            const auto near = rules::nearMass<kSupport>(walls, x, mean,
                                                        physics::kInverseMoment<kSupport> * slope);
            particles.at(kNearMass, p) = near.mean;
            particles.setVector(kNearMass + 1, p, near.slope);
        }
    }
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
