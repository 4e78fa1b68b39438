#pragma once

#include "floe/sdk/cuda.hpp"

/// Minimum and maximum over a whole warp, for CUDA kernels; all 32 threads must call. One
/// instruction from sm_80 on, shuffles before.

namespace floe::sdk {
inline namespace FLOE_KERNEL_SPACE {

__device__ __forceinline__ int warpMin(int value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    for (int offset = 16; offset > 0; offset /= 2) {
        const int other = __shfl_xor_sync(0xFFFFFFFFu, value, offset);
        value = other < value ? other : value;
    }
    return value;
#else
    return __reduce_min_sync(0xFFFFFFFFu, value);
#endif
}

__device__ __forceinline__ int warpMax(int value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    for (int offset = 16; offset > 0; offset /= 2) {
        const int other = __shfl_xor_sync(0xFFFFFFFFu, value, offset);
        value = other > value ? other : value;
    }
    return value;
#else
    return __reduce_max_sync(0xFFFFFFFFu, value);
#endif
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::sdk
