#pragma once

#include "array_items.hpp"
#include "floe/sdk/cuda.hpp"
#include "floe/sdk/cuda_warp.hpp"

#include <bit>
#include <cstring>

/// Device's operations on arrays as kernels, for nvcc and for the emulator.
namespace floe::compute {
inline namespace FLOE_KERNEL_SPACE {

inline constexpr unsigned kArrayThreads = 256;
inline constexpr unsigned kMaxArrayBlocks = 1024; ///< each thread then handles several items

inline unsigned arrayBlocks(std::uint64_t count)
{
    const std::uint64_t blocks = (count + kArrayThreads - 1) / kArrayThreads;
    return static_cast<unsigned>(blocks < kMaxArrayBlocks ? blocks : kMaxArrayBlocks);
}

__device__ __forceinline__ std::uint64_t firstItem()
{
    return std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ std::uint64_t itemStep()
{
    return std::uint64_t(gridDim.x) * blockDim.x;
}

template <class T>
__global__ void writeMagnitudes(const T* values, std::uint32_t components, std::uint64_t count,
                                float* to)
{
    for (std::uint64_t i = firstItem(); i < count; i += itemStep())
        to[i] = magnitudeOf(values + i * components, components);
}

template <class T>
__global__ void writeNarrowed(const T* values, std::uint64_t count, std::uint8_t* to)
{
    for (std::uint64_t i = firstItem(); i < count; i += itemStep())
        to[i] = narrowed(values[i]);
}

/// Returns a float as an integer with the same order, including negative numbers.
__device__ __forceinline__ int orderedBits(float value)
{
    const int bits = __float_as_int(value);
    return bits >= 0 ? bits : bits ^ 0x7FFFFFFF;
}
inline float fromOrderedBits(std::int32_t bits)
{
    return std::bit_cast<float>(bits >= 0 ? bits : bits ^ 0x7FFFFFFF);
}

/// Ordered bits of three minima, then three maxima; initialised to those of kNoExtent.
struct OrderedExtent {
    std::int32_t low[3], high[3];
};
inline OrderedExtent noOrderedExtent()
{
    const std::int32_t huge = std::bit_cast<std::int32_t>(kHuge);
    const std::int32_t least = std::bit_cast<std::int32_t>(-kHuge) ^ 0x7FFFFFFF;
    return {{huge, huge, huge}, {least, least, least}};
}
inline Extent extentOf(const OrderedExtent& bits)
{
    Extent extent;
    for (std::size_t c = 0; c < 3; ++c) {
        extent.low[c] = fromOrderedBits(bits.low[c]);
        extent.high[c] = fromOrderedBits(bits.high[c]);
    }
    return extent;
}

__global__ void findExtent(const float* values, std::uint32_t components, std::uint64_t count,
                           float most, OrderedExtent* extent)
{
    int low[3], high[3];
    for (int c = 0; c < 3; ++c) {
        low[c] = 0x7FFFFFFF;
        high[c] = -0x7FFFFFFF - 1;
    }
    for (std::uint64_t i = firstItem(); i < count; i += itemStep()) {
        const float* item = values + i * components;
        if (!isWithin(item, components, most))
            continue;
        for (std::uint32_t c = 0; c < components; ++c) {
            const int bits = orderedBits(item[c]);
            low[c] = bits < low[c] ? bits : low[c];
            high[c] = bits > high[c] ? bits : high[c];
        }
    }
    for (std::uint32_t c = 0; c < components; ++c) {
        const int least = sdk::warpMin(low[c]);
        const int most_ = sdk::warpMax(high[c]);
        if (threadIdx.x % 32 == 0 && least <= most_) {
            atomicMin(&extent->low[c], least);
            atomicMax(&extent->high[c], most_);
        }
    }
}

template <class Stream>
void launchMagnitudes(const ArrayView& from, float* to, [[maybe_unused]] Stream stream)
{
    visitArray(from, [&]<class T>(const T* values) {
        FLOE_LAUNCH((writeMagnitudes<T>), arrayBlocks(from.count), kArrayThreads, 0, stream, values,
                    from.components, from.count, to);
    });
}

template <class Stream>
void launchNarrow(const ArrayView& from, std::uint8_t* to, [[maybe_unused]] Stream stream)
{
    visitArray(from, [&]<class T>(const T* values) {
        FLOE_LAUNCH((writeNarrowed<T>), arrayBlocks(from.count), kArrayThreads, 0, stream, values,
                    from.count, to);
    });
}

/// @param extent  in device memory, holding noOrderedExtent()
template <class Stream>
void launchExtent(const ArrayView& of, float most, OrderedExtent* extent,
                  [[maybe_unused]] Stream stream)
{
    FLOE_LAUNCH(findExtent, arrayBlocks(of.count), kArrayThreads, 0, stream,
                static_cast<const float*>(of.data), of.components, of.count, most, extent);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::compute
