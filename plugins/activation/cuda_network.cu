// The activation network, compiled for the device.

#include "cuda_network.hpp"

#include "floe/sdk/network/device_network.cuh"

namespace floe::activation {

bool evaluateOnCuda(const sdk::network::PreparedModel& model,
                    const sdk::network::Question& question, const floe_device* device,
                    float* logits)
{
    if (!device || device->kind != FLOE_DEVICE_CUDA)
        return false;
    sdk::network::evaluateOnDevice(model, question, sdk::cuda::Device(*device), logits);
    return true;
}

} // namespace floe::activation
