// The CUDA backend, compiled for the device.

#include "cuda_backend.cuh"
#include "cuda_stepper.hpp"

#include <utility>

namespace floe::mpm {

std::unique_ptr<Backend> makeCudaBackend(const SolverSettings& settings, const floe_device& device,
                                         Executor& executor, Ownership ownership)
{
    cuda::Device own(device);
    own.makeCurrent();
    return std::make_unique<cuda::CudaBackend>(settings, own, executor, std::move(ownership));
}

std::unique_ptr<Stepper> makeCudaStepper(const SolverSettings& settings, const floe_device& device,
                                         Executor& executor, Ownership ownership)
{
    return std::make_unique<Stepper>(
        settings, makeCudaBackend(settings, device, executor, std::move(ownership)), executor);
}

} // namespace floe::mpm
