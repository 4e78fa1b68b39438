// The CUDA solver, compiled for the device.

#include "solver.cuh"

namespace floe::mpm {

std::unique_ptr<SolverBackend> makeCudaSolver(const SolverSettings& settings, int ordinal,
                                              void* stream)
{
    cuda::Device device(static_cast<cudaStream_t>(stream), ordinal);
    device.makeCurrent();
    return std::make_unique<cuda::CudaSolver>(settings, device);
}

} // namespace floe::mpm
