#pragma once

/// Snapshots written by the device.

#include "layout.cuh"
#include "particles.hpp"

#include <floe/sdk/physics/law.hpp>

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// Sets the bit of each particle's id. One thread per particle.
__global__ void markIds(Particles particles, std::uint32_t count, unsigned* present)
{
    const std::uint32_t p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < count)
        atomicOr(&present[particles.id(p) / 32], 1u << particles.id(p) % 32);
}

__global__ void countBits(const unsigned* words, std::uint32_t count, std::uint32_t* bits)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        bits[i] = static_cast<std::uint32_t>(__popc(words[i]));
}

/// The place of each id among those present.
struct IdOrder {
    const unsigned* present;    ///< markIds()
    const std::uint32_t* start; ///< ids in earlier words

    __device__ std::uint64_t placeOf(std::uint32_t id) const
    {
        const unsigned below = (1u << id % 32) - 1;
        return start[id / 32] + static_cast<std::uint32_t>(__popc(present[id / 32] & below));
    }
};

/// Fills the arrays of `to` that are not null, in device memory, by id: the order in memory differs
/// from run to run. No particle may be deleted. One CUDA block per particle block.
/// @param inverseMoment  of the splines, D^-1 dx^2
/// @param liquids  bit m: material m is a liquid, whose volume ratio is its state
__global__ void __launch_bounds__(kThreads)
    writeSnapshot(Particles particles, Blocks blocks, IdOrder order, double cellSize,
                  float inverseMoment, unsigned long long liquids, Snapshot to)
{
    const std::uint32_t first = blocks.first(blockIdx.x), last = blocks.last(blockIdx.x);
    for (std::uint32_t slot = first + threadIdx.x; slot < last; slot += blockDim.x) {
        const std::uint32_t p = blocks.particle(slot);
        const std::uint64_t i = order.placeOf(particles.id(p));
        for (unsigned axis = 0; axis < 3; ++axis) {
            if (to.x)
                to.x[3 * i + axis] = static_cast<float>(
                    cellSize * blocks.wrap.between(static_cast<int>(axis),
                                                   4.0 * blocks.coordinate[3 * blockIdx.x + axis] +
                                                       particles.at(kPosition + axis, p)));
            if (to.v)
                to.v[3 * i + axis] = particles.at(kVelocity + axis, p);
        }
        const bool liquid = (liquids >> particles.material(p) & 1ull) != 0;
        Mat3f F = Mat3f::identity();
        if (!liquid)
            F = F + particles.matrix(kElastic, p);
        const float J = liquid ? 1 + particles.at(kState, p) : physics::determinant(F);
        if (liquid)
            F = cbrtf(J) * F;
        for (unsigned k = 0; k < 9 && to.F; ++k)
            to.F[9 * i + k] = F.m[k / 3][k % 3];
        for (unsigned k = 0; k < 9 && to.C; ++k)
            to.C[9 * i + k] = particles.at(kAffine + k, p);
        if (to.J)
            to.J[i] = J;
        if (to.stress) {
            // kForce is D^-1 V0 times the Kirchhoff stress, stiffness included
            const double scale = cellSize * cellSize /
                                 (inverseMoment * particles.at(kVolume, p) * fmax(double(J), 1e-6));
            const unsigned entry[6] = {0, 3, 5, 1, 2, 4};
            for (unsigned k = 0; k < 6; ++k)
                to.stress[6 * i + k] =
                    static_cast<float>(scale * particles.at(kForce + entry[k], p));
        }
        if (to.state)
            to.state[i] = liquid ? J : particles.at(kState, p);
        if (to.volume)
            to.volume[i] = particles.at(kVolume, p);
        if (to.mass)
            to.mass[i] = particles.at(kMass, p);
        if (to.material)
            to.material[i] = particles.material(p);
        if (to.id)
            to.id[i] = particles.id(p);
        if (to.activation)
            to.activation[i] = static_cast<std::uint8_t>(blocks.state[blockIdx.x]);
    }
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
