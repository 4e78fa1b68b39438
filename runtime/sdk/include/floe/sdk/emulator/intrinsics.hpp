#pragma once

/// CUDA's built-in types, variables and functions for emulated kernels, in the global namespace as
/// in CUDA. Included only by floe/sdk/cuda.hpp.

#include "floe/sdk/emulator/block.hpp"

#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <type_traits>
#include <utility>

// ------------------------------------------------------------------------------------- types

struct uint3 {
    unsigned x, y, z;
};
struct int3 {
    int x, y, z;
};
struct int4 {
    int x, y, z, w;
};
struct uint2 {
    unsigned x, y;
};
struct float3 {
    float x, y, z;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}
inline int3 make_int3(int x, int y, int z)
{
    return {x, y, z};
}

inline constexpr int warpSize = 32;

namespace floe::emulator {

/// A view of shared memory with checked indices; converts to a pointer like an array.
template <class T>
class SharedArray {
public:
    SharedArray(T* data, std::size_t count) : data_(data), count_(count) {}

    template <std::integral Index>
    T& operator[](Index i) const
    {
        if (std::cmp_less(i, 0) || std::cmp_greater_equal(i, count_))
            BlockRunner::current()->fail("index " + std::to_string(i) +
                                         " is beyond shared memory of " + std::to_string(count_) +
                                         " elements");
        return data_[i];
    }
    operator T*() const { return data_; }

private:
    T* data_;
    std::size_t count_;
};

template <class T, class Site>
SharedArray<T> sharedArray(Site, std::size_t count)
{
    static constexpr char site = 0; // one for each lambda, that is, for each declaration
    return {static_cast<T*>(BlockRunner::current()->sharedSlot(&site, count * sizeof(T))), count};
}

template <class T>
SharedArray<T> dynamicShared()
{
    const FencedBytes& bytes = BlockRunner::current()->dynamicShared();
    return {static_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// Calls `kernel(arguments...)` once for every thread of the grid.
template <class Kernel, class... Arguments>
void launch(const char* name, dim3 grid, dim3 block, std::size_t sharedBytes, Kernel kernel,
            Arguments... arguments)
{
    auto body = [&] {
        kernel(arguments...);
    };
    BlockRunner runner(name, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, sharedBytes);
    runner.run([](void* closure) { (*static_cast<decltype(body)*>(closure))(); }, &body);
}

template <class T>
std::uint64_t toBits(T value)
{
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T>
T fromBits(std::uint64_t bits)
{
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline unsigned laneIndex()
{
    const auto& b = BlockRunner::builtins();
    return (b.threadIdx.x + b.blockDim.x * (b.threadIdx.y + b.blockDim.y * b.threadIdx.z)) %
           kWarpSize;
}

/// Shuffle that reads lane `source`, or the lane's own value when `source` is outside its segment.
template <class T>
T shuffle(const char* kind, unsigned mask, T value, int source, bool inside,
          const std::source_location& where)
{
    const WarpValues values = BlockRunner::current()->exchange(kind, mask, toBits(value), where);
    if (!inside)
        return value;
    if (!(values.mask >> source & 1u))
        BlockRunner::current()->fail(std::string(kind) + " reads lane " + std::to_string(source) +
                                         ", which the mask does not name",
                                     where);
    return fromBits<T>(values.bits[source]);
}

template <class T, class Combine>
T reduceLanes(const char* kind, unsigned mask, T value, Combine combine,
              const std::source_location& where)
{
    const WarpValues values = BlockRunner::current()->exchange(kind, mask, toBits(value), where);
    bool first = true;
    T result = value;
    for (unsigned l = 0; l < kWarpSize; ++l)
        if (values.mask >> l & 1u) {
            const T other = fromBits<T>(values.bits[l]);
            result = first ? other : combine(result, other);
            first = false;
        }
    return result;
}

/// Reads, computes the new value with `change`, writes it and returns the old one.
template <class T, class Change>
T atomically(T* address, Change change)
{
    if (BlockRunner* runner = BlockRunner::current())
        runner->maybeYield();
    isAtomic() = true;
    const T old = *address;
    *address = change(old);
    isAtomic() = false;
    return old;
}

} // namespace floe::emulator

// ---------------------------------------------------------------------------------- barriers

#define FLOE_HERE const std::source_location& where = std::source_location::current()

inline void __syncthreads(FLOE_HERE)
{
    floe::emulator::BlockRunner::current()->barrier(false, where);
}
inline int __syncthreads_count(int predicate, FLOE_HERE)
{
    return int(floe::emulator::BlockRunner::current()->barrier(predicate != 0, where));
}
inline int __syncthreads_or(int predicate, FLOE_HERE)
{
    return floe::emulator::BlockRunner::current()->barrier(predicate != 0, where) != 0;
}
inline int __syncthreads_and(int predicate, FLOE_HERE)
{
    return floe::emulator::BlockRunner::current()->barrier(predicate == 0, where) == 0;
}
inline void __syncwarp(unsigned mask = 0xFFFFFFFFu, FLOE_HERE)
{
    floe::emulator::BlockRunner::current()->exchange("__syncwarp", mask, 0, where);
}
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __nanosleep(unsigned)
{
    floe::emulator::BlockRunner::current()->yield();
}

// --------------------------------------------------------------------------------------- warps

inline unsigned __activemask(FLOE_HERE)
{
    return floe::emulator::BlockRunner::current()->convergedLanes(where);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, FLOE_HERE)
{
    const auto values = floe::emulator::BlockRunner::current()->exchange(
        "__ballot_sync", mask, predicate != 0 ? 1u : 0u, where);
    unsigned votes = 0;
    for (unsigned l = 0; l < floe::emulator::kWarpSize; ++l)
        if ((values.mask >> l & 1u) && values.bits[l] != 0)
            votes |= 1u << l;
    return votes;
}
inline int __any_sync(unsigned mask, int predicate, FLOE_HERE)
{
    return __ballot_sync(mask, predicate, where) != 0;
}
inline int __all_sync(unsigned mask, int predicate, FLOE_HERE)
{
    return __ballot_sync(mask, predicate, where) == mask;
}
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, FLOE_HERE)
{
    const int lane = int(floe::emulator::laneIndex());
    const int first = lane / width * width;
    return floe::emulator::shuffle("__shfl_sync", mask, value, first + (source & (width - 1)), true,
                                   where);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, FLOE_HERE)
{
    const int source = int(floe::emulator::laneIndex()) - int(delta);
    const int first = int(floe::emulator::laneIndex()) / width * width;
    return floe::emulator::shuffle("__shfl_up_sync", mask, value, source, source >= first, where);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, FLOE_HERE)
{
    const int source = int(floe::emulator::laneIndex() + delta);
    const int first = int(floe::emulator::laneIndex()) / width * width;
    return floe::emulator::shuffle("__shfl_down_sync", mask, value, source, source < first + width,
                                   where);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int laneMask, int width = 32, FLOE_HERE)
{
    const int lane = int(floe::emulator::laneIndex());
    const int source = lane ^ laneMask;
    const int first = lane / width * width;
    return floe::emulator::shuffle("__shfl_xor_sync", mask, value, source, source < first + width,
                                   where);
}
template <class T>
unsigned __match_any_sync(unsigned mask, T value, FLOE_HERE)
{
    const auto values = floe::emulator::BlockRunner::current()->exchange(
        "__match_any_sync", mask, floe::emulator::toBits(value), where);
    unsigned same = 0;
    for (unsigned l = 0; l < floe::emulator::kWarpSize; ++l)
        if ((values.mask >> l & 1u) && values.bits[l] == floe::emulator::toBits(value))
            same |= 1u << l;
    return same;
}

#define FLOE_REDUCTION(name, expression)                                                           \
    template <std::integral T>                                                                     \
    T name(unsigned mask, T value, FLOE_HERE)                                                      \
    {                                                                                              \
        static_assert(sizeof(T) == 4, "the device reduces 32-bit integers only");                  \
        return floe::emulator::reduceLanes(                                                        \
            #name, mask, value, [](T a, T b) -> T { return expression; }, where);                  \
    }
FLOE_REDUCTION(__reduce_add_sync, a + b)
FLOE_REDUCTION(__reduce_min_sync, b < a ? b : a)
FLOE_REDUCTION(__reduce_max_sync, a < b ? b : a)
FLOE_REDUCTION(__reduce_and_sync, a& b)
FLOE_REDUCTION(__reduce_or_sync, a | b)
FLOE_REDUCTION(__reduce_xor_sync, a ^ b)
#undef FLOE_REDUCTION

// ------------------------------------------------------------------------------------- atomics

namespace floe::emulator {
// The types for which the device has each group of atomics.
template <class T>
concept Int32 = std::is_same_v<T, int> || std::is_same_v<T, unsigned>;
template <class T>
concept Int = Int32<T> || std::is_same_v<T, unsigned long long>;
template <class T>
concept Ordered = Int<T> || std::is_same_v<T, long long>;
template <class T>
concept Addable = Int<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
concept Exchangeable = Int<T> || std::is_same_v<T, float>;
} // namespace floe::emulator

// The second argument converts, as it does in CUDA.
#define FLOE_ATOMIC(name, Requirement, expression)                                                 \
    template <floe::emulator::Requirement T>                                                       \
    T name(T* address, std::type_identity_t<T> value)                                              \
    {                                                                                              \
        return floe::emulator::atomically(                                                         \
            address, [value]([[maybe_unused]] T old) -> T { return expression; });                 \
    }
FLOE_ATOMIC(atomicAdd, Addable, old + value)
FLOE_ATOMIC(atomicSub, Int32, old - value)
FLOE_ATOMIC(atomicExch, Exchangeable, value)
FLOE_ATOMIC(atomicMin, Ordered, value < old ? value : old)
FLOE_ATOMIC(atomicMax, Ordered, old < value ? value : old)
FLOE_ATOMIC(atomicAnd, Int, old& value)
FLOE_ATOMIC(atomicOr, Int, old | value)
FLOE_ATOMIC(atomicXor, Int, old ^ value)
#undef FLOE_ATOMIC
template <floe::emulator::Int T>
T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value)
{
    return floe::emulator::atomically(address,
                                      [=](T old) -> T { return old == expected ? value : old; });
}

// ---------------------------------------------------------------------------------------- bits

inline int __float_as_int(float value)
{
    return std::bit_cast<int>(value);
}
inline unsigned __float_as_uint(float value)
{
    return std::bit_cast<unsigned>(value);
}
inline float __int_as_float(int value)
{
    return std::bit_cast<float>(value);
}
inline float __uint_as_float(unsigned value)
{
    return std::bit_cast<float>(value);
}
inline int __popc(unsigned value)
{
    return std::popcount(value);
}
inline int __clz(int value)
{
    return std::countl_zero(unsigned(value));
}
inline int __ffs(int value)
{
    return value == 0 ? 0 : std::countr_zero(unsigned(value)) + 1;
}
inline int __float2int_rn(float value)
{
    return int(std::lrintf(value));
}
inline long long __float2ll_rn(float value)
{
    return std::llrintf(value);
}
inline long long __double2ll_rn(double value)
{
    return std::llrint(value);
}
template <class T>
T __ldg(const T* address)
{
    return *address;
}

#undef FLOE_HERE

// The built-in variables; last, because the names are members above.
#define threadIdx (::floe::emulator::BlockRunner::builtins().threadIdx)
#define blockIdx (::floe::emulator::BlockRunner::builtins().blockIdx)
#define blockDim (::floe::emulator::BlockRunner::builtins().blockDim)
#define gridDim (::floe::emulator::BlockRunner::builtins().gridDim)
