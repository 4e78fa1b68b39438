#pragma once

// One source for nvcc and for a C++ compiler, where the SDK's emulator runs it in tests.
#include "vortex.hpp"

#include <floe/sdk/cuda.hpp>

inline namespace FLOE_KERNEL_SPACE {

/// A thread a point.
__global__ void vortexAccelerations(Vortex vortex, floe_force_batch batch)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < batch.count)
        vortex.apply(batch, i);
}

/// Enqueues it on a device's stream; the batch is in that device's memory.
template <class Stream>
void enqueueVortex(const Vortex& vortex, const floe_force_batch& batch, Stream stream)
{
    constexpr unsigned kThreads = 128;
    FLOE_LAUNCH(vortexAccelerations, (batch.count + kThreads - 1) / kThreads, kThreads, 0, stream,
                vortex, batch);
}

} // namespace FLOE_KERNEL_SPACE
