#pragma once

/// Grid to particles (G2P), advection and the material update; then the next step's scatter in the
/// same kernel, while the block's particles are in the cache (Wang et al. 2020, G2P2G).
///
///     v = sum w v_i,   C = 4/dx^2 sum w v_i (x_i - x)^T,   x += dt v,   F <- (I + dt C) F

#include "contact.cuh"
#include "particle_rules.hpp"
#include "scatter.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

__device__ bool isFinite(float value)
{
    return fabsf(value) <= 3.4e38f; // false for NaN
}

/// Moves the particles of a block with its nodes. All threads of a CUDA block.
__device__ void gatherBlock(const Particles& particles, const Blocks& blocks, const Grid& grid,
                            const StepNumbers& step, float restSpeed, Report* report)
{
    FLOE_SHARED(float, arena, 3 * kArenaNodes);
    FLOE_SHARED(int, partial, kThreads / 32);
    for (unsigned i = threadIdx.x; i < kArenaNodes; i += kThreads) {
        const ArenaNode at = arenaNode(i);
        const auto from = grid.velocities(blocks.neighbour[27 * blockIdx.x + at.neighbour]);
        for (int axis = 0; axis < 3; ++axis)
            arena[axis * kArenaNodes + static_cast<int>(i)] =
                from.at<Velocity>(static_cast<int>(at.node), axis);
    }
    __syncthreads();

    const std::uint32_t first = blocks.first(blockIdx.x), last = blocks.last(blockIdx.x);
    const float perCell = step.dt / step.dx;
    float speed = 0, component = 0, gradient = 0;
    for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += kThreads) {
        const std::uint32_t p = blocks.order[slot];
        if (particles.at(kMass, p) == 0) // deleted
            continue;
        const Vec3f x = particles.vector(kPosition, p);
        const Stencil s = stencilOf(x);
        Vec3f v{0, 0, 0};
        Mat3f B{};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 3; ++k) {
                    const int node = s.base + (i * kArenaEdge + j) * kArenaEdge + k;
                    const float w = s.x.w[i] * s.y.w[j] * s.z.w[k];
                    const float d[3] = {static_cast<float>(i) - s.x.f,
                                        static_cast<float>(j) - s.y.f,
                                        static_cast<float>(k) - s.z.f};
                    for (int a = 0; a < 3; ++a) {
                        const float wv = w * arena[a * kArenaNodes + node];
                        v[a] += wv;
                        for (int b = 0; b < 3; ++b)
                            B[a][b] += wv * d[b];
                    }
                }
        const Mat3f C = (4.0f / step.dx) * B;
        particles.setMatrix(kAffine, p, C);
        particles.setVector(kVelocity, p, v);
        particles.setVector(kPosition, p,
                            physics::displaced(x, perCell * v,
                                               static_cast<std::int32_t>(particles.id(p)),
                                               step.roundingSeed));
        const float ownSpeed = physics::length(v);
        const float ownGradient = fmaxf(fabsf(C[0][0]), fmaxf(fabsf(C[1][1]), fabsf(C[2][2])));
        if (isFinite(ownSpeed) && isFinite(physics::squaredNorm(C))) {
            speed = fmaxf(speed, ownSpeed);
            component = fmaxf(component, fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z))));
            gradient = fmaxf(gradient, ownGradient);
        } else {
            atomicMin(&report->notFinite, static_cast<unsigned long long>(particles.id(p)));
        }
    }
    speed = blockMax(speed, partial);
    __syncthreads();
    component = blockMax(component, partial);
    __syncthreads();
    gradient = blockMax(gradient, partial);
    if (threadIdx.x == 0) {
        reportMax(&report->maxComponent, component);
        reportMax(&report->maxGradient, gradient);
        blocks.speed[blockIdx.x] = speed;
        blocks.restTime[blockIdx.x] =
            rules::restTimeAfter(blocks.restTime[blockIdx.x], speed, restSpeed, step.dt);
    }
}

/// Bounds of the contributions of a thread's particles to the grid (boundOf).
struct Bounds {
    float mass = 0;     ///< [kg]
    float momentum = 0; ///< of their motion [kg m/s]
    float force = 0;    ///< of their stress [N]
    float sum = 0;      ///< of both in the next step [kg m/s]
};

/// Updates F or J of a particle: deformation, return map, and stress for the next scatter.
/// @param C     its velocity gradient
/// @param wave  raised to its wave speed @param bounds  raised to its bounds
/// @return whether all results are finite
template <class Law>
__device__ bool respondParticle(const Particles& particles, std::uint32_t p, const Law& law,
                                const Mat3f& C, const StepNumbers& step, float nextStep,
                                float& fastestWave, Bounds& bounds)
{
    const float mass = particles.at(kMass, p);
    physics::Response<float> response;
    bool finite;
    if constexpr (std::is_same_v<Law, physics::Liquid>) {
        float change = particles.at(kState, p);
        change = physics::advanceLiquidVolume(law, change, physics::trace(C), step.dt);
        particles.at(kState, p) = change;
        response = physics::respond(law, change, C);
        finite = isFinite(change);
    } else {
        Mat3f H = physics::advanceGradient(particles.matrix(kElastic, p), C, step.dt);
        float state = particles.at(kState, p);
        response = physics::respondToGradient(law, H, state, step.dt);
        if (physics::isDamped(law))
            physics::addDamping(law, C, response.tau);
        particles.setMatrix(kElastic, p, H);
        if constexpr (Law::kPlastic)
            particles.at(kState, p) = state;
        finite = isFinite(physics::squaredNorm(H)) && isFinite(state);
    }
    const float stiffness = particles.at(kStiffness, p);
    const float volume = particles.at(kVolume, p);
    const Sym3f S = (4.0f / (step.dx * step.dx) * volume * stiffness) * response.tau;
    particles.at(kForce, p) = S.xx;
    particles.at(kForce + 1, p) = S.xy;
    particles.at(kForce + 2, p) = S.xz;
    particles.at(kForce + 3, p) = S.yy;
    particles.at(kForce + 4, p) = S.yz;
    particles.at(kForce + 5, p) = S.zz;
    const float specific = stiffness * volume / fmaxf(mass, 1e-30f); // rho0 = m / V
    const float wave =
        rules::signalSpeed(response.waveModulus, specific, physics::shearViscosity(law), step.dx);
    const float momentum = boundOf(contributionOf(particles, p, true, 0.0f), step.dx);
    const float force = boundOf({0.0f, {0, 0, 0}, S.matrix()}, step.dx);
    if (!finite || !isFinite(wave) || !isFinite(momentum) || !isFinite(force))
        return false;
    fastestWave = fmaxf(fastestWave, wave);
    bounds.mass = fmaxf(bounds.mass, mass);
    bounds.momentum = fmaxf(bounds.momentum, momentum);
    bounds.force = fmaxf(bounds.force, force);
    bounds.sum = fmaxf(bounds.sum, momentum + nextStep * force);
    return true;
}

/// Stands for any law. Kernels for a single law need fewer registers.
struct AnyLaw {};
template <class Wanted, class Law>
inline constexpr bool kWants = std::is_same_v<Wanted, AnyLaw> || std::is_same_v<Wanted, Law>;

/// Updates a block's particles, one material after the other to avoid divergence. Called by all
/// threads of a CUDA block; reads what they have written before. Skips particles with ids below
/// `firstId`.
/// @param inactive  treat particles as at rest  @param nextStep  for Bounds::sum [s]
/// @tparam Law   of all materials, or AnyLaw
template <class Law>
__device__ Bounds respondBlock(const Particles& particles, const Blocks& blocks,
                               const physics::Material* laws, const StepNumbers& step,
                               float nextStep, std::uint64_t firstId, bool inactive, Report* report)
{
    FLOE_SHARED(int, partial, kThreads / 32);
    Bounds bounds;
    __syncthreads();
    for (std::uint32_t m = 0; m < blocks.materials; ++m) {
        const std::uint32_t* start = blocks.start + blockIdx.x * blocks.materials + m;
        if (start[0] == start[1])
            continue;
        float fastestWave = 0, fastest = 0;
        physics::visitLaw(laws[m], [&](const auto& law) {
            if constexpr (kWants<Law, std::remove_cvref_t<decltype(law)>>) {
                for (std::uint32_t slot = start[0] + threadIdx.x; slot < start[1];
                     slot += kThreads) {
                    const std::uint32_t p = blocks.order[slot];
                    if (particles.id(p) < firstId || particles.at(kMass, p) == 0)
                        continue;
                    const Mat3f C = inactive ? Mat3f{} : particles.matrix(kAffine, p);
                    if (respondParticle(particles, p, law, C, step, nextStep, fastestWave, bounds))
                        fastest = fmaxf(fastest, physics::length(particles.vector(kVelocity, p)));
                    else
                        atomicMin(&report->notFinite,
                                  static_cast<unsigned long long>(particles.id(p)));
                }
            }
        });
        fastestWave = blockMax(fastestWave, partial);
        __syncthreads();
        fastest = blockMax(fastest, partial);
        __syncthreads();
        if (threadIdx.x == 0) {
            reportMax(&report->maxWave, fastestWave, m);
            reportMax(&report->maxSpeed, fastest, m);
        }
    }
    return bounds;
}

/// Reports the bounds that the threads of a CUDA block have found.
__device__ void reportBounds(const Bounds& bounds, Report* report)
{
    FLOE_SHARED(int, partial, kThreads / 32);
    const float momentum = blockMax(bounds.momentum, partial);
    __syncthreads();
    const float force = blockMax(bounds.force, partial);
    __syncthreads();
    const float mass = blockMax(bounds.mass, partial);
    __syncthreads();
    if (threadIdx.x == 0) {
        reportMax(&report->maxMomentum, momentum);
        reportMax(&report->maxForce, force);
        reportMax(&report->maxMass, mass);
    }
}

/// Returns the bounds of particles that do not move in this step, for boundary blocks.
__device__ Bounds boundsAtRest(const Particles& particles, const Blocks& blocks,
                               std::uint32_t block, float dx, float nextStep)
{
    Bounds bounds;
    for (std::uint32_t slot = blocks.first(block) + threadIdx.x; slot < blocks.last(block);
         slot += kThreads) {
        const std::uint32_t p = blocks.order[slot];
        const Sym3f S = particles.symmetric(kForce, p);
        bounds.force = fmaxf(bounds.force, boundOf({0.0f, {0, 0, 0}, S.matrix()}, dx));
        bounds.mass = fmaxf(bounds.mass, particles.at(kMass, p));
    }
    bounds.sum = nextStep * bounds.force;
    return bounds;
}

/// Runs the second half of a step, and the first of the next. One CUDA block per particle block.
/// @param step  the step that ends
/// @param next  the step that starts; dt 0: none
/// @tparam kContact  whether colliders may bounce or remove particles
/// @tparam Law       of all materials, or AnyLaw
template <bool kContact, class Law>
__global__ void __launch_bounds__(kThreads)
    moveParticles(Particles particles, Blocks blocks, Grid grid, const physics::Material* laws,
                  StepNumbers step, StepNumbers next, Environment environment, float restSpeed,
                  Report* report)
{
    const std::uint32_t state = blocks.state[blockIdx.x];
    const bool moves = state == kActive;
    if (!moves && (state == kPassive || next.dt == 0))
        return;
    Bounds bounds;
    if (moves) {
        gatherBlock(particles, blocks, grid, step, restSpeed, report);
        if (kContact || environment.domain.bounded)
            contactBlock<kContact>(particles, blocks, step.cellSize, environment, report);
        bounds = respondBlock<Law>(particles, blocks, laws, step, next.dt, 0, false, report);
    } else {
        bounds = boundsAtRest(particles, blocks, blockIdx.x, step.dx, next.dt);
    }
    reportBounds(bounds, report);
    if (next.dt > 0)
        scatterBlock(particles, blocks, grid, next, moves, bounds.mass, bounds.sum);
}

/// Computes the present stress, step.dt = 0: of particles with ids from `firstId` on or, with
/// `inactive`, of those in blocks that do not move, as if at rest. One CUDA block per particle
/// block.
__global__ void __launch_bounds__(kThreads)
    findStress(Particles particles, Blocks blocks, const physics::Material* laws, StepNumbers step,
               std::uint64_t firstId, bool inactive, Report* report)
{
    if (inactive && blocks.state[blockIdx.x] == kActive)
        return;
    reportBounds(respondBlock<AnyLaw>(particles, blocks, laws, step, 0, firstId, inactive, report),
                 report);
}

/// Bounds the contributions of particles in inactive blocks. Any number of CUDA blocks.
__global__ void __launch_bounds__(kThreads)
    boundStill(Particles particles, Blocks blocks, float dx, Report* report)
{
    if (report->overflow)
        return; // particles are not yet in these blocks
    Bounds bounds;
    for (std::uint32_t b = blockIdx.x; b < report->particleBlocks; b += gridDim.x) {
        if (blocks.state[b] != kBoundary)
            continue;
        const Bounds more = boundsAtRest(particles, blocks, b, dx, 0);
        bounds.force = fmaxf(bounds.force, more.force);
        bounds.mass = fmaxf(bounds.mass, more.mass);
    }
    reportBounds(bounds, report);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
