#pragma once

/// Particles to grid (P2G): MLS-MPM with the affine velocities of APIC
/// (Hu et al. 2018, "A moving least squares material point method"; Jiang et al. 2015).
///
///     m_i   += w m
///     (mv)_i += w (m v + (m C - dt D^-1 V0 tau) (x_i - x)),   D^-1 = 4/dx^2, cubic 3/dx^2
///
/// PIC and FLIP leave out C, and also sum w m v: what nodes had before stress acted.
///
/// A CUDA block sums its particles in an arena in shared memory: 32-bit integers, which have
/// hardware atomics (those on floats are compare-and-swap loops), in a unit that the block derives
/// from its own largest contribution so that no sum can overflow. The arena is then added to the
/// blocks' 64-bit sums. Both units are powers of two, so converting between them is a shift.

#include "layout.cuh"
#include "scheme.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// Contribution of one particle to the grid.
struct Contribution {
    float mass;
    Vec3f momentum; ///< m v
    Mat3f affine;   ///< m C - dt D^-1 V0 tau [kg/s]; without C in PIC and FLIP
    float dither;   ///< in [-1/2, 1/2), added before rounding
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
template <int kSupport>
struct Stencil {
    physics::SplineWeights<float, kSupport> x, y, z;
    int base;
};
template <int kSupport>
__device__ __forceinline__ Stencil<kSupport> stencilOf(const Vec3f& position)
{
    const auto node = [](float base) {
        return static_cast<int>(fminf(fmaxf(base, -1.0f), kArenaEdge - 1.0f - kSupport)) + 1;
    };
    Stencil<kSupport> s{physics::spline<kSupport>(position.x),
                        physics::spline<kSupport>(position.y),
                        physics::spline<kSupport>(position.z), 0};
    s.base = node(s.x.base) * kArenaStepX + node(s.y.base) * kArenaEdge + node(s.z.base);
    return s;
}

/// The weights of one axis times the distances of its nodes [cells].
template <int kSupport>
struct FirstMoments {
    float m[kSupport];
    __device__ float operator[](int i) const { return m[i]; }
};
template <int kSupport>
__device__ __forceinline__ FirstMoments<kSupport>
firstMoments(const physics::SplineWeights<float, kSupport>& s)
{
    FirstMoments<kSupport> moments;
    moments.m[0] = -s.f * s.w[0];
    FLOE_UNROLL
    for (int i = 1; i < kSupport; ++i)
        moments.m[i] = (static_cast<float>(i) - s.f) * s.w[i];
    return moments;
}

/// A random number in [-1/2, 1/2) from where a particle is. With it, rounding errors of a lattice
/// of particles do not add up, and vanish on average.
__device__ __forceinline__ float ditherOf(const Vec3f& x, std::uint32_t id)
{
    const std::int32_t bits = physics::roundingBits(
        __float_as_int(x.x) ^ static_cast<std::int32_t>(id),
        __float_as_int(x.y) ^
            physics::wrappingProduct(__float_as_int(x.z), std::int32_t(0x27D4EB2F)));
    return static_cast<float>(bits >> 8) * 5.9604645e-8f;
}

template <class Scheme>
__device__ __forceinline__ Contribution contributionOf(const Particles& particles, std::uint32_t p,
                                                       bool moves, float dt)
{
    Contribution c;
    c.mass = particles.at(kMass, p);
    // A particle of a boundary block is at rest: it has mass and stress but no momentum.
    const float moving = moves ? c.mass : 0.0f;
    const Sym3f force = particles.symmetric(kForce, p);
    const Vec3f v = particles.vector(kVelocity, p);
    c.momentum = {moving * v.x, moving * v.y, moving * v.z};
    Mat3f C{};
    if constexpr (!Scheme::kFlip)
        C = particles.matrix(kAffine, p);
    const Mat3f S = force.matrix();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.affine[i][j] = moving * C[i][j] - dt * S[i][j];
    return c;
}

/// Bounds the components of a particle's contribution to a node, before weighting: |x_i - x| is at
/// most 1.5 cells along each axis, 2 of cubic splines.
template <int kSupport>
__device__ float boundOf(const Contribution& c, float dx)
{
    float bound = 0;
    for (int i = 0; i < 3; ++i) {
        const float row = fabsf(c.affine[i][0]) + fabsf(c.affine[i][1]) + fabsf(c.affine[i][2]);
        bound = fmaxf(bound, fabsf(c.momentum[i]) + 0.5f * kSupport * dx * row);
    }
    return bound;
}

/// Returns e such that `count` contributions of at most 0.43 * bound each, rounded to units of
/// 2^-e, sum to less than 2^30, and each is below 2^22.
__device__ int arenaExponent(float bound, std::uint32_t count)
{
    const float terms = fmaxf(static_cast<float>(count), 256.0f);
    const int above = exponentAbove(bound) + exponentAbove(terms) - 1;
    const int e = 30 - above;
    return e < -100 ? -100 : e > 100 ? 100 : e;
}

/// Converts to units 2^shift times as small, rounding half up where bits are lost.
__device__ __forceinline__ unsigned long long changeUnit(int value, int shift)
{
    const long long wide = value;
    const long long changed = shift >= 0    ? wide << shift
                              : shift < -40 ? 0
                                            : (wide + (1ll << (-shift - 1))) >> -shift;
    return static_cast<unsigned long long>(changed);
}

/// Rounds a number below 2^22 to a whole one, half to even: two instructions of full rate, where
/// conversions have a quarter of it.
__device__ __forceinline__ int rounded(float value)
{
    return __float_as_int(value + 12582912.0f) - 0x4B400000;
}

/// Adds a particle to an arena: axis by axis, since weights are products.
/// @param c  in units of the arena, `affine` a cell
/// @tparam Arena  FLOE_SHARED(int): mass, momentum and, in PIC and FLIP, that before stress
template <class Scheme, class Arena>
__device__ __forceinline__ void addToArena(Arena& arena, const Contribution& c,
                                           const Stencil<Scheme::kSupport>& s)
{
    constexpr int kSupport = Scheme::kSupport;
    const auto momentZ = firstMoments(s.z);
    const Vec3f dither{c.dither, c.dither, c.dither};
    const Vec3f alongX{c.affine[0][0], c.affine[1][0], c.affine[2][0]},
        alongY{c.affine[0][1], c.affine[1][1], c.affine[2][1]},
        alongZ{c.affine[0][2], c.affine[1][2], c.affine[2][2]};
    FLOE_UNROLL
    for (int i = 0; i < kSupport; ++i) {
        const Vec3f onX = c.momentum + (static_cast<float>(i) - s.x.f) * alongX;
        FLOE_UNROLL
        for (int j = 0; j < kSupport; ++j) {
            const float w = s.x.w[i] * s.y.w[j];
            const Vec3f onXY = w * (onX + (static_cast<float>(j) - s.y.f) * alongY);
            const Vec3f slope = w * alongZ;
            const float mass = w * c.mass;
            const Vec3f before = w * c.momentum;
            FLOE_UNROLL
            for (int k = 0; k < kSupport; ++k) {
                const int node = s.base + i * kArenaStepX + j * kArenaEdge + k;
                const Vec3f q = s.z.w[k] * onXY + (momentZ[k] * slope + dither);
                atomicAdd(&arena[node], rounded(s.z.w[k] * mass + c.dither));
                atomicAdd(&arena[kArenaWords + node], rounded(q.x));
                atomicAdd(&arena[2 * kArenaWords + node], rounded(q.y));
                atomicAdd(&arena[3 * kArenaWords + node], rounded(q.z));
                if constexpr (Scheme::kFlip)
                    for (int axis = 0; axis < 3; ++axis)
                        atomicAdd(&arena[(4 + axis) * kArenaWords + node],
                                  rounded(s.z.w[k] * before[axis] + c.dither));
            }
        }
    }
}

/// Units of an arena: it counts 2^-massExponent kg and 2^-momentumExponent kg m/s.
struct ArenaUnits {
    int massExponent, momentumExponent;
};

/// Sums a block's particles in an arena. Called by all threads of a CUDA block; reads what they
/// have written before.
/// @param mass       upper bound for a particle of this thread [kg]
/// @param momentum   boundOf() its particles, or more
/// @param partial    FLOE_SHARED, a word per warp  @param bounds  FLOE_SHARED, 2
/// @param contribution  of a particle, by its number
template <class Scheme, class Arena, class Partial, class Shared, class ContributionOfParticle>
__device__ __forceinline__ ArenaUnits sumInArena(Arena& arena, Partial& partial, Shared& bounds,
                                                 const Particles& particles, const Blocks& blocks,
                                                 float dx, float mass, float momentum,
                                                 ContributionOfParticle&& contribution)
{
    constexpr unsigned kNumbers = Scheme::kFlip ? 7 : 4;
    const std::uint32_t first = blocks.first(blockIdx.x), last = blocks.last(blockIdx.x);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < kNumbers * kArenaWords; i += kThreads)
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
        const std::uint32_t p = blocks.particle(slot);
        Contribution c = contribution(p);
        c.mass *= massScale;
        c.momentum = momentumScale * c.momentum;
        c.affine = (momentumScale * dx) * c.affine;
        const Vec3f x = particles.vector(kPosition, p);
        c.dither = ditherOf(x, particles.id(p));
        addToArena<Scheme>(arena, c, stencilOf<Scheme::kSupport>(x));
    }
    __syncthreads();
    return {massExponent, momentumExponent};
}

/// Scatters a block's particles to the grid. Called by all threads of a CUDA block; reads what they
/// have written before.
/// @param moves     whether the block is active; else its particles are at rest
/// @param mass      upper bound for a particle of this thread [kg]
/// @param momentum  boundOf() its particles, or more
template <class Scheme>
__device__ void scatterBlock(const Particles& particles, const Blocks& blocks, const Grid& grid,
                             const StepNumbers& step, bool moves, float mass, float momentum)
{
    constexpr unsigned kNumbers = Scheme::kFlip ? 7 : 4;
    FLOE_SHARED(int, arena, kNumbers* kArenaWords);
    FLOE_SHARED(int, partial, kThreads / 32);
    FLOE_SHARED(float, bounds, 2);
    const ArenaUnits units = sumInArena<Scheme>(
        arena, partial, bounds, particles, blocks, step.dx, mass, momentum,
        [&](std::uint32_t p) { return contributionOf<Scheme>(particles, p, moves, step.dt); });
    const int massShift = step.massExponent - units.massExponent,
              momentumShift = step.momentumExponent - units.momentumExponent;
    for (unsigned i = threadIdx.x; i < kArenaNodes; i += kThreads) {
        const int word = arenaWord(static_cast<int>(i));
        const int weight = arena[word];
        if (weight == 0)
            continue;
        const ArenaNode at = arenaNode(i);
        const auto sums = grid.sums(blocks.neighbour[27 * blockIdx.x + at.neighbour]);
        const int node = static_cast<int>(at.node);
        atomicAdd(&sums.template at<Mass>(node), changeUnit(weight, massShift));
        FLOE_UNROLL
        for (int axis = 0; axis < 3; ++axis)
            if (const int value = arena[(1 + axis) * kArenaWords + word])
                atomicAdd(&sums.template at<Momentum>(node, axis),
                          changeUnit(value, momentumShift));
        if constexpr (Scheme::kFlip) {
            const auto before = grid.before(blocks.neighbour[27 * blockIdx.x + at.neighbour]);
            for (int axis = 0; axis < 3; ++axis)
                if (const int value = arena[(4 + axis) * kArenaWords + word])
                    atomicAdd(&before.template at<Momentum>(node, axis),
                              changeUnit(value, momentumShift));
        }
    }
}

/// Scatters alone, where the previous step could not do it. One CUDA block per particle block.
/// @param part  works on these blocks alone
template <class Scheme>
__global__ void __launch_bounds__(kThreads)
    scatter(Particles particles, Blocks blocks, Grid grid, StepNumbers step, Part part)
{
    if (!blocks.isIn(part, blockIdx.x))
        return;
    const std::uint32_t state = blocks.state[blockIdx.x];
    if (state == kPassive)
        return;
    const bool moves = state == kActive;
    float mass = 0, momentum = 0;
    for (std::uint32_t slot = blocks.first(blockIdx.x) + threadIdx.x;
         slot < blocks.last(blockIdx.x); slot += kThreads) {
        const Contribution c =
            contributionOf<Scheme>(particles, blocks.particle(slot), moves, step.dt);
        mass = fmaxf(mass, c.mass);
        momentum = fmaxf(momentum, boundOf<Scheme::kSupport>(c, step.dx));
    }
    scatterBlock<Scheme>(particles, blocks, grid, step, moves, mass, momentum);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
