#pragma once

// Textbook kernels whose results are known without running them.

#include "floe/sdk/cuda.hpp"

namespace floe::test {
inline namespace FLOE_KERNEL_SPACE {

/// Tree reduction in shared memory, one atomic per block.
template <unsigned kThreads>
__global__ void sumTree(const int* in, unsigned count, int* total)
{
    FLOE_SHARED(int, partial, kThreads);
    int sum = 0;
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads)
        sum += in[i];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(total, partial[0]);
}

/// Hillis and Steele 1986 scan of one block, in dynamic shared memory.
__global__ void inclusiveScan(const int* in, unsigned count, int* out)
{
    FLOE_DYNAMIC_SHARED(int, line);
    const unsigned i = threadIdx.x;
    line[i] = i < count ? in[i] : 0;
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        const int left = i >= step ? line[i - step] : 0;
        __syncthreads();
        line[i] += left;
        __syncthreads();
    }
    if (i < count)
        out[i] = line[i];
}

/// Butterfly sum of each warp; every lane gets it.
__global__ void warpSums(const int* in, int* out)
{
    int value = in[threadIdx.x];
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xFFFFFFFFu, value, step);
    out[threadIdx.x] = value;
}

__global__ void histogram(const int* in, unsigned count, int* bins)
{
    FLOE_SHARED(int, local, 16);
    if (threadIdx.x < 16)
        local[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i] & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(bins + threadIdx.x, local[threadIdx.x]);
}

/// Keeps the odd values: one atomic for the lanes of a warp that are together.
__global__ void compact(const int* in, unsigned count, int* kept, int* keptCount)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && (in[i] & 1)) {
        const unsigned together = __activemask();
        const unsigned lane = threadIdx.x % 32;
        const int leader = __ffs(int(together)) - 1;
        int first = 0;
        if (int(lane) == leader)
            first = atomicAdd(keptCount, __popc(together));
        first = __shfl_sync(together, first, leader);
        kept[first + __popc(together & ((1u << lane) - 1u))] = in[i];
    }
}

/// Floats that are not negative order as their bits do.
__global__ void largest(const float* in, unsigned count, float* result)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicMax(reinterpret_cast<int*>(result), __float_as_int(in[i]));
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::test
