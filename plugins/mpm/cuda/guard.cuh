#pragma once

/// The sums that boundary_push.hpp decides by, and what follows from its decisions.

#include "binning.cuh"
#include "boundary_push.hpp"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// Particles of boundary blocks have not moved since the last binning: nodes 0 to 5 or, with cubic
/// splines, -1 to 6.
template <int kSupport>
inline constexpr unsigned kRestWidth = kSupport == 3 ? 6 : 8;
template <int kSupport>
inline constexpr unsigned kInactiveNodes =
    kRestWidth<kSupport>* kRestWidth<kSupport>* kRestWidth<kSupport>;

/// A node of that arena.
template <int kSupport>
struct RestNode {
    unsigned x, y, z; ///< from that four before the block's first

    __device__ explicit RestNode(unsigned number)
    {
        constexpr unsigned kWidth = kRestWidth<kSupport>, kFirst = kSupport == 3 ? 4 : 3;
        x = number / (kWidth * kWidth) + kFirst;
        y = number / kWidth % kWidth + kFirst;
        z = number % kWidth + kFirst;
    }
    /// Returns which of the block's neighbours owns it.
    __device__ unsigned owner() const { return (x / 4 * 3 + y / 4) * 3 + z / 4; }
    /// Returns its number there.
    __device__ unsigned node() const { return ((x & 3u) * 4 + (y & 3u)) * 4 + (z & 3u); }
    /// Returns the other block whose particles reach it along an axis, as a neighbour of the owner:
    /// -1 or 1.
    __device__ static int reachedFrom(unsigned along)
    {
        return rules::reachesAtRest(kSupport, 1, static_cast<int>(along & 3u)) ? 1 : -1;
    }
    /// Returns a block whose particles may reach it, as a neighbour of this one. @param d  0 to 7
    __device__ unsigned reacher(unsigned d) const
    {
        const auto along = [&](unsigned at, unsigned bit) {
            const int other = static_cast<int>(at / 4) + (d >> bit & 1u ? reachedFrom(at) : 0);
            return static_cast<unsigned>(other);
        };
        return (along(x, 2) * 3 + along(y, 1)) * 3 + along(z, 0);
    }
};

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
template <int kSupport>
__global__ void __launch_bounds__(kThreads)
    findInactiveMass(Particles particles, Blocks blocks, InactiveMass inactiveMass,
                     StepNumbers step)
{
    constexpr unsigned kNodes = kInactiveNodes<kSupport>, kWidth = kRestWidth<kSupport>;
    FLOE_SHARED(unsigned long long, arena, kNodes);
    if (blocks.state[blockIdx.x] != kBoundary)
        return;
    for (unsigned i = threadIdx.x; i < kNodes; i += kThreads)
        arena[i] = 0;
    __syncthreads();
    const double unit = ldexp(1.0, step.massExponent);
    const std::uint32_t first = blocks.first(blockIdx.x), last = blocks.last(blockIdx.x);
    for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += kThreads) {
        const std::uint32_t p = blocks.particle(slot);
        const Vec3f x = particles.vector(kPosition, p);
        const auto wx = physics::spline<kSupport>(x.x);
        const auto wy = physics::spline<kSupport>(x.y);
        const auto wz = physics::spline<kSupport>(x.z);
        constexpr float kFirst = kSupport == 3 ? 0 : -1;
        const auto at = [](float base) {
            return static_cast<unsigned>(base - kFirst);
        };
        const unsigned base = (at(wx.base) * kWidth + at(wy.base)) * kWidth + at(wz.base);
        const double mass = unit * particles.at(kMass, p);
        for (unsigned i = 0; i < kSupport; ++i)
            for (unsigned j = 0; j < kSupport; ++j)
                for (unsigned k = 0; k < kSupport; ++k)
                    atomicAdd(&arena[base + (i * kWidth + j) * kWidth + k],
                              static_cast<unsigned long long>(
                                  rint(mass * (wx.w[i] * wy.w[j] * wz.w[k]))));
    }
    __syncthreads();
    for (unsigned node = threadIdx.x; node < kNodes; node += kThreads) {
        inactiveMass.own[std::uint64_t(blockIdx.x) * kNodes + node] =
            static_cast<float>(step.massUnit * static_cast<double>(arena[node]));
        const RestNode<kSupport> at(node);
        const std::uint32_t owner = blocks.neighbour[27 * blockIdx.x + at.owner()];
        if (arena[node] > 0)
            atomicAdd(inactiveMass.total + std::uint64_t(owner) * kBlockNodes + at.node(),
                      arena[node]);
    }
}

/// Sets pushSpeed of boundary blocks and, in `gain`, their gain if the step is taken; counts those
/// that isPushed(). One CUDA block per particle block.
/// @param kept  keptGain()
template <int kSupport>
__global__ void __launch_bounds__(kThreads)
    findPush(Blocks blocks, Grid grid, InactiveMass inactiveMass, float kept, float wakeSpeed,
             float* gain, Report* report)
{
    constexpr unsigned kNodes = kInactiveNodes<kSupport>, kWidth = kRestWidth<kSupport>;
    FLOE_SHARED(int, inactive, 27);
    FLOE_SHARED(float, part, 6 * kNodes); // mass, drag, push (3), energy of each node
    FLOE_SHARED(float, octant, 6 * 8);
    if (blocks.state[blockIdx.x] != kBoundary)
        return;
    const std::int32_t* c = blocks.coordinate + 3 * blockIdx.x;
    if (threadIdx.x < 27) {
        const int n = static_cast<int>(threadIdx.x);
        const unsigned other = blocks.beside(c, n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1);
        inactive[n] =
            blocks.mayHold(other, blocks.particleBlocks) && blocks.state[other] == kPassive;
    }
    __syncthreads();
    for (unsigned node = threadIdx.x; node < kNodes; node += kThreads) {
        const RestNode<kSupport> place(node);
        const float own = inactiveMass.own[std::uint64_t(blockIdx.x) * kNodes + node];
        for (unsigned i = 0; i < 6; ++i)
            part[i * kNodes + node] = 0;
        part[node] = own;
        // Forces on nodes that a passive block also overlaps are not balanced.
        bool complete = own > 0;
        for (unsigned d = 0; d < 8; ++d)
            complete = complete && !inactive[place.reacher(d)];
        if (!complete)
            continue;
        const std::uint32_t owner = blocks.neighbour[27 * blockIdx.x + place.owner()];
        const unsigned at = place.node();
        const auto mass = static_cast<double>(
            static_cast<long long>(grid.sums(owner).at<Mass>(static_cast<int>(at))));
        const auto rest = static_cast<double>(
            static_cast<long long>(inactiveMass.total[std::uint64_t(owner) * kBlockNodes + at]));
        const auto velocities = grid.velocities(owner);
        float energy = 0;
        for (unsigned axis = 0; axis < 3; ++axis) {
            const float v = velocities.at<Velocity>(static_cast<int>(at), static_cast<int>(axis));
            part[(2 + axis) * kNodes + node] = own * v;
            energy += own * v * v;
        }
        part[kNodes + node] = mass > 0 ? own * static_cast<float>(rules::drag(rest, mass)) : 0;
        part[5 * kNodes + node] = energy;
    }
    __syncthreads();
    if (threadIdx.x < 48) { // in a fixed order
        const unsigned q = threadIdx.x % 8, i = threadIdx.x / 8;
        float sum = 0;
        for (unsigned x = 0; x < kWidth / 2; ++x)
            for (unsigned y = 0; y < kWidth / 2; ++y)
                for (unsigned z = 0; z < kWidth / 2; ++z)
                    sum += part[i * kNodes +
                                (((q >> 2) * (kWidth / 2) + x) * kWidth +
                                 (q >> 1 & 1u) * (kWidth / 2) + y) *
                                    kWidth +
                                (q & 1u) * (kWidth / 2) + z];
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
