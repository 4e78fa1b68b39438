#pragma once

/// Batches of particles for the constitutive models of plugins, between a step's kernels.

#include "gather.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// The rows of a batch: what a model reads, what it changes, what it writes (CustomModel).
enum BatchRow : unsigned {
    kBatchGradient = 0, ///< 9
    kBatchStiffness = 9,
    kBatchF = 10,      ///< 9
    kBatchState = 19,  ///< 4
    kBatchStress = 23, ///< 6: xx yy zz xy xz yz [Pa]
    kBatchRows = 29
};

/// Its memory: rows of `pitch` floats, a multiple of kLanes.
struct Batch {
    float* values;
    std::uint32_t pitch;

    __device__ float& at(unsigned row, std::uint32_t i) const
    {
        return values[std::uint64_t(row) * pitch + i];
    }
    __device__ Mat3f matrix(unsigned row, std::uint32_t i) const
    {
        Mat3f m;
        for (unsigned k = 0; k < 9; ++k)
            m.m[k / 3][k % 3] = at(row + k, i);
        return m;
    }
    __device__ void setMatrix(unsigned row, std::uint32_t i, const Mat3f& m) const
    {
        for (unsigned k = 0; k < 9; ++k)
            at(row + k, i) = m.m[k / 3][k % 3];
    }
};

/// The particles that a model is asked for.
enum class Asked : std::uint32_t { moved, atRest, all };

/// Lists the particles of a material, with ids from `firstId` on, in any order. One CUDA block per
/// particle block. @param count  raised by their number
__global__ void __launch_bounds__(kThreads)
    listBatch(Particles particles, Blocks blocks, std::uint32_t material, Asked asked,
              std::uint64_t firstId, std::uint32_t* list, std::uint32_t* count)
{
    const bool moves = blocks.state[blockIdx.x] == kActive;
    if (asked != Asked::all && moves != (asked == Asked::moved))
        return;
    const std::uint32_t* start = blocks.start + blockIdx.x * blocks.materials + material;
    for (std::uint32_t slot = start[0] + threadIdx.x; slot < start[1]; slot += kThreads) {
        const std::uint32_t p = blocks.particle(slot);
        if (particles.id(p) >= firstId && particles.at(kMass, p) > 0)
            list[atomicAdd(count, 1u)] = p;
    }
}

/// Numbers of a law's own, as particles begin.
struct InitialState {
    float values[4];
};

/// Where a particle keeps one of them.
__device__ __forceinline__ unsigned stateChannel(unsigned number)
{
    return number == 0 ? kState : kMoreState + number - 1;
}

/// Writes what a model reads; lanes from `count` to the pitch hold a particle without strain. One
/// thread per lane. @param atRest  whether velocity gradients count as 0
__global__ void __launch_bounds__(kThreads)
    fillBatch(Particles particles, const std::uint32_t* list, std::uint32_t count, Batch batch,
              bool atRest, InitialState initial)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch.pitch)
        return;
    if (i >= count) {
        batch.setMatrix(kBatchGradient, i, Mat3f{});
        batch.at(kBatchStiffness, i) = 1;
        batch.setMatrix(kBatchF, i, Mat3f::identity());
        for (unsigned k = 0; k < 4; ++k)
            batch.at(kBatchState + k, i) = initial.values[k];
        return;
    }
    const std::uint32_t p = list[i];
    batch.setMatrix(kBatchGradient, i, atRest ? Mat3f{} : particles.matrix(kAffine, p));
    batch.at(kBatchStiffness, i) = particles.at(kStiffness, p);
    batch.setMatrix(kBatchF, i, Mat3f::identity() + particles.matrix(kElastic, p));
    for (unsigned k = 0; k < 4; ++k)
        batch.at(kBatchState + k, i) = particles.at(stateChannel(k), p);
}

/// Takes back what a model has changed and written. One thread per particle.
/// @param waveModulus  of its fastest wave [Pa]
template <int kSupport>
__global__ void __launch_bounds__(kThreads)
    takeBatch(Particles particles, const std::uint32_t* list, std::uint32_t count, Batch batch,
              std::uint32_t material, float waveModulus, float dx, Report* report)
{
    FLOE_SHARED(int, partial, kThreads / 32);
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    float wave = 0, force = 0;
    if (i < count) {
        const std::uint32_t p = list[i];
        // Where a model leaves F unchanged, H keeps its precision.
        const Mat3f before = particles.matrix(kElastic, p);
        const Mat3f H = before + (batch.matrix(kBatchF, i) - (Mat3f::identity() + before));
        particles.setMatrix(kElastic, p, H);
        bool finite = isFinite(physics::squaredNorm(H));
        for (unsigned k = 0; k < 4; ++k) {
            const float state = batch.at(kBatchState + k, i);
            particles.at(stateChannel(k), p) = state;
            finite = finite && isFinite(state);
        }
        const float volume = particles.at(kVolume, p),
                    scale = physics::kInverseMoment<kSupport> / (dx * dx) * volume;
        const auto stress = [&](unsigned k) {
            return scale * batch.at(kBatchStress + k, i);
        };
        const Sym3f S{stress(0), stress(3), stress(4), stress(1), stress(5), stress(2)};
        const float entries[6] = {S.xx, S.xy, S.xz, S.yy, S.yz, S.zz};
        for (unsigned k = 0; k < 6; ++k)
            particles.at(kForce + k, p) = entries[k];
        const float specific =
            particles.at(kStiffness, p) * volume / fmaxf(particles.at(kMass, p), 1e-30f);
        wave = rules::signalSpeed(waveModulus, specific, 0.0f, dx);
        force = boundOf<kSupport>({0.0f, {0, 0, 0}, S.matrix(), 0.0f}, dx);
        if (!finite || !isFinite(force) || !isFinite(wave)) {
            atomicMin(&report->notFinite, static_cast<unsigned long long>(particles.id(p)));
            wave = force = 0;
        }
    }
    wave = blockMax(wave, partial);
    __syncthreads();
    force = blockMax(force, partial);
    if (threadIdx.x == 0) {
        reportMax(&report->maxWave, wave, material);
        reportMax(&report->maxForce, force);
    }
}

/// Reports the bounds of boundary blocks, which scatter but do not move. One CUDA block per
/// particle block.
template <int kSupport>
__global__ void __launch_bounds__(kThreads)
    boundBoundary(Particles particles, Blocks blocks, float dx, Report* report)
{
    if (blocks.state[blockIdx.x] == kBoundary)
        reportBounds(boundsAtRest<kSupport>(particles, blocks, blockIdx.x, dx, 0), report);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
