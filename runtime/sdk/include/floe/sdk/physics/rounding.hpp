/// Sums that lose nothing on average: stochastic rounding.
///
/// A particle of a stiff body moves by less in a step than the distance between two
/// single-precision numbers at its place, and would for ever be rounded back to where it was.
/// Rounded up or down with the chances that its true place gives, it moves right on average (Croci
/// et al. 2022, "Stochastic rounding: implementation, error analysis and applications"). Chance is
/// a hash of the particle and the step, so a run repeats.
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

/// 32 bits that look random, of a particle's id and a number that differs from step to step.
template <class Int>
FLOE_HD Int chanceOf(Int id, Int step)
{
    // Shifts of signed numbers fill up with the sign, which is masked away.
    Int h = wrappingProduct(id ^ step, Int(std::int32_t(0x9E3779B1)));
    h = wrappingProduct(h ^ ((h >> 15) & Int(0x1ffff)), Int(std::int32_t(0x85EBCA77)));
    return h ^ ((h >> 13) & Int(0x7ffff));
}

/// The number of a step, from the time at which it begins [s].
inline std::int32_t chanceOfStep(double time)
{
    std::uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    bits *= 0x9E3779B97F4A7C15u;
    return static_cast<std::int32_t>(bits >> 32);
}

/// x + d, rounded up or down as `chance` says. Exactly x where d is 0.
template <class Real>
FLOE_HD Real addByChance(Real x, Real d, IntOf<Real> chance)
{
    using Int = IntOf<Real>;
    const Real spacing = asReal(asInt(x) & Int(0x7f800000)) * Real(1.1920929e-7f);
    const Real u = toReal(chance >> 8) * Real(5.9604645e-8f); // from -1/2 to 1/2
    return x + select(d == Real(0), d, d + u * spacing);
}
template <class Real>
FLOE_HD Vec3<Real> addByChance(const Vec3<Real>& x, const Vec3<Real>& d, IntOf<Real> chance)
{
    using Int = IntOf<Real>;
    return {addByChance(x.x, d.x, chance),
            addByChance(x.y, d.y, wrappingProduct(chance, Int(std::int32_t(0xC2B2AE3D)))),
            addByChance(x.z, d.z, wrappingProduct(chance, Int(std::int32_t(0x27D4EB2F))))};
}

/// Steps [cells] below which addByChance() is worth its time: the rounding of longer ones errs by
/// less than 1/4000 of them.
inline constexpr float kShortStep = 1e-3f;

} // namespace FLOE_ISA
} // namespace floe::physics
