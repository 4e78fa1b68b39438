// The CUDA backend, compiled for the device.

#include "cuda_backend.cuh"
#include "cuda_stepper.hpp"

namespace floe::mpm {

std::unique_ptr<Backend> makeCudaBackend(const SolverSettings& settings, const floe_device& device)
{
    cuda::Device own(device);
    own.makeCurrent();
    return std::make_unique<cuda::CudaBackend>(settings, own);
}

std::unique_ptr<Stepper> makeCudaStepper(const SolverSettings& settings, const floe_device& device,
                                         Executor& executor)
{
    return std::make_unique<Stepper>(settings, makeCudaBackend(settings, device), executor);
}

} // namespace floe::mpm
