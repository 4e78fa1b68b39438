#pragma once

/// Particles to grid (P2G): MLS-MPM with the affine velocities of APIC
/// (Hu et al. 2018, "A moving least squares material point method"; Jiang et al. 2015).
///
///     m_i   += w m
///     (mv)_i += w (m v + (m C - dt (4/dx^2) V0 tau) (x_i - x))
///
/// A CUDA block sums its particles in an arena in shared memory: 32-bit integers, which have
/// hardware atomics (those on floats are compare-and-swap loops), in a unit that the block derives
/// from its own largest contribution so that no sum can overflow. The arena is then added to the
/// blocks' 64-bit sums. Both units are powers of two, so converting between them is a shift.

#include "layout.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// Contribution of one particle to the grid.
struct Contribution {
    float mass;
    Vec3f momentum; ///< m v
    Mat3f affine;   ///< m C - dt (4/dx^2) V0 tau [kg/s]
};

/// A node of an arena, by the neighbour of the block that owns it and its number there.
struct ArenaNode {
    unsigned neighbour, node;
};
__device__ __forceinline__ ArenaNode arenaNode(unsigned index)
{
    const unsigned x = index / (kArenaEdge * kArenaEdge) + 3,
                   y = index / kArenaEdge % kArenaEdge + 3, z = index % kArenaEdge + 3;
    return {(x / 4 * 3 + y / 4) * 3 + z / 4, ((x & 3u) * 4 + (y & 3u)) * 4 + (z & 3u)};
}

/// A particle's weights and first node in the arena, clamped to the arena for any position.
struct Stencil {
    physics::SplineWeights<float> x, y, z;
    int base;
};
__device__ __forceinline__ Stencil stencilOf(const Vec3f& position)
{
    const auto node = [](float base) {
        return static_cast<int>(fminf(fmaxf(base, -1.0f), 4.0f)) + 1;
    };
    Stencil s{physics::quadraticSpline(position.x), physics::quadraticSpline(position.y),
              physics::quadraticSpline(position.z), 0};
    s.base = (node(s.x.base) * kArenaEdge + node(s.y.base)) * kArenaEdge + node(s.z.base);
    return s;
}

__device__ Contribution contributionOf(const Particles& particles, std::uint32_t p, bool moves,
                                       float dt)
{
    Contribution c;
    c.mass = particles.at(kMass, p);
    // A particle of a boundary block is at rest: it has mass and stress but no momentum.
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

/// Bounds the components of a particle's contribution to a node, before weighting: |x_i - x| is at
/// most 1.5 cells along each axis.
__device__ float boundOf(const Contribution& c, float dx)
{
    float bound = 0;
    for (int i = 0; i < 3; ++i) {
        const float row = fabsf(c.affine[i][0]) + fabsf(c.affine[i][1]) + fabsf(c.affine[i][2]);
        bound = fmaxf(bound, fabsf(c.momentum[i]) + 1.5f * dx * row);
    }
    return bound;
}

/// Returns e such that `count` contributions of at most 0.43 * bound each, rounded to units of
/// 2^-e, sum to less than 2^30.
__device__ int arenaExponent(float bound, std::uint32_t count)
{
    const int above = exponentAbove(bound) + exponentAbove(static_cast<float>(count)) - 1;
    const int e = 30 - above;
    return e < -100 ? -100 : e > 100 ? 100 : e;
}

/// Converts units of 2^-from to units of 2^-to, rounding half up where bits are lost.
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

/// Scatters a block's particles to the grid. Called by all threads of a CUDA block; reads what they
/// have written before.
/// @param moves     whether the block is active; else its particles are at rest
/// @param mass      upper bound for a particle of this thread [kg]
/// @param momentum  boundOf() its particles, or more
__device__ void scatterBlock(const Particles& particles, const Blocks& blocks, const Grid& grid,
                             const StepNumbers& step, bool moves, float mass, float momentum)
{
    FLOE_SHARED(int, arena, 4 * kArenaNodes);
    FLOE_SHARED(int, partial, kThreads / 32);
    FLOE_SHARED(float, bounds, 2);
    const std::uint32_t first = blocks.first(blockIdx.x), last = blocks.last(blockIdx.x);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 4 * kArenaNodes; i += kThreads)
        arena[i] = 0;
    mass = blockMax(mass, partial);
    __syncthreads();
    momentum = blockMax(momentum, partial);
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
        const Stencil s = stencilOf(particles.vector(kPosition, p));
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 3; ++k) {
                    const float w = s.x.w[i] * s.y.w[j] * s.z.w[k];
                    const Vec3f d{(static_cast<float>(i) - s.x.f) * step.dx,
                                  (static_cast<float>(j) - s.y.f) * step.dx,
                                  (static_cast<float>(k) - s.z.f) * step.dx};
                    const Vec3f q = c.momentum + c.affine * d;
                    const int node = s.base + (i * kArenaEdge + j) * kArenaEdge + k;
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
        const int channel = static_cast<int>(i / kArenaNodes);
        const ArenaNode at = arenaNode(i % kArenaNodes);
        const std::uint32_t block = blocks.neighbour[27 * blockIdx.x + at.neighbour];
        const long long sum = channel == 0
                                  ? changeUnit(arena[i], massExponent, step.massExponent)
                                  : changeUnit(arena[i], momentumExponent, step.momentumExponent);
        const auto sums = grid.sums(block);
        const int node = static_cast<int>(at.node);
        atomicAdd(channel == 0 ? &sums.at<Mass>(node) : &sums.at<Momentum>(node, channel - 1),
                  static_cast<unsigned long long>(sum));
    }
}

/// Scatters alone, where the previous step could not do it. One CUDA block per particle block.
__global__ void __launch_bounds__(kThreads)
    scatter(Particles particles, Blocks blocks, Grid grid, StepNumbers step)
{
    const std::uint32_t state = blocks.state[blockIdx.x];
    if (state == kPassive)
        return;
    const bool moves = state == kActive;
    float mass = 0, momentum = 0;
    for (std::uint32_t slot = blocks.first(blockIdx.x) + threadIdx.x;
         slot < blocks.last(blockIdx.x); slot += kThreads) {
        const Contribution c = contributionOf(particles, blocks.order[slot], moves, step.dt);
        mass = fmaxf(mass, c.mass);
        momentum = fmaxf(momentum, boundOf(c, step.dx));
    }
    scatterBlock(particles, blocks, grid, step, moves, mass, momentum);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
