// The CUDA solver, compiled for the emulator, in the place of the one that nvcc compiles.

#include "plugins/mpm/cuda/solver.cuh"

namespace floe::mpm {

std::unique_ptr<SolverBackend> makeCudaSolver(const SolverSettings& settings,
                                              const floe_device& device)
{
    return std::make_unique<cuda::CudaSolver>(settings, cuda::Device(device));
}

} // namespace floe::mpm
