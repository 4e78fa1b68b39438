/// N floats side by side: the lane type of the CPU.
///
/// Built on the vector extensions of GCC and Clang, so that it compiles for any instruction set: N
/// = 4 is one SSE2 register, 8 one AVX2 register, 16 one AVX-512 register, and a wider pack than
/// the machine has is split by the compiler. Not for device code (there `Real` is `float`).
///
/// A mask holds -1 (true) or 0 in each lane. Loads and stores take any address; data aligned to the
/// size of the pack is faster.
#pragma once

#include <floe/sdk/physics/lane.hpp>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace floe::physics {
inline namespace FLOE_ISA {

/// The number of lanes that fills one register of this translation unit's instruction set.
#if defined(__AVX512F__)
inline constexpr int kNativeLanes = 16;
#elif defined(__AVX2__)
inline constexpr int kNativeLanes = 8;
#else
inline constexpr int kNativeLanes = 4;
#endif

/// The compiler's vector of N elements T. (Spelled out: GCC mishandles vector sizes that depend on
/// template parameters.)
template <class T, int N>
struct VectorOf;
#define FLOE_VECTOR(T, N)                                                                          \
    template <>                                                                                    \
    struct VectorOf<T, N> {                                                                        \
        typedef T Type __attribute__((vector_size(N * 4)));                                        \
    };
FLOE_VECTOR(float, 4)
FLOE_VECTOR(float, 8)
FLOE_VECTOR(float, 16)
FLOE_VECTOR(std::int32_t, 4)
FLOE_VECTOR(std::int32_t, 8)
FLOE_VECTOR(std::int32_t, 16)
FLOE_VECTOR(std::uint32_t, 4)
FLOE_VECTOR(std::uint32_t, 8)
FLOE_VECTOR(std::uint32_t, 16)
#undef FLOE_VECTOR

template <class T, int N>
struct Pack;

/// N truth values.
template <int N>
struct PackMask {
    using Vector = typename VectorOf<std::int32_t, N>::Type;
    Vector v;
};

/// N 32-bit integers. Overflow wraps.
template <int N>
struct Pack<std::int32_t, N> {
    using Vector = typename VectorOf<std::int32_t, N>::Type;
    using Unsigned = typename VectorOf<std::uint32_t, N>::Type;
    Vector v;

    Pack() = default;
    FLOE_HD Pack(Vector a) : v(a) {}
    FLOE_HD Pack(std::int32_t a) : v(Vector{} + a) {}

    static FLOE_HD Pack load(const std::int32_t* from)
    {
        Pack a;
        memcpy(&a.v, from, sizeof a.v);
        return a;
    }
    FLOE_HD void store(std::int32_t* to) const { memcpy(to, &v, sizeof v); }
    FLOE_HD std::int32_t operator[](int lane) const { return v[lane]; }

    friend FLOE_HD Pack operator+(Pack a, Pack b) { return Vector(Unsigned(a.v) + Unsigned(b.v)); }
    friend FLOE_HD Pack operator-(Pack a, Pack b) { return Vector(Unsigned(a.v) - Unsigned(b.v)); }
    friend FLOE_HD Pack operator*(Pack a, Pack b) { return Vector(Unsigned(a.v) * Unsigned(b.v)); }
    friend FLOE_HD Pack operator&(Pack a, Pack b) { return a.v & b.v; }
    friend FLOE_HD Pack operator|(Pack a, Pack b) { return a.v | b.v; }
    friend FLOE_HD Pack operator^(Pack a, Pack b) { return a.v ^ b.v; }
    friend FLOE_HD Pack operator<<(Pack a, int bits) { return a.v << bits; }
    friend FLOE_HD Pack operator>>(Pack a, int bits) { return a.v >> bits; }
};

/// N single-precision numbers.
template <int N>
struct Pack<float, N> {
    using Vector = typename VectorOf<float, N>::Type;
    using Mask = PackMask<N>;
    Vector v;

    Pack() = default;
    FLOE_HD Pack(Vector a) : v(a) {}
    FLOE_HD Pack(float a) : v(a - Vector{}) {} // a - 0 keeps -0 and is a plain broadcast

    static FLOE_HD Pack load(const float* from)
    {
        Pack a;
        memcpy(&a.v, from, sizeof a.v);
        return a;
    }
    FLOE_HD void store(float* to) const { memcpy(to, &v, sizeof v); }
    FLOE_HD float operator[](int lane) const { return v[lane]; }
    FLOE_HD void set(int lane, float a) { v[lane] = a; }

    friend FLOE_HD Pack operator+(Pack a, Pack b) { return a.v + b.v; }
    friend FLOE_HD Pack operator-(Pack a, Pack b) { return a.v - b.v; }
    friend FLOE_HD Pack operator*(Pack a, Pack b) { return a.v * b.v; }
    friend FLOE_HD Pack operator/(Pack a, Pack b) { return a.v / b.v; }
    friend FLOE_HD Pack operator-(Pack a) { return -a.v; }
    FLOE_HD Pack& operator+=(Pack b)
    {
        v += b.v;
        return *this;
    }
    FLOE_HD Pack& operator-=(Pack b)
    {
        v -= b.v;
        return *this;
    }
    FLOE_HD Pack& operator*=(Pack b)
    {
        v *= b.v;
        return *this;
    }

    friend FLOE_HD Mask operator<(Pack a, Pack b) { return {a.v < b.v}; }
    friend FLOE_HD Mask operator<=(Pack a, Pack b) { return {a.v <= b.v}; }
    friend FLOE_HD Mask operator>(Pack a, Pack b) { return {a.v > b.v}; }
    friend FLOE_HD Mask operator>=(Pack a, Pack b) { return {a.v >= b.v}; }
    friend FLOE_HD Mask operator==(Pack a, Pack b) { return {a.v == b.v}; }
};

template <int N>
struct LaneTraits<Pack<float, N>> {
    using Mask = PackMask<N>;
    using Int = Pack<std::int32_t, N>;
    static constexpr int kLanes = N;
    static constexpr bool kSinglePrecision = true;
};

template <int N>
FLOE_HD PackMask<N> operator&(PackMask<N> a, PackMask<N> b)
{
    return {a.v & b.v};
}
template <int N>
FLOE_HD PackMask<N> operator|(PackMask<N> a, PackMask<N> b)
{
    return {a.v | b.v};
}
template <int N>
FLOE_HD PackMask<N> operator!(PackMask<N> a)
{
    return {~a.v};
}

template <int N>
FLOE_HD Pack<float, N> select(PackMask<N> mask, Pack<float, N> a, Pack<float, N> b)
{
    return mask.v ? a.v : b.v;
}
template <int N>
FLOE_HD Pack<std::int32_t, N> select(PackMask<N> mask, Pack<std::int32_t, N> a,
                                     Pack<std::int32_t, N> b)
{
    return mask.v ? a.v : b.v;
}

template <int N>
FLOE_HD bool any(PackMask<N> mask)
{
#if defined(__AVX2__)
    if constexpr (N == 8)
        return _mm256_movemask_ps(reinterpret_cast<__m256>(mask.v)) != 0;
#endif
#if defined(__AVX512F__)
    if constexpr (N == 16)
        return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(mask.v),
                                      reinterpret_cast<__m512i>(mask.v)) != 0;
#endif
    std::int32_t some = 0;
    for (int lane = 0; lane < N; ++lane)
        some |= mask.v[lane];
    return some != 0;
}
template <int N>
FLOE_HD bool all(PackMask<N> mask)
{
    return !any(!mask);
}

template <int N>
FLOE_HD Pack<float, N> min(Pack<float, N> a, Pack<float, N> b)
{
#if defined(__AVX512F__)
    if constexpr (N == 16)
        return reinterpret_cast<typename Pack<float, N>::Vector>(
            _mm512_maskz_min_ps(static_cast<__mmask16>(-1), reinterpret_cast<__m512>(a.v),
                                reinterpret_cast<__m512>(b.v)));
#endif
#if defined(__AVX2__)
    if constexpr (N == 8)
        return reinterpret_cast<typename Pack<float, N>::Vector>(
            _mm256_min_ps(reinterpret_cast<__m256>(a.v), reinterpret_cast<__m256>(b.v)));
#endif
    return a.v < b.v ? a.v : b.v;
}
template <int N>
FLOE_HD Pack<float, N> max(Pack<float, N> a, Pack<float, N> b)
{
#if defined(__AVX512F__)
    if constexpr (N == 16)
        return reinterpret_cast<typename Pack<float, N>::Vector>(
            _mm512_maskz_max_ps(static_cast<__mmask16>(-1), reinterpret_cast<__m512>(a.v),
                                reinterpret_cast<__m512>(b.v)));
#endif
#if defined(__AVX2__)
    if constexpr (N == 8)
        return reinterpret_cast<typename Pack<float, N>::Vector>(
            _mm256_max_ps(reinterpret_cast<__m256>(a.v), reinterpret_cast<__m256>(b.v)));
#endif
    return a.v > b.v ? a.v : b.v;
}
template <int N>
FLOE_HD Pack<std::int32_t, N> asInt(Pack<float, N> a)
{
    return reinterpret_cast<typename Pack<std::int32_t, N>::Vector>(a.v);
}
template <int N>
FLOE_HD Pack<float, N> asReal(Pack<std::int32_t, N> a)
{
    return reinterpret_cast<typename Pack<float, N>::Vector>(a.v);
}
template <int N>
FLOE_HD Pack<float, N> abs(Pack<float, N> a)
{
    return asReal(asInt(a) & Pack<std::int32_t, N>(0x7fffffff));
}
template <int N>
FLOE_HD Pack<std::int32_t, N> toInt(Pack<float, N> a)
{
    return __builtin_convertvector(a.v, typename Pack<std::int32_t, N>::Vector);
}
template <int N>
FLOE_HD Pack<float, N> toReal(Pack<std::int32_t, N> a)
{
    return __builtin_convertvector(a.v, typename Pack<float, N>::Vector);
}
/// Exact for |a| < 2^31; larger values, which positions never have, give garbage.
template <int N>
FLOE_HD Pack<float, N> floor(Pack<float, N> a)
{
#if defined(__AVX2__)
    if constexpr (N == 8)
        return reinterpret_cast<typename Pack<float, N>::Vector>(
            _mm256_floor_ps(reinterpret_cast<__m256>(a.v)));
#endif
    const Pack<float, N> whole = toReal(toInt(a));
    return select(whole > a, whole - Pack<float, N>(1.0f), whole);
}
template <int N>
FLOE_HD Pack<float, N> sqrt(Pack<float, N> a)
{
#if defined(__AVX512F__)
    if constexpr (N == 16)
        return reinterpret_cast<typename Pack<float, N>::Vector>(
            _mm512_maskz_sqrt_ps(static_cast<__mmask16>(-1), reinterpret_cast<__m512>(a.v)));
#endif
#if defined(__AVX2__)
    if constexpr (N == 8)
        return reinterpret_cast<typename Pack<float, N>::Vector>(
            _mm256_sqrt_ps(reinterpret_cast<__m256>(a.v)));
#endif
#if defined(__SSE2__)
    if constexpr (N == 4)
        return reinterpret_cast<typename Pack<float, N>::Vector>(
            _mm_sqrt_ps(reinterpret_cast<__m128>(a.v)));
#endif
    Pack<float, N> root;
    for (int lane = 0; lane < N; ++lane)
        root.v[lane] = ::sqrtf(a.v[lane]);
    return root;
}

/// The largest lane.
template <int N>
FLOE_HD float maxLane(Pack<float, N> a)
{
    float largest = a.v[0];
    for (int lane = 1; lane < N; ++lane)
        largest = a.v[lane] > largest ? a.v[lane] : largest;
    return largest;
}

} // namespace FLOE_ISA
} // namespace floe::physics
