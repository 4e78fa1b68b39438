/// Two packs as one lane type.
///
/// Iterations such as the singular value decomposition are chains of dependent operations: one pack
/// leaves a core mostly idle while it waits for square roots. Two independent packs, advanced
/// together, fill the gaps.
#pragma once

#include <floe/sdk/physics/pack.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

struct TwinMask {
    PackMask<kNativeLanes> a, b;

    friend FLOE_HD TwinMask operator&(TwinMask p, TwinMask q) { return {p.a & q.a, p.b & q.b}; }
    friend FLOE_HD TwinMask operator|(TwinMask p, TwinMask q) { return {p.a | q.a, p.b | q.b}; }
    friend FLOE_HD TwinMask operator!(TwinMask p) { return {!p.a, !p.b}; }
};

struct TwinInt {
    using Half = Pack<std::int32_t, kNativeLanes>;
    Half a, b;

    TwinInt() = default;
    FLOE_HD TwinInt(Half p, Half q) : a(p), b(q) {}
    FLOE_HD TwinInt(std::int32_t p) : a(p), b(p) {}

    friend FLOE_HD TwinInt operator+(TwinInt p, TwinInt q) { return {p.a + q.a, p.b + q.b}; }
    friend FLOE_HD TwinInt operator-(TwinInt p, TwinInt q) { return {p.a - q.a, p.b - q.b}; }
    friend FLOE_HD TwinInt operator&(TwinInt p, TwinInt q) { return {p.a & q.a, p.b & q.b}; }
    friend FLOE_HD TwinInt operator|(TwinInt p, TwinInt q) { return {p.a | q.a, p.b | q.b}; }
    friend FLOE_HD TwinInt operator<<(TwinInt p, int bits) { return {p.a << bits, p.b << bits}; }
    friend FLOE_HD TwinInt operator>>(TwinInt p, int bits) { return {p.a >> bits, p.b >> bits}; }
};

struct Twin {
    using Half = Pack<float, kNativeLanes>;
    Half a, b;

    Twin() = default;
    FLOE_HD Twin(Half p, Half q) : a(p), b(q) {}
    FLOE_HD Twin(float p) : a(p), b(p) {}

    friend FLOE_HD Twin operator+(Twin p, Twin q) { return {p.a + q.a, p.b + q.b}; }
    friend FLOE_HD Twin operator-(Twin p, Twin q) { return {p.a - q.a, p.b - q.b}; }
    friend FLOE_HD Twin operator*(Twin p, Twin q) { return {p.a * q.a, p.b * q.b}; }
    friend FLOE_HD Twin operator/(Twin p, Twin q) { return {p.a / q.a, p.b / q.b}; }
    friend FLOE_HD Twin operator-(Twin p) { return {-p.a, -p.b}; }
    FLOE_HD Twin& operator+=(Twin q) { return *this = *this + q; }
    FLOE_HD Twin& operator-=(Twin q) { return *this = *this - q; }
    FLOE_HD Twin& operator*=(Twin q) { return *this = *this * q; }

    friend FLOE_HD TwinMask operator<(Twin p, Twin q) { return {p.a < q.a, p.b < q.b}; }
    friend FLOE_HD TwinMask operator<=(Twin p, Twin q) { return {p.a <= q.a, p.b <= q.b}; }
    friend FLOE_HD TwinMask operator>(Twin p, Twin q) { return {p.a > q.a, p.b > q.b}; }
    friend FLOE_HD TwinMask operator>=(Twin p, Twin q) { return {p.a >= q.a, p.b >= q.b}; }
    friend FLOE_HD TwinMask operator==(Twin p, Twin q) { return {p.a == q.a, p.b == q.b}; }
};

template <>
struct LaneTraits<Twin> {
    using Mask = TwinMask;
    using Int = TwinInt;
    static constexpr int kLanes = 2 * kNativeLanes;
    static constexpr bool kSinglePrecision = true;
};

FLOE_HD Twin select(TwinMask m, Twin p, Twin q)
{
    return {select(m.a, p.a, q.a), select(m.b, p.b, q.b)};
}
FLOE_HD TwinInt select(TwinMask m, TwinInt p, TwinInt q)
{
    return {select(m.a, p.a, q.a), select(m.b, p.b, q.b)};
}
FLOE_HD bool any(TwinMask m)
{
    return any(m.a | m.b);
}
FLOE_HD bool all(TwinMask m)
{
    return all(m.a & m.b);
}
FLOE_HD Twin min(Twin p, Twin q)
{
    return {min(p.a, q.a), min(p.b, q.b)};
}
FLOE_HD Twin max(Twin p, Twin q)
{
    return {max(p.a, q.a), max(p.b, q.b)};
}
FLOE_HD Twin abs(Twin p)
{
    return {abs(p.a), abs(p.b)};
}
FLOE_HD Twin sqrt(Twin p)
{
    return {sqrt(p.a), sqrt(p.b)};
}
FLOE_HD Twin floor(Twin p)
{
    return {floor(p.a), floor(p.b)};
}
FLOE_HD TwinInt asInt(Twin p)
{
    return {asInt(p.a), asInt(p.b)};
}
FLOE_HD Twin asReal(TwinInt p)
{
    return {asReal(p.a), asReal(p.b)};
}
FLOE_HD TwinInt toInt(Twin p)
{
    return {toInt(p.a), toInt(p.b)};
}
FLOE_HD Twin toReal(TwinInt p)
{
    return {toReal(p.a), toReal(p.b)};
}

} // namespace FLOE_ISA
} // namespace floe::physics
