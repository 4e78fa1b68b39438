#include "vortex_kernel.cuh"

#include "vortex_kernel.hpp"

floe_status accelerateOnCuda(const Vortex& vortex, const floe_device& device,
                             const floe_force_batch& batch)
{
    if (batch.count == 0)
        return FLOE_OK;
    enqueueVortex(vortex, batch, static_cast<cudaStream_t>(device.stream));
    return cudaGetLastError() == cudaSuccess ? FLOE_OK : FLOE_DEVICE_FAILED;
}
