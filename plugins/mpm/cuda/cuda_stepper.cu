// The CUDA backend, compiled for the device.

#include "cuda_backend.cuh"
#include "cuda_stepper.hpp"

namespace floe::mpm {

std::unique_ptr<Stepper> makeCudaStepper(const SolverSettings& settings, const floe_device& device,
                                         Executor& executor)
{
    cuda::Device own(device);
    own.makeCurrent();
    return std::make_unique<Stepper>(settings, std::make_unique<cuda::CudaBackend>(settings, own),
                                     executor);
}

} // namespace floe::mpm
