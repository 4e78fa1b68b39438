#pragma once

/// Grid to particles (G2P), advection and the material update; then the next step's scatter in the
/// same kernel, while the block's particles are in the cache (Wang et al. 2020, G2P2G).
///
///     v = sum w v_i,   C = D^-1 sum w v_i (x_i - x)^T,   x += dt v,   F <- (I + dt C) F
///
/// PIC and FLIP move a particle with that v, and leave it a share of what its own differed from the
/// grid's before stress and gravity.

#include "contact.cuh"
#include "near_mass.cuh"
#include "particle_rules.hpp"
#include "scatter.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

__device__ bool isFinite(float value)
{
    return fabsf(value) <= 3.4e38f; // false for NaN
}

/// Velocity of a particle and its gradient.
struct Gathered {
    Vec3f v;
    Mat3f C;
};

/// Interpolates in an arena: axis by axis, since weights are products.
/// @tparam Arena  FLOE_SHARED(float), loadVelocities()
template <int kSupport, class Arena>
__device__ __forceinline__ Gathered gatherFrom(Arena& arena, const Stencil<kSupport>& s, float dx)
{
    const auto momentX = firstMoments(s.x), momentY = firstMoments(s.y),
               momentZ = firstMoments(s.z);
    Vec3f v{0, 0, 0}, alongX{0, 0, 0}, alongY{0, 0, 0}, alongZ{0, 0, 0};
    FLOE_UNROLL
    for (int i = 0; i < kSupport; ++i) {
        Vec3f onX{0, 0, 0}, onXAlongY{0, 0, 0}, onXAlongZ{0, 0, 0};
        FLOE_UNROLL
        for (int j = 0; j < kSupport; ++j) {
            Vec3f onXY{0, 0, 0}, onXYAlongZ{0, 0, 0};
            FLOE_UNROLL
            for (int k = 0; k < kSupport; ++k) {
                const int node = s.base + i * kArenaStepX + j * kArenaEdge + k;
                const Vec3f at{arena[node], arena[kArenaWords + node],
                               arena[2 * kArenaWords + node]};
                onXY = onXY + s.z.w[k] * at;
                onXYAlongZ = onXYAlongZ + momentZ[k] * at;
            }
            onX = onX + s.y.w[j] * onXY;
            onXAlongY = onXAlongY + momentY[j] * onXY;
            onXAlongZ = onXAlongZ + s.y.w[j] * onXYAlongZ;
        }
        v = v + s.x.w[i] * onX;
        alongX = alongX + momentX[i] * onX;
        alongY = alongY + s.x.w[i] * onXAlongY;
        alongZ = alongZ + s.x.w[i] * onXAlongZ;
    }
    const float perCell = physics::kInverseMoment<kSupport> / dx;
    Gathered g{v, {}};
    for (int axis = 0; axis < 3; ++axis) {
        g.C[axis][0] = perCell * alongX[axis];
        g.C[axis][1] = perCell * alongY[axis];
        g.C[axis][2] = perCell * alongZ[axis];
    }
    return g;
}

/// Interpolates velocities alone.
/// @param first  word of the arena at which they begin
template <int kSupport, class Arena>
__device__ __forceinline__ Vec3f meanFrom(Arena& arena, int first, const Stencil<kSupport>& s)
{
    Vec3f v{0, 0, 0};
    FLOE_UNROLL
    for (int i = 0; i < kSupport; ++i)
        FLOE_UNROLL
    for (int j = 0; j < kSupport; ++j) {
        Vec3f onXY{0, 0, 0};
        FLOE_UNROLL
        for (int k = 0; k < kSupport; ++k) {
            const int node = first + s.base + i * kArenaStepX + j * kArenaEdge + k;
            onXY = onXY + s.z.w[k] * Vec3f{arena[node], arena[kArenaWords + node],
                                           arena[2 * kArenaWords + node]};
        }
        v = v + (s.x.w[i] * s.y.w[j]) * onXY;
    }
    return v;
}

/// Loads the velocities that the particles of a block feel; for PIC and FLIP, then those before.
/// All threads of a CUDA block.
template <class Scheme, class Arena>
__device__ __forceinline__ void loadVelocities(Arena& arena, const Blocks& blocks, const Grid& grid)
{
    for (unsigned i = threadIdx.x; i < kArenaNodes; i += kThreads) {
        const ArenaNode at = arenaNode(i);
        const std::uint32_t owner = blocks.neighbour[27 * blockIdx.x + at.neighbour];
        const auto from = grid.velocities(owner);
        for (int axis = 0; axis < 3; ++axis)
            arena[axis * kArenaWords + arenaWord(static_cast<int>(i))] =
                from.template at<Velocity>(static_cast<int>(at.node), axis);
        if constexpr (Scheme::kFlip) {
            const auto before = grid.velocitiesBefore(owner);
            for (int axis = 0; axis < 3; ++axis)
                arena[(3 + axis) * kArenaWords + arenaWord(static_cast<int>(i))] =
                    before.template at<Velocity>(static_cast<int>(at.node), axis);
        }
    }
    __syncthreads();
}

/// Returns a particle's own velocity after the step.
/// @param g  of the grid  @param before  its own before the step; read by PIC and FLIP alone
template <class Scheme, class Arena>
__device__ __forceinline__ Vec3f velocityAfter(Arena& arena, const Stencil<Scheme::kSupport>& s,
                                               const Gathered& g, const Vec3f& before, float flip)
{
    if constexpr (Scheme::kFlip)
        return g.v + flip * (before - meanFrom(arena, 3 * kArenaWords, s));
    else
        return g.v;
}

/// Maxima over the particles that a thread has moved.
struct Motion {
    float speed = 0;     ///< [m/s]
    float component = 0; ///< of a velocity [m/s]
    float gradient = 0;  ///< |C_ii| [1/s]
};

/// Raises the maxima by a particle's motion.
__device__ __forceinline__ void observe(Motion& motion, const Vec3f& v, const Mat3f& C,
                                        std::uint32_t id, Report* report)
{
    const float speed = physics::length(v);
    if (isFinite(speed) && isFinite(physics::squaredNorm(C))) {
        motion.speed = fmaxf(motion.speed, speed);
        motion.component =
            fmaxf(motion.component, fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z))));
        motion.gradient =
            fmaxf(motion.gradient, fmaxf(fabsf(C[0][0]), fmaxf(fabsf(C[1][1]), fabsf(C[2][2]))));
    } else {
        atomicMin(&report->notFinite, static_cast<unsigned long long>(id));
    }
}

/// Moves a particle from `x` with the nodes. @param v  its own velocity
__device__ __forceinline__ void storeMotion(const Particles& particles, std::uint32_t p,
                                            std::uint32_t id, const Vec3f& x, const Gathered& g,
                                            const Vec3f& v, const StepNumbers& step)
{
    particles.setMatrix(kAffine, p, g.C);
    particles.setVector(kVelocity, p, v);
    particles.setVector(kPosition, p,
                        physics::displaced(x, (step.dt / step.dx) * g.v,
                                           static_cast<std::int32_t>(id), step.roundingSeed));
}

/// Reports the motion that the threads of a CUDA block have found.
__device__ void reportMotion(const Motion& motion, const Blocks& blocks, float restSpeed, float dt,
                             Report* report)
{
    FLOE_SHARED(int, partial, kThreads / 32);
    const float speed = blockMax(motion.speed, partial);
    __syncthreads();
    const float component = blockMax(motion.component, partial);
    __syncthreads();
    const float gradient = blockMax(motion.gradient, partial);
    if (threadIdx.x == 0) {
        reportMax(&report->maxComponent, component);
        reportMax(&report->maxGradient, gradient);
        blocks.speed[blockIdx.x] = speed;
        blocks.restTime[blockIdx.x] =
            rules::restTimeAfter(blocks.restTime[blockIdx.x], speed, restSpeed, dt);
    }
    __syncthreads();
}

/// Bounds of the contributions of a thread's particles to the grid (boundOf).
struct Bounds {
    float mass = 0;     ///< [kg]
    float momentum = 0; ///< of their motion [kg m/s]
    float force = 0;    ///< of their stress [N]
    float sum = 0;      ///< of both in the next step [kg m/s]
};

/// What a law reads of a particle.
struct Matter {
    float mass, volume, stiffness, state;
    Mat3f H; ///< elastic F - I, of solids
};
template <class Law>
__device__ __forceinline__ Matter matterOf(const Particles& particles, std::uint32_t p)
{
    Matter matter{particles.at(kMass, p),
                  particles.at(kVolume, p),
                  particles.at(kStiffness, p),
                  particles.at(kState, p),
                  {}};
    if constexpr (!std::is_same_v<Law, physics::Liquid>)
        matter.H = particles.matrix(kElastic, p);
    return matter;
}

/// Updates F or J of a particle: deformation, return map, and stress for the next scatter.
/// @param v     its velocity @param C  its velocity gradient
/// @param wave  raised to its wave speed @param bounds  raised to its bounds
/// @return whether all results are finite
template <int kSupport, class Law>
__device__ __forceinline__ bool
respondParticle(const Particles& particles, std::uint32_t p, const Law& law, const Matter& matter,
                const Vec3f& v, const Mat3f& C, const StepNumbers& step, float nextStep,
                float& fastestWave, Bounds& bounds)
{
    physics::Response<float> response;
    float state = matter.state;
    bool finite;
    if constexpr (std::is_same_v<Law, physics::Liquid>) {
        rules::NearMass<float> near{};
        const bool corrects = law.matterDensity > 0 && step.volumeTime > 0;
        if (corrects || law.surfaceTension > 0)
            near = {particles.at(kNearMass, p), particles.vector(kNearMass + 1, p)};
        if (corrects)
            state = rules::advanceVolume(law, near, matter.mass, matter.volume, state,
                                         physics::trace(C), step.dt, step.volumeTime, step.dx);
        else
            state = physics::advanceLiquidVolume(law, state, physics::trace(C), step.dt);
        particles.at(kState, p) = state;
        response = physics::respond(law, state, C);
        if (law.surfaceTension > 0) {
            const float density = matter.mass / fmaxf(matter.volume, 1e-30f);
            physics::addSurfaceTension(law, rules::surfaceAfter(near, density, C, step.dt, step.dx),
                                       state, response.tau);
            response.waveModulus += rules::rippleModulus(law, step.dx);
        }
        finite = isFinite(state);
    } else {
        Mat3f H = physics::advanceGradient(matter.H, C, step.dt);
        response = physics::respondToGradient(law, H, state, step.dt);
        if (physics::isDamped(law))
            physics::addDamping(law, C, response.tau);
        particles.setMatrix(kElastic, p, H);
        if constexpr (Law::kPlastic)
            particles.at(kState, p) = state;
        finite = isFinite(physics::squaredNorm(H)) && isFinite(state);
    }
    const float mass = matter.mass, stiffness = matter.stiffness, volume = matter.volume;
    const Sym3f S = (physics::kInverseMoment<kSupport> / (step.dx * step.dx) * volume * stiffness) *
                    response.tau;
    const float entries[6] = {S.xx, S.xy, S.xz, S.yy, S.yz, S.zz};
    FLOE_UNROLL
    for (unsigned i = 0; i < 6; ++i)
        particles.at(kForce + i, p) = entries[i];
    const float specific = stiffness * volume / fmaxf(mass, 1e-30f); // rho0 = m / V
    const float wave =
        rules::signalSpeed(response.waveModulus, specific, physics::shearViscosity(law), step.dx);
    const float momentum = boundOf<kSupport>({mass, mass * v, mass * C, 0.0f}, step.dx);
    const float force = boundOf<kSupport>({0.0f, {0, 0, 0}, S.matrix(), 0.0f}, step.dx);
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

/// Calls `act` for each particle of a block, one material after the other to avoid divergence.
/// Called by all threads of a CUDA block; what they have found of waves and speeds is reported by
/// material.
/// @tparam Law  of all materials, or AnyLaw
/// @param act   with (law, particle, fastest wave, fastest particle), the latter two to be raised
template <class Law, class Act>
__device__ __forceinline__ void forEachParticle(const Blocks& blocks, const physics::Material* laws,
                                                Report* report, Act&& act)
{
    FLOE_SHARED(int, partial, kThreads / 32);
    for (std::uint32_t m = 0; m < blocks.materials; ++m) {
        const std::uint32_t* start = blocks.start + blockIdx.x * blocks.materials + m;
        const std::uint32_t first = start[0], last = start[1];
        if (first == last)
            continue;
        float fastestWave = 0, fastest = 0;
        physics::visitLaw(laws[m], [&](const auto& law) {
            if constexpr (kWants<Law, std::remove_cvref_t<decltype(law)>>)
                for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += kThreads)
                    act(law, blocks.particle(slot), fastestWave, fastest);
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
}

/// Updates a block's particles where they are. Called by all threads of a CUDA block; reads what
/// they have written before. Skips particles with ids below `firstId`.
/// @param inactive  treat particles as at rest  @param nextStep  for Bounds::sum [s]
template <int kSupport, class Law>
__device__ Bounds respondBlock(const Particles& particles, const Blocks& blocks,
                               const physics::Material* laws, const StepNumbers& step,
                               float nextStep, std::uint64_t firstId, bool inactive, Report* report)
{
    Bounds bounds;
    __syncthreads();
    forEachParticle<Law>(
        blocks, laws, report,
        [&](const auto& law, std::uint32_t p, float& fastestWave, float& fastest) {
            if (particles.id(p) < firstId || particles.at(kMass, p) == 0)
                return;
            const auto matter = matterOf<std::remove_cvref_t<decltype(law)>>(particles, p);
            const Vec3f v = particles.vector(kVelocity, p);
            const Mat3f C = inactive ? Mat3f{} : particles.matrix(kAffine, p);
            if (respondParticle<kSupport>(particles, p, law, matter, v, C, step, nextStep,
                                          fastestWave, bounds))
                fastest = fmaxf(fastest, physics::length(v));
            else
                atomicMin(&report->notFinite, static_cast<unsigned long long>(particles.id(p)));
        });
    return bounds;
}

/// Moves a block's particles and updates them. All threads of a CUDA block.
/// @tparam kContact  whether colliders may bounce or remove particles: then in three passes, since
/// sampling them takes most of the registers
template <class Scheme, bool kContact, class Law>
__device__ __forceinline__ Bounds moveBlock(const Particles& particles, const Blocks& blocks,
                                            const Grid& grid, const physics::Material* laws,
                                            const StepNumbers& step, float nextStep,
                                            const Environment& environment, float restSpeed,
                                            Report* report)
{
    FLOE_SHARED(float, arena, (Scheme::kFlip ? 6 : 3) * kArenaWords);
    loadVelocities<Scheme>(arena, blocks, grid);
    const auto ownVelocity = [&](std::uint32_t p) { // read before it is needed
        return Scheme::kFlip ? particles.vector(kVelocity, p) : Vec3f{};
    };
    Motion motion;
    if constexpr (kContact) {
        const std::uint32_t end = blocks.last(blockIdx.x);
        for (std::uint32_t slot = blocks.first(blockIdx.x) + threadIdx.x; slot < end;
             slot += kThreads) {
            const std::uint32_t p = blocks.particle(slot);
            if (particles.at(kMass, p) == 0) // deleted
                continue;
            const Vec3f x = particles.vector(kPosition, p), before = ownVelocity(p);
            const auto s = stencilOf<Scheme::kSupport>(x);
            const Gathered g = gatherFrom(arena, s, step.dx);
            const Vec3f v = velocityAfter<Scheme>(arena, s, g, before, step.flip);
            observe(motion, v, g.C, particles.id(p), report);
            storeMotion(particles, p, particles.id(p), x, g, v, step);
        }
        reportMotion(motion, blocks, restSpeed, step.dt, report);
        contactBlock(particles, blocks, step.cellSize, environment, report);
        return respondBlock<Scheme::kSupport, Law>(particles, blocks, laws, step, nextStep, 0,
                                                   false, report);
    } else {
        Bounds bounds;
        forEachParticle<Law>(
            blocks, laws, report,
            [&](const auto& law, std::uint32_t p, float& fastestWave, float& fastest) {
                // All that is read is read at once: nothing then waits for it again.
                const auto matter = matterOf<std::remove_cvref_t<decltype(law)>>(particles, p);
                const Vec3f x = particles.vector(kPosition, p), before = ownVelocity(p);
                const std::uint32_t id = particles.id(p);
                if (matter.mass == 0) // deleted
                    return;
                const auto s = stencilOf<Scheme::kSupport>(x);
                const Gathered g = gatherFrom(arena, s, step.dx);
                const Vec3f v = velocityAfter<Scheme>(arena, s, g, before, step.flip);
                observe(motion, v, g.C, id, report);
                storeMotion(particles, p, id, x, g, v, step);
                if (environment.domain.bounded &&
                    contactParticle<false>(particles, p, cornerOf(blocks, step.cellSize),
                                           step.cellSize, environment, report))
                    return;
                if (respondParticle<Scheme::kSupport>(particles, p, law, matter, v, g.C, step,
                                                      nextStep, fastestWave, bounds))
                    fastest = fmaxf(fastest, physics::length(v));
                else
                    atomicMin(&report->notFinite, static_cast<unsigned long long>(id));
            });
        reportMotion(motion, blocks, restSpeed, step.dt, report);
        return bounds;
    }
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
template <int kSupport>
__device__ Bounds boundsAtRest(const Particles& particles, const Blocks& blocks,
                               std::uint32_t block, float dx, float nextStep)
{
    Bounds bounds;
    for (std::uint32_t slot = blocks.first(block) + threadIdx.x; slot < blocks.last(block);
         slot += kThreads) {
        const std::uint32_t p = blocks.particle(slot);
        const Sym3f S = particles.symmetric(kForce, p);
        bounds.force =
            fmaxf(bounds.force, boundOf<kSupport>({0.0f, {0, 0, 0}, S.matrix(), 0.0f}, dx));
        bounds.mass = fmaxf(bounds.mass, particles.at(kMass, p));
    }
    bounds.sum = nextStep * bounds.force;
    return bounds;
}

/// CUDA blocks of moveParticles() that a multiprocessor must have room for: with 96 registers a
/// thread, an H200 hides most that threads wait for. More materials or contact take more registers.
template <bool kContact, class Law>
inline constexpr int kMoveBlocks = kContact || std::is_same_v<Law, AnyLaw> ? 3 : 5;

/// Runs the second half of a step, and the first of the next. One CUDA block per particle block.
/// @param step  the step that ends
/// @param next  the step that starts; dt 0: none
/// @param part  works on these blocks alone
/// @tparam kContact  whether colliders may bounce or remove particles
/// @tparam Law       of all materials, or AnyLaw
/// @tparam Scheme    of the transfer
template <class Scheme, bool kContact, class Law>
__global__ void __launch_bounds__(kThreads, kMoveBlocks<kContact, Law>)
    moveParticles(Particles particles, Blocks blocks, Grid grid, const physics::Material* laws,
                  StepNumbers step, StepNumbers next, Environment environment, float restSpeed,
                  Part part, Report* report)
{
    if (!blocks.isIn(part, blockIdx.x))
        return;
    const std::uint32_t state = blocks.state[blockIdx.x];
    const bool moves = state == kActive;
    if (!moves && (state == kPassive || next.dt == 0))
        return;
    Bounds bounds;
    if (moves) {
        bounds = moveBlock<Scheme, kContact, Law>(particles, blocks, grid, laws, step, next.dt,
                                                  environment, restSpeed, report);
    } else {
        bounds = boundsAtRest<Scheme::kSupport>(particles, blocks, blockIdx.x, step.dx, next.dt);
    }
    reportBounds(bounds, report);
    if (next.dt > 0)
        scatterBlock<Scheme>(particles, blocks, grid, next, moves, bounds.mass, bounds.sum);
}

/// Computes the present stress, step.dt = 0: of particles with ids from `firstId` on or, with
/// `inactive`, of those in blocks that do not move, as if at rest. One CUDA block per particle
/// block.
template <int kSupport>
__global__ void __launch_bounds__(kThreads)
    findStress(Particles particles, Blocks blocks, const physics::Material* laws, StepNumbers step,
               std::uint64_t firstId, bool inactive, Report* report)
{
    if (inactive && blocks.state[blockIdx.x] == kActive)
        return;
    reportBounds(
        respondBlock<kSupport, AnyLaw>(particles, blocks, laws, step, 0, firstId, inactive, report),
        report);
}

/// Bounds the contributions of particles in inactive blocks. Any number of CUDA blocks.
template <int kSupport>
__global__ void __launch_bounds__(kThreads)
    boundStill(Particles particles, Blocks blocks, float dx, Report* report)
{
    if (report->overflow)
        return; // particles are not yet in these blocks
    Bounds bounds;
    for (std::uint32_t b = blockIdx.x; b < report->particleBlocks; b += gridDim.x) {
        if (blocks.state[b] != kBoundary)
            continue;
        const Bounds more = boundsAtRest<kSupport>(particles, blocks, b, dx, 0);
        bounds.force = fmaxf(bounds.force, more.force);
        bounds.mass = fmaxf(bounds.mass, more.mass);
    }
    reportBounds(bounds, report);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
