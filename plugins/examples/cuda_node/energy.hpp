#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define EXAMPLE_HD __host__ __device__
#else
#define EXAMPLE_HD
#endif

/// Mechanical energy of a kilogram of material: motion and height above `ground` [J/kg].
/// One function for both devices, so that they cannot disagree.
EXAMPLE_HD inline float specificEnergy(const float* position, const float* velocity, float gravity,
                                       float ground)
{
    const float square =
        velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2];
    return 0.5f * square + gravity * (position[1] - ground);
}

/// Arguments for both devices; arrays are in the device's memory.
struct EnergyBatch {
    uint64_t count;
    const float* position; ///< 3 per particle [m]
    const float* velocity; ///< 3 per particle [m/s]
    float* energy;         ///< 1 per particle [J/kg]
    float gravity;         ///< [m/s^2]
    float ground;          ///< [m]
};

/// Enqueues the kernel on a cudaStream_t. Only in builds with CUDA.
/// @return null, or why the launch failed
const char* launchEnergyKernel(const EnergyBatch& batch, void* stream);
