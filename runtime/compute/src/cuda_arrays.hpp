#pragma once

#include "floe/compute/array.hpp"

#include <cuda_runtime_api.h>

/// Launches the kernels of array_kernels.cuh for C++ sources. Check cudaGetLastError() afterwards.
namespace floe::compute::cuda {

void magnitudes(const ArrayView& from, float* to, cudaStream_t stream);
void narrow(const ArrayView& from, std::uint8_t* to, cudaStream_t stream);

/// The result of extent() in device memory, and its meaning.
inline constexpr std::uint64_t kExtentBytes = 24;
/// @param start   kExtentBytes of host memory, initialised for the copy to `result`
void startExtent(void* start);
void extent(const ArrayView& of, float most, void* result, cudaStream_t stream);
Extent finishExtent(const void* result);

} // namespace floe::compute::cuda
