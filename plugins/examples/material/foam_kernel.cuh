#pragma once

// One source for nvcc and for a C++ compiler, where the SDK's emulator runs it in tests.
#include "kelvin_voigt.hpp"

#include <floe/sdk/cuda.hpp>
#include <floe/sdk/records.h>

inline namespace FLOE_KERNEL_SPACE {

/// A thread a particle.
__global__ void foamStresses(KelvinVoigt law, floe_material_batch batch)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch.count)
        return;
    floe::physics::Mat3<float> F, gradient;
    for (int k = 0; k < 9; ++k) {
        F[k / 3][k % 3] = batch.F[k][i];
        gradient[k / 3][k % 3] = batch.gradient[k][i];
    }
    const auto tau = law.stress(F, gradient, batch.stiffness[i]);
    batch.stress[0][i] = tau.xx;
    batch.stress[1][i] = tau.yy;
    batch.stress[2][i] = tau.zz;
    batch.stress[3][i] = tau.xy;
    batch.stress[4][i] = tau.xz;
    batch.stress[5][i] = tau.yz;
}

/// Enqueues it on a device's stream; the batch is in that device's memory.
template <class Stream>
void enqueueFoam(const KelvinVoigt& law, const floe_material_batch& batch, Stream stream)
{
    constexpr unsigned kThreads = 128;
    FLOE_LAUNCH(foamStresses, (batch.count + kThreads - 1) / kThreads, kThreads, 0, stream, law,
                batch);
}

} // namespace FLOE_KERNEL_SPACE
