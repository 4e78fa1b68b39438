// The CUDA solver, compiled for the device.

#include "solver.cuh"

namespace floe::mpm {

std::unique_ptr<SolverBackend> makeCudaSolver(const SolverSettings& settings,
                                              const floe_device& device)
{
    cuda::Device own(device);
    own.makeCurrent();
    return std::make_unique<cuda::CudaSolver>(settings, own);
}

} // namespace floe::mpm
