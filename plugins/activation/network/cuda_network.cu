// The activation network, compiled for the device.

#include "device_network.cuh"

#include "cuda_network.hpp"

namespace floe::activation {

bool evaluateOnCuda(const PreparedModel& model, const Question& question, const floe_device* device,
                    float* logits)
{
    if (!device || device->kind != FLOE_DEVICE_CUDA)
        return false;
    cuda::evaluate(model, question, cuda::Device(*device), logits);
    return true;
}

} // namespace floe::activation
