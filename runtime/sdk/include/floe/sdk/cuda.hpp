#pragma once

/// One kernel source for the GPU and for the CPU: nvcc compiles it for the device, a C++ compiler
/// for the emulator, where blocks and threads really run: barriers, warp intrinsics, shared memory,
/// atomics. The emulator is made for tests, not for speed. A kernel file includes this header and
/// uses CUDA as usual, with these few macros where CUDA's syntax is not valid C++:
///
///     template <unsigned kThreads>
///     __global__ void sum(const float* values, unsigned count, float* result)
///     {
///         FLOE_SHARED(float, partial, kThreads);           // __shared__ float partial[kThreads];
///         FLOE_DYNAMIC_SHARED(float4, arena);              // extern __shared__ float4 arena[];
///         ...
///         __syncthreads();
///     }
///     FLOE_LAUNCH((sum<128>), grid, 128, sharedBytes, stream, values, count, result);
///
/// FLOE_KERNEL_SPACE is a namespace name that differs between the two compilations; open it
/// (`inline namespace`) around kernels, so that one program can hold both. FLOE_CUDA_EMULATED is 1
/// when kernels run on the CPU.
///
/// Faults that end a kernel with a floe::emulator::KernelFault (kernel, block, thread, line):
/// barriers that not all threads reach, or reach at different lines; warp intrinsics with lanes
/// missing; endless spinning; indices beyond shared memory; writes beyond device memory
/// (floe/sdk/emulator/memory.hpp); launches larger than sm_90 takes. Shared and device memory start
/// as 0xFF bytes. `floe::emulator::options().seed` shuffles the order of threads and blocks, to
/// expose races. Not modelled: memory ordering weaker than sequential, texture units, clusters,
/// launches from kernels. Needs Boost.Context, or FLOE_FIBERS_OF_LIBC (emulator/fiber.hpp). Do not
/// include CUDA's own headers in the same emulated file.

#if defined(__CUDACC__)

#include <cuda_runtime.h>

#define FLOE_CUDA_EMULATED 0
#define FLOE_KERNEL_SPACE device_kernels
#define FLOE_SHARED(Type, name, count) __shared__ Type name[count]
#define FLOE_DYNAMIC_SHARED(Type, name)                                                            \
    extern __shared__ __align__(16) unsigned char floeDynamicShared[];                             \
    Type* name = reinterpret_cast<Type*>(floeDynamicShared)
#define FLOE_LAUNCH(kernel, grid, block, sharedBytes, stream, ...)                                 \
    kernel<<<grid, block, sharedBytes, stream>>>(__VA_ARGS__)

#else

#include "floe/sdk/emulator/block.hpp"
#include "floe/sdk/emulator/intrinsics.hpp"

#define FLOE_CUDA_EMULATED 1
#define FLOE_KERNEL_SPACE emulated_kernels
#define __global__ inline
#define __device__ inline
#define __host__
#define __forceinline__ __attribute__((always_inline))
#define __launch_bounds__(...)
#define FLOE_SHARED(Type, name, count)                                                             \
    const ::floe::emulator::SharedArray<Type> name =                                               \
        ::floe::emulator::sharedArray<Type>([] {}, count)
#define FLOE_DYNAMIC_SHARED(Type, name)                                                            \
    const ::floe::emulator::SharedArray<Type> name = ::floe::emulator::dynamicShared<Type>()
#define FLOE_LAUNCH(kernel, grid, block, sharedBytes, stream, ...)                                 \
    (static_cast<void>(stream), ::floe::emulator::launch(#kernel, grid, block, sharedBytes,        \
                                                         [](const auto&... floeArguments) {        \
                                                             kernel(floeArguments...);             \
                                                         } __VA_OPT__(, ) __VA_ARGS__))

#endif
