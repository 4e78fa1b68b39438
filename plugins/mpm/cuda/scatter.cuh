#pragma once

/// Particles to grid (P2G): MLS-MPM with the affine velocities of APIC
/// (Hu et al. 2018, "A moving least squares material point method"; Jiang et al. 2015).
///
///     m_i   += w m
///     (mv)_i += w (m v + (m C - dt (4/dx^2) V0 tau) (x_i - x))
///
/// A CUDA block sums its particles in an arena in shared memory: 32-bit integers, whose atomics the
/// hardware has (those on floats are compare-and-swap loops), in a unit that the block chooses from
/// its own largest contribution so that no sum can overflow. The arena is then added to the blocks'
/// 64-bit sums. Both units are powers of two, so moving from one to the other is a shift.

#include "layout.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// What one particle brings.
struct Contribution {
    float mass;
    Vec3f momentum; ///< m v
    Mat3f affine;   ///< m C - dt (4/dx^2) V0 tau [kg/s]
};

__device__ Contribution contributionOf(const Particles& particles, std::uint32_t p, bool moves,
                                       float dt)
{
    Contribution c;
    c.mass = particles.at(kMass, p);
    // A particle of a boundary block rests: it resists, but brings no motion.
    const float moving = moves ? c.mass : 0.0f;
    const Sym3f force = particles.symmetric(kForce, p);
    const Vec3f v = particles.vector(kVelocity, p);
    c.momentum = {moving * v.x, moving * v.y, moving * v.z};
    const Mat3f C = particles.matrix(kAffine, p);
    const Mat3f S = force.matrix();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.affine[i][j] = moving * C[i][j] - dt * S[i][j];
    return c;
}

/// Largest component of what a particle can bring to a node, before weighting: |x_i - x| is at most
/// 1.5 cells along each axis.
__device__ float boundOf(const Contribution& c, float dx)
{
    float bound = 0;
    for (int i = 0; i < 3; ++i) {
        const float row = fabsf(c.affine[i][0]) + fabsf(c.affine[i][1]) + fabsf(c.affine[i][2]);
        bound = fmaxf(bound, fabsf(c.momentum[i]) + 1.5f * dx * row);
    }
    return bound;
}

/// e such that `count` contributions of at most 0.43 * bound each, in units of 2^-e and rounded,
/// sum to less than 2^30.
__device__ int arenaExponent(float bound, std::uint32_t count)
{
    const int above = exponentAbove(bound) + exponentAbove(static_cast<float>(count)) - 1;
    const int e = 30 - above;
    return e < -100 ? -100 : e > 100 ? 100 : e;
}

/// From units of 2^-from to units of 2^-to, rounding half up where bits are lost.
__device__ long long changeUnit(int value, int from, int to)
{
    const int shift = to - from;
    const long long wide = value;
    if (shift >= 0)
        return wide * (1ll << shift);
    if (shift < -40)
        return 0;
    return (wide + (1ll << (-shift - 1))) >> -shift;
}

/// One CUDA block per particle block.
__global__ void __launch_bounds__(kThreads)
    scatter(Particles particles, Blocks blocks, Grid grid, StepNumbers step)
{
    FLOE_SHARED(int, arena, 4 * kArenaNodes);
    FLOE_SHARED(int, partial, kThreads / 32);
    FLOE_SHARED(float, bounds, 2);
    const std::uint32_t state = blocks.state[blockIdx.x];
    if (state == kPassive)
        return;
    const bool moves = state == kActive;
    const std::uint32_t first = blocks.first(blockIdx.x), last = blocks.last(blockIdx.x);

    float massBound = 0, momentumBound = 0;
    for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += kThreads) {
        const Contribution c = contributionOf(particles, blocks.order[slot], moves, step.dt);
        massBound = fmaxf(massBound, c.mass);
        momentumBound = fmaxf(momentumBound, boundOf(c, step.dx));
    }
    for (unsigned i = threadIdx.x; i < 4 * kArenaNodes; i += kThreads)
        arena[i] = 0;
    const float mass = blockMax(massBound, partial);
    __syncthreads();
    const float momentum = blockMax(momentumBound, partial);
    if (threadIdx.x == 0) {
        bounds[0] = mass;
        bounds[1] = momentum;
    }
    __syncthreads();
    const int massExponent = arenaExponent(bounds[0], last - first);
    const int momentumExponent = arenaExponent(bounds[1], last - first);
    const float massScale = powerOfTwo(massExponent);
    const float momentumScale = powerOfTwo(momentumExponent);

    for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += kThreads) {
        const std::uint32_t p = blocks.order[slot];
        const Contribution c = contributionOf(particles, p, moves, step.dt);
        const Vec3f x = particles.vector(kPosition, p);
        const auto wx = physics::quadraticSpline(x.x);
        const auto wy = physics::quadraticSpline(x.y);
        const auto wz = physics::quadraticSpline(x.z);
        const int base =
            (static_cast<int>(wx.base) * kArenaWidth + static_cast<int>(wy.base)) * kArenaWidth +
            static_cast<int>(wz.base);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 3; ++k) {
                    const float w = wx.w[i] * wy.w[j] * wz.w[k];
                    const Vec3f d{(static_cast<float>(i) - wx.f) * step.dx,
                                  (static_cast<float>(j) - wy.f) * step.dx,
                                  (static_cast<float>(k) - wz.f) * step.dx};
                    const Vec3f q = c.momentum + c.affine * d;
                    const int node = base + (i * kArenaWidth + j) * kArenaWidth + k;
                    atomicAdd(&arena[node], __float2int_rn(w * c.mass * massScale));
                    atomicAdd(&arena[kArenaNodes + node], __float2int_rn(w * q.x * momentumScale));
                    atomicAdd(&arena[2 * kArenaNodes + node],
                              __float2int_rn(w * q.y * momentumScale));
                    atomicAdd(&arena[3 * kArenaNodes + node],
                              __float2int_rn(w * q.z * momentumScale));
                }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 4 * kArenaNodes; i += kThreads) {
        if (arena[i] == 0)
            continue;
        const unsigned channel = i / kArenaNodes, node = i % kArenaNodes;
        const unsigned x = node / (kArenaWidth * kArenaWidth), y = node / kArenaWidth % kArenaWidth,
                       z = node % kArenaWidth;
        const unsigned corner = (x / 4) * 4 + (y / 4) * 2 + z / 4;
        const std::uint32_t block = blocks.neighbour[8 * blockIdx.x + corner];
        const long long sum = channel == 0
                                  ? changeUnit(arena[i], massExponent, step.massExponent)
                                  : changeUnit(arena[i], momentumExponent, step.momentumExponent);
        atomicAdd(grid.sums(block) + channel * kBlockNodes + ((x & 3u) * 4 + (y & 3u)) * 4 +
                      (z & 3u),
                  static_cast<unsigned long long>(sum));
    }
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
