#include "foam_kernel.cuh"

#include "foam_kernel.hpp"

floe_status updateOnCuda(const KelvinVoigt& law, const floe_device& device,
                         const floe_material_batch& batch)
{
    if (batch.count == 0)
        return FLOE_OK;
    enqueueFoam(law, batch, static_cast<cudaStream_t>(device.stream));
    return cudaGetLastError() == cudaSuccess ? FLOE_OK : FLOE_DEVICE_FAILED;
}
