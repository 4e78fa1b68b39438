#pragma once

/// The sums that boundary_push.hpp decides by, and what follows from its decisions.

#include "binning.cuh"
#include "boundary_push.hpp"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// Particles of boundary blocks have not moved since the last binning: nodes 0 to 5.
inline constexpr int kRestWidth = 6;
inline constexpr int kInactiveNodes = 216;

/// Returns which of a block's neighbours owns a node of that arena.
__device__ __forceinline__ unsigned restOwner(unsigned x, unsigned y, unsigned z)
{
    return 13 + (x / 4 * 3 + y / 4) * 3 + z / 4;
}

/// Mass of the boundary blocks alone.
struct InactiveMass {
    float* own;                ///< [block][node of its arena] [kg]
    unsigned long long* total; ///< [block][node], of all boundary blocks [2^-massExponent kg]
};

/// Call before the kernels below. One thread.
__global__ void startGuard(Report* report)
{
    report->pushed = 0;
}

/// One CUDA block per particle block.
__global__ void __launch_bounds__(kThreads)
    findInactiveMass(Particles particles, Blocks blocks, InactiveMass inactiveMass,
                     StepNumbers step)
{
    FLOE_SHARED(unsigned long long, arena, kInactiveNodes);
    if (blocks.state[blockIdx.x] != kBoundary)
        return;
    for (unsigned i = threadIdx.x; i < kInactiveNodes; i += kThreads)
        arena[i] = 0;
    __syncthreads();
    const double unit = ldexp(1.0, step.massExponent);
    const std::uint32_t first = blocks.first(blockIdx.x), last = blocks.last(blockIdx.x);
    for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += kThreads) {
        const std::uint32_t p = blocks.particle(slot);
        const Vec3f x = particles.vector(kPosition, p);
        const auto wx = physics::quadraticSpline(x.x);
        const auto wy = physics::quadraticSpline(x.y);
        const auto wz = physics::quadraticSpline(x.z);
        const int base =
            (static_cast<int>(wx.base) * kRestWidth + static_cast<int>(wy.base)) * kRestWidth +
            static_cast<int>(wz.base);
        const double mass = unit * particles.at(kMass, p);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 3; ++k)
                    atomicAdd(&arena[base + (i * kRestWidth + j) * kRestWidth + k],
                              static_cast<unsigned long long>(
                                  rint(mass * (wx.w[i] * wy.w[j] * wz.w[k]))));
    }
    __syncthreads();
    for (unsigned node = threadIdx.x; node < kInactiveNodes; node += kThreads) {
        inactiveMass.own[std::uint64_t(blockIdx.x) * kInactiveNodes + node] =
            static_cast<float>(step.massUnit * static_cast<double>(arena[node]));
        const unsigned x = node / (kRestWidth * kRestWidth), y = node / kRestWidth % kRestWidth,
                       z = node % kRestWidth;
        const std::uint32_t owner = blocks.neighbour[27 * blockIdx.x + restOwner(x, y, z)];
        if (arena[node] > 0)
            atomicAdd(inactiveMass.total + std::uint64_t(owner) * kBlockNodes +
                          ((x & 3u) * 4 + (y & 3u)) * 4 + (z & 3u),
                      arena[node]);
    }
}

/// Sets pushSpeed of boundary blocks and, in `gain`, their gain if the step is taken; counts those
/// that isPushed(). One CUDA block per particle block.
/// @param kept  keptGain()
__global__ void __launch_bounds__(kThreads)
    findPush(Blocks blocks, Grid grid, InactiveMass inactiveMass, float kept, float wakeSpeed,
             float* gain, Report* report)
{
    FLOE_SHARED(int, inactive, 27);
    FLOE_SHARED(float, part, 6 * kInactiveNodes); // mass, drag, push (3), energy of each node
    FLOE_SHARED(float, octant, 6 * 8);
    if (blocks.state[blockIdx.x] != kBoundary)
        return;
    const std::int32_t* c = blocks.coordinate + 3 * blockIdx.x;
    if (threadIdx.x < 27) {
        const int n = static_cast<int>(threadIdx.x);
        const unsigned other =
            findBlock(blocks.table, c[0] + n / 9 - 1, c[1] + n / 3 % 3 - 1, c[2] + n % 3 - 1);
        inactive[n] =
            blocks.mayHold(other, blocks.particleBlocks) && blocks.state[other] == kPassive;
    }
    __syncthreads();
    for (unsigned node = threadIdx.x; node < kInactiveNodes; node += kThreads) {
        const unsigned x = node / (kRestWidth * kRestWidth), y = node / kRestWidth % kRestWidth,
                       z = node % kRestWidth;
        const float own = inactiveMass.own[std::uint64_t(blockIdx.x) * kInactiveNodes + node];
        for (unsigned i = 0; i < 6; ++i)
            part[i * kInactiveNodes + node] = 0;
        part[node] = own;
        // Forces on nodes that a passive block also overlaps are not balanced.
        bool complete = own > 0;
        for (unsigned d = 0; d < 8; ++d)
            complete =
                complete && !inactive[(x / 4 + 1 - (d >> 2)) * 9 + (y / 4 + 1 - (d >> 1 & 1u)) * 3 +
                                      z / 4 + 1 - (d & 1u)];
        if (!complete)
            continue;
        const std::uint32_t owner = blocks.neighbour[27 * blockIdx.x + restOwner(x, y, z)];
        const unsigned at = ((x & 3u) * 4 + (y & 3u)) * 4 + (z & 3u);
        const auto mass = static_cast<double>(
            static_cast<long long>(grid.sums(owner).at<Mass>(static_cast<int>(at))));
        const auto rest = static_cast<double>(
            static_cast<long long>(inactiveMass.total[std::uint64_t(owner) * kBlockNodes + at]));
        const auto velocities = grid.velocities(owner);
        float energy = 0;
        for (unsigned axis = 0; axis < 3; ++axis) {
            const float v = velocities.at<Velocity>(static_cast<int>(at), static_cast<int>(axis));
            part[(2 + axis) * kInactiveNodes + node] = own * v;
            energy += own * v * v;
        }
        part[kInactiveNodes + node] =
            mass > 0 ? own * static_cast<float>(rules::drag(rest, mass)) : 0;
        part[5 * kInactiveNodes + node] = energy;
    }
    __syncthreads();
    if (threadIdx.x < 48) { // in a fixed order
        const unsigned q = threadIdx.x % 8, i = threadIdx.x / 8;
        float sum = 0;
        for (unsigned x = 0; x < 3; ++x)
            for (unsigned y = 0; y < 3; ++y)
                for (unsigned z = 0; z < 3; ++z)
                    sum += part[i * kInactiveNodes +
                                (((q >> 2) * 3 + x) * kRestWidth + (q >> 1 & 1u) * 3 + y) *
                                    kRestWidth +
                                (q & 1u) * 3 + z];
        octant[threadIdx.x] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        rules::PushSums sums{};
        for (unsigned q = 0; q < 8; ++q) {
            sums.mass[q] = octant[q];
            sums.drag += octant[8 + q];
            for (unsigned axis = 0; axis < 3; ++axis)
                sums.momentum[axis] += octant[8 * (2 + axis) + q];
            sums.energy[q] = octant[40 + q];
        }
        const rules::Push push = rules::pushOf(sums, blocks.gain + 3 * blockIdx.x, kept);
        for (unsigned axis = 0; axis < 3; ++axis)
            gain[3 * blockIdx.x + axis] = push.gain[axis];
        blocks.pushSpeed[blockIdx.x] = push.speed;
        if (rules::isPushed(push.speed, wakeSpeed))
            atomicAdd(&report->pushed, 1u);
    }
}

/// Activates blocks with the velocity gained during sleep. One CUDA block each.
__global__ void __launch_bounds__(kThreads)
    startMoving(Particles particles, Blocks blocks, const std::uint32_t* wakes, Report* report)
{
    const std::uint32_t b = wakes[blockIdx.x];
    const float* start = blocks.gain + 3 * b;
    const std::uint32_t first = blocks.first(b), last = blocks.last(b);
    for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += kThreads) {
        const std::uint32_t p = blocks.particle(slot);
        const float mass = particles.at(kMass, p);
        for (unsigned axis = 0; axis < 3; ++axis) {
            particles.at(kVelocity + axis, p) = mass > 0 ? start[axis] : 0.0f;
            reportMax(&report->maxMomentum, mass * fabsf(start[axis]));
        }
    }
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    blocks.state[b] = kActive;
    blocks.restTime[b] = 0;
    blocks.speed[b] = 0;
    for (unsigned axis = 0; axis < 3; ++axis)
        blocks.gain[3 * b + axis] = 0;
}

/// Call when the step is taken. One thread per particle block.
__global__ void keepGain(Blocks blocks, const float* gain)
{
    const std::uint32_t b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < blocks.particleBlocks && blocks.state[b] == kBoundary)
        for (unsigned axis = 0; axis < 3; ++axis)
            blocks.gain[3 * b + axis] = gain[3 * b + axis];
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
