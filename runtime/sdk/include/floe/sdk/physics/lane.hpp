/// The lane type `Real`, over which the physics headers are templates, and its operations.
///
/// A kernel is written once for a type `Real`. On a GPU, and in tests, `Real` is `float` or
/// `double`; on a CPU it is `Pack<float, N>` (pack.hpp), N particles side by side. So no kernel
/// branches on the value of a `Real`: it computes both sides and calls `select(mask, a, b)`.
///
/// In CUDA sources, open this namespace inside one of your own, not at global scope: `sqrt` and the
/// like would clash with the C library there.
///
/// Every `Real` has
///  * construction from a number, `+ - * /`, `< <= > >=` giving `MaskOf<Real>`;
///  * `select, min, max, abs, sqrt, floor, any, all`, found by argument-dependent lookup;
///  * for single precision, `asInt`/`asReal`: the bits as 32-bit integers (elementary.hpp).
///
/// The inline namespace names the instruction set a translation unit is compiled for. Programs
/// compile the same kernels several times and choose at run time; without it the linker would be
/// free to keep, say, only the AVX-512 copy of an inline function.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define FLOE_HD __host__ __device__ __forceinline__
#define FLOE_COLD __host__ __device__ __noinline__
#elif defined(__GNUC__)
#define FLOE_HD inline __attribute__((always_inline))
#define FLOE_COLD __attribute__((noinline, cold))
#else
#define FLOE_HD inline
#define FLOE_COLD
#endif

/// Placed before loops over rows or columns of a matrix: indices must be constants for its elements
/// to live in registers.
#if defined(__CUDACC__) || defined(__clang__)
#define FLOE_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define FLOE_UNROLL _Pragma("GCC unroll 9")
#else
#define FLOE_UNROLL
#endif

#if defined(__CUDA_ARCH__)
#define FLOE_ISA device
#elif defined(__AVX512F__)
#define FLOE_ISA avx512
#elif defined(__AVX2__)
#define FLOE_ISA avx2
#else
#define FLOE_ISA baseline
#endif
#if defined(__CUDACC__) // host and device passes must see one name
#undef FLOE_ISA
#define FLOE_ISA cuda
#endif

namespace floe::physics {
inline namespace FLOE_ISA {

/// The result type of comparing two `Real`s, and the 32-bit integers of the same number of lanes.
template <class Real>
struct LaneTraits;

template <>
struct LaneTraits<float> {
    using Mask = bool;
    using Int = std::int32_t;
    static constexpr int kLanes = 1;
    static constexpr bool kSinglePrecision = true;
};

template <>
struct LaneTraits<double> {
    using Mask = bool;
    using Int = std::int64_t;
    static constexpr int kLanes = 1;
    static constexpr bool kSinglePrecision = false;
};

template <class Real>
using MaskOf = typename LaneTraits<Real>::Mask;
template <class Real>
using IntOf = typename LaneTraits<Real>::Int;

FLOE_HD float select(bool mask, float a, float b)
{
    return mask ? a : b;
}
FLOE_HD double select(bool mask, double a, double b)
{
    return mask ? a : b;
}
FLOE_HD std::int32_t select(bool mask, std::int32_t a, std::int32_t b)
{
    return mask ? a : b;
}
FLOE_HD bool any(bool mask)
{
    return mask;
}
FLOE_HD bool all(bool mask)
{
    return mask;
}

// min and max return the second operand when either is NaN, as the x86 instructions do.
FLOE_HD float min(float a, float b)
{
    return a < b ? a : b;
}
FLOE_HD double min(double a, double b)
{
    return a < b ? a : b;
}
FLOE_HD float max(float a, float b)
{
    return a > b ? a : b;
}
FLOE_HD double max(double a, double b)
{
    return a > b ? a : b;
}
FLOE_HD float abs(float a)
{
    return ::fabsf(a);
}
FLOE_HD double abs(double a)
{
    return ::fabs(a);
}
FLOE_HD float sqrt(float a)
{
    return ::sqrtf(a);
}
FLOE_HD double sqrt(double a)
{
    return ::sqrt(a);
}
FLOE_HD float floor(float a)
{
    return ::floorf(a);
}
FLOE_HD double floor(double a)
{
    return ::floor(a);
}

FLOE_HD std::int32_t asInt(float a)
{
    std::int32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}
FLOE_HD float asReal(std::int32_t bits)
{
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}
/// Rounds towards zero: for a `Real` that holds a small integer.
FLOE_HD std::int32_t toInt(float a)
{
    return static_cast<std::int32_t>(a);
}
FLOE_HD float toReal(std::int32_t a)
{
    return static_cast<float>(a);
}

/// Clamps a to [low, high].
template <class Real>
FLOE_HD Real clamp(Real a, Real low, Real high)
{
    return min(max(a, low), high);
}

/// |a| with the sign of b; +0 and -0 count as positive.
template <class Real>
FLOE_HD Real withSign(Real a, Real b)
{
    const Real positive = abs(a);
    return select(b < Real(0), -positive, positive);
}

} // namespace FLOE_ISA
} // namespace floe::physics
