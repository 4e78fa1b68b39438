#include "energy.hpp"

namespace {

__global__ void energyKernel(EnergyBatch batch)
{
    const uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < batch.count)
        batch.energy[i] = specificEnergy(batch.position + 3 * i, batch.velocity + 3 * i,
                                         batch.gravity, batch.ground);
}

} // namespace

const char* launchEnergyKernel(const EnergyBatch& batch, void* stream)
{
    if (batch.count == 0)
        return nullptr;
    constexpr unsigned kBlock = 256;
    const auto blocks = static_cast<unsigned>((batch.count + kBlock - 1) / kBlock);
    energyKernel<<<blocks, kBlock, 0, static_cast<cudaStream_t>(stream)>>>(batch);
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
