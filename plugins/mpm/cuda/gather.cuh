#pragma once

/// Grid to particles (G2P), advection, and the materials' answer.
///
///     v = sum w v_i,   C = 4/dx^2 sum w v_i (x_i - x)^T,   x += dt v,   F <- (I + dt C) F

#include "scatter.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

__device__ bool isFinite(float value)
{
    return fabsf(value) <= 3.4e38f; // false for NaN
}

/// One CUDA block per particle block; only active ones move.
__global__ void __launch_bounds__(kThreads)
    gather(Particles particles, Blocks blocks, Grid grid, StepNumbers step, float restSpeed,
           Report* report)
{
    FLOE_SHARED(float, arena, 3 * kArenaNodes);
    FLOE_SHARED(int, partial, kThreads / 32);
    if (blocks.state[blockIdx.x] != kActive)
        return;
    for (unsigned i = threadIdx.x; i < 3 * kArenaNodes; i += kThreads) {
        const unsigned channel = i / kArenaNodes, node = i % kArenaNodes;
        const unsigned x = node / (kArenaWidth * kArenaWidth), y = node / kArenaWidth % kArenaWidth,
                       z = node % kArenaWidth;
        const unsigned corner = (x / 4) * 4 + (y / 4) * 2 + z / 4;
        arena[i] = grid.velocities(
            blocks.neighbour[8 * blockIdx.x + corner])[channel * kBlockNodes +
                                                       ((x & 3u) * 4 + (y & 3u)) * 4 + (z & 3u)];
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
        const auto wx = physics::quadraticSpline(x.x);
        const auto wy = physics::quadraticSpline(x.y);
        const auto wz = physics::quadraticSpline(x.z);
        const int base =
            (static_cast<int>(wx.base) * kArenaWidth + static_cast<int>(wy.base)) * kArenaWidth +
            static_cast<int>(wz.base);
        Vec3f v{0, 0, 0};
        Mat3f B{};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 3; ++k) {
                    const int node = base + (i * kArenaWidth + j) * kArenaWidth + k;
                    const float w = wx.w[i] * wy.w[j] * wz.w[k];
                    const float d[3] = {static_cast<float>(i) - wx.f, static_cast<float>(j) - wy.f,
                                        static_cast<float>(k) - wz.f};
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
        const Vec3f d = perCell * v;
        const bool isShort = fmaxf(fabsf(d.x), fmaxf(fabsf(d.y), fabsf(d.z))) < physics::kShortStep;
        const auto id = static_cast<std::int32_t>(static_cast<std::uint32_t>(particles.id[p]));
        particles.setVector(kPosition, p,
                            isShort ? physics::addByChance(x, d, physics::chanceOf(id, step.chance))
                                    : x + d);
        const float ownSpeed = physics::length(v);
        const float ownGradient = fmaxf(fabsf(C[0][0]), fmaxf(fabsf(C[1][1]), fabsf(C[2][2])));
        if (isFinite(ownSpeed) && isFinite(physics::squaredNorm(C))) {
            speed = fmaxf(speed, ownSpeed);
            component = fmaxf(component, fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z))));
            gradient = fmaxf(gradient, ownGradient);
        } else {
            atomicMin(&report->notFinite, static_cast<unsigned long long>(particles.id[p]));
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
            speed < restSpeed ? blocks.restTime[blockIdx.x] + step.dt : 0.0f;
    }
}

/// F or J after a step, return map, and the stress that the next scatter uses. A CUDA block does
/// the particles of one material in one particle block, so that lanes do the same.
///
/// With dt = 0 it only finds the stress of particles as they are: of those with ids from `firstId`
/// on, or, with `still`, of those in blocks that do not move, as if they were at rest.
template <class Law>
__global__ void __launch_bounds__(kThreads)
    updateMaterial(Particles particles, Blocks blocks, Law law, std::uint32_t material,
                   StepNumbers step, std::uint64_t firstId, bool still, Report* report)
{
    FLOE_SHARED(int, partial, kThreads / 32);
    const bool moves = blocks.state[blockIdx.x] == kActive;
    if (still ? moves : (!moves && step.dt > 0))
        return;
    const std::uint32_t* start = blocks.start + blockIdx.x * blocks.materials + material;
    float fastestWave = 0, fastest = 0, mostMomentum = 0, mostForce = 0, mostMass = 0;
    for (std::uint32_t slot = start[0] + threadIdx.x; slot < start[1]; slot += kThreads) {
        const std::uint32_t p = blocks.order[slot];
        const float mass = particles.at(kMass, p);
        if (particles.id[p] < firstId || mass == 0)
            continue;
        const Mat3f C = still ? Mat3f{} : particles.matrix(kAffine, p);
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
        const float scale = 4.0f / (step.dx * step.dx) * particles.at(kVolume, p) * stiffness;
        const Sym3f S = scale * response.tau;
        particles.at(kForce, p) = S.xx;
        particles.at(kForce + 1, p) = S.xy;
        particles.at(kForce + 2, p) = S.xz;
        particles.at(kForce + 3, p) = S.yy;
        particles.at(kForce + 4, p) = S.yz;
        particles.at(kForce + 5, p) = S.zz;
        // rho0 = m / V. Waves, and where there is viscosity the speed at which shear spreads over
        // a cell.
        const float specific = stiffness * particles.at(kVolume, p) / fmaxf(mass, 1e-30f);
        float wave = sqrtf(fmaxf(response.waveModulus * specific, 0.0f));
        wave += 4.0f * physics::shearViscosity(law) / step.dx * specific;
        const float momentum = boundOf(contributionOf(particles, p, true, 0.0f), step.dx);
        const float force = boundOf({0.0f, {0, 0, 0}, S.matrix()}, step.dx);
        if (finite && isFinite(wave) && isFinite(momentum) && isFinite(force)) {
            fastestWave = fmaxf(fastestWave, wave);
            fastest = fmaxf(fastest, physics::length(particles.vector(kVelocity, p)));
            mostMomentum = fmaxf(mostMomentum, momentum);
            mostForce = fmaxf(mostForce, force);
            mostMass = fmaxf(mostMass, mass);
        } else {
            atomicMin(&report->notFinite, static_cast<unsigned long long>(particles.id[p]));
        }
    }
    fastestWave = blockMax(fastestWave, partial);
    __syncthreads();
    fastest = blockMax(fastest, partial);
    __syncthreads();
    mostMomentum = blockMax(mostMomentum, partial);
    __syncthreads();
    mostForce = blockMax(mostForce, partial);
    __syncthreads();
    mostMass = blockMax(mostMass, partial);
    if (threadIdx.x == 0 && start[0] < start[1]) {
        reportMax(&report->maxWave, fastestWave, material);
        reportMax(&report->maxSpeed, fastest, material);
        reportMax(&report->maxMomentum, mostMomentum);
        reportMax(&report->maxForce, mostForce);
        reportMax(&report->maxMass, mostMass);
    }
}

/// Bounds of what particles of blocks that do not move still scatter. Any number of CUDA blocks.
__global__ void __launch_bounds__(kThreads)
    boundStill(Particles particles, Blocks blocks, float dx, Report* report)
{
    FLOE_SHARED(int, partial, kThreads / 32);
    if (report->overflow)
        return; // particles are not in these blocks yet
    float most = 0, mass = 0;
    for (std::uint32_t b = blockIdx.x; b < report->particleBlocks; b += gridDim.x) {
        if (blocks.state[b] != kBoundary)
            continue;
        const std::uint32_t first = blocks.first(b), last = blocks.last(b);
        for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += kThreads) {
            const std::uint32_t p = blocks.order[slot];
            const Sym3f S = particles.symmetric(kForce, p);
            most = fmaxf(most, boundOf({0.0f, {0, 0, 0}, S.matrix()}, dx));
            mass = fmaxf(mass, particles.at(kMass, p));
        }
    }
    most = blockMax(most, partial);
    __syncthreads();
    mass = blockMax(mass, partial);
    if (threadIdx.x == 0) {
        reportMax(&report->maxForce, most);
        reportMax(&report->maxMass, mass);
    }
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
