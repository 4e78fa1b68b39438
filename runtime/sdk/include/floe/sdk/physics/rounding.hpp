/// Sums with stochastic rounding (Croci et al. 2022, "Stochastic rounding: implementation, error
/// analysis and applications"): exact on average.
///
/// In one step, a particle of a stiff body moves by less than the spacing of single-precision
/// numbers at its position, and rounding to nearest would leave it there for ever. Rounding up or
/// down with probabilities given by the exact position is right on average. The random number is a
/// hash of the particle and the step, so a run repeats.
#pragma once

#include <floe/sdk/physics/vec.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

FLOE_HD std::int32_t wrappingProduct(std::int32_t a, std::int32_t b)
{
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}
template <class Int>
FLOE_HD Int wrappingProduct(Int a, Int b)
{
    return a * b;
}

/// 32 random bits: a hash of a particle's id and of its step's roundingSeed().
template <class Int>
FLOE_HD Int roundingBits(Int id, Int seed)
{
    // Right shifts of signed numbers fill with the sign bit, which is masked away.
    Int h = wrappingProduct(id ^ seed, Int(std::int32_t(0x9E3779B1)));
    h = wrappingProduct(h ^ ((h >> 15) & Int(0x1ffff)), Int(std::int32_t(0x85EBCA77)));
    return h ^ ((h >> 13) & Int(0x7ffff));
}

/// The seed of a step, a hash of the time at which it begins [s].
inline std::int32_t roundingSeed(double time)
{
    std::uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    bits *= 0x9E3779B97F4A7C15u;
    return static_cast<std::int32_t>(bits >> 32);
}

/// x + d, rounded up or down by the random `bits`. Exactly x where d is 0.
template <class Real>
FLOE_HD Real addStochastic(Real x, Real d, IntOf<Real> bits)
{
    using Int = IntOf<Real>;
    const Real spacing = asReal(asInt(x) & Int(0x7f800000)) * Real(1.1920929e-7f);
    const Real u = toReal(bits >> 8) * Real(5.9604645e-8f); // from -1/2 to 1/2
    return x + select(d == Real(0), d, d + u * spacing);
}
template <class Real>
FLOE_HD Vec3<Real> addStochastic(const Vec3<Real>& x, const Vec3<Real>& d, IntOf<Real> bits)
{
    using Int = IntOf<Real>;
    return {addStochastic(x.x, d.x, bits),
            addStochastic(x.y, d.y, wrappingProduct(bits, Int(std::int32_t(0xC2B2AE3D)))),
            addStochastic(x.z, d.z, wrappingProduct(bits, Int(std::int32_t(0x27D4EB2F))))};
}

/// Displacements [cells] below which addStochastic() pays off: rounding to nearest changes longer
/// ones by less than 1/4000.
inline constexpr float kShortStep = 1e-3f;

/// Returns x + d [cells]; short displacements are rounded stochastically.
/// @param id    the particle's  @param seed  roundingSeed() of the step
template <class Real>
FLOE_HD Vec3<Real> displaced(const Vec3<Real>& x, const Vec3<Real>& d, IntOf<Real> id,
                             IntOf<Real> seed)
{
    const MaskOf<Real> isShort = max(abs(d.x), max(abs(d.y), abs(d.z))) < Real(kShortStep);
    if (!any(isShort))
        return x + d;
    return select<Real>(isShort, addStochastic(x, d, roundingBits(id, seed)), x + d);
}

} // namespace FLOE_ISA
} // namespace floe::physics
