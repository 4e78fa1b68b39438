/// exp, log and powers for every lane type.
///
/// The C library's functions take one number at a time and differ between CPU and GPU. These use
/// the same operations for a float, a pack and a CUDA thread: Cody and Waite's range reduction,
/// then the polynomials of Moshier's Cephes library. Error below 2 units in the last place over the
/// ranges given. In double precision (tests) they call the C library.
#pragma once

#include <floe/sdk/physics/lane.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

/// e^x. Below -87 the result is about 1.6e-38 instead of less, above 88 about 1.6e38: never
/// infinite, never denormal.
template <class Real>
FLOE_HD Real exp(Real x)
{
    x = clamp(x, Real(-87.0f), Real(88.0f));
    const Real magic(12582912.0f); // 1.5 * 2^23: adding it rounds to a whole number
    const Real n = (x * Real(1.44269504088896341f) + magic) - magic;
    const Real r = (x - n * Real(0.693359375f)) - n * Real(-2.12194440e-4f);
    Real p(1.9875691500e-4f);
    p = p * r + Real(1.3981999507e-3f);
    p = p * r + Real(8.3334519073e-3f);
    p = p * r + Real(4.1665795894e-2f);
    p = p * r + Real(1.6666665459e-1f);
    p = p * r + Real(5.0000001201e-1f);
    p = p * (r * r) + r + Real(1.0f);
    const IntOf<Real> exponent = (toInt(n) + IntOf<Real>(127)) << 23;
    return p * asReal(exponent);
}

/// Natural logarithm for x >= 1.2e-38 (the smallest normal number); a smaller or negative x is
/// taken as that number, so the result is never NaN or infinite for a finite x.
template <class Real>
FLOE_HD Real log(Real x)
{
    using Int = IntOf<Real>;
    x = max(x, Real(1.17549435e-38f));
    const Int bits = asInt(x);
    Real e = toReal((bits >> 23) - Int(126));
    Real m = asReal((bits & Int(0x007fffff)) | Int(0x3f000000)); // in [0.5, 1)
    const MaskOf<Real> low = m < Real(0.707106781186547524f);
    e = select(low, e - Real(1.0f), e);
    m = select(low, m + m - Real(1.0f), m - Real(1.0f));
    const Real z = m * m;
    Real p(7.0376836292e-2f);
    p = p * m + Real(-1.1514610310e-1f);
    p = p * m + Real(1.1676998740e-1f);
    p = p * m + Real(-1.2420140846e-1f);
    p = p * m + Real(1.4249322787e-1f);
    p = p * m + Real(-1.6668057665e-1f);
    p = p * m + Real(2.0000714765e-1f);
    p = p * m + Real(-2.4999993993e-1f);
    p = p * m + Real(3.3333331174e-1f);
    Real y = m * z * p + e * Real(-2.12194440e-4f) - Real(0.5f) * z;
    return m + y + e * Real(0.693359375f);
}

FLOE_HD double exp(double x)
{
    return ::exp(x);
}
FLOE_HD double log(double x)
{
    return ::log(x);
}

/// log(1 + x) with the relative precision of x, for x > -1.
template <class Real>
FLOE_HD Real logOnePlus(Real x)
{
    const Real u = Real(1) + x;
    // adds back what 1 + x lost to rounding
    return log(u) + (x - (u - Real(1))) / max(u, Real(1e-30f));
}
FLOE_HD double logOnePlus(double x)
{
    return ::log1p(x);
}

/// e^x - 1 with the relative precision of x. Range as exp.
template <class Real>
FLOE_HD Real expMinusOne(Real x)
{
    x = clamp(x, Real(-87.0f), Real(88.0f));
    const Real magic(12582912.0f); // as in exp
    const Real n = (x * Real(1.44269504088896341f) + magic) - magic;
    const Real r = (x - n * Real(0.693359375f)) - n * Real(-2.12194440e-4f);
    Real p(1.9875691500e-4f);
    p = p * r + Real(1.3981999507e-3f);
    p = p * r + Real(8.3334519073e-3f);
    p = p * r + Real(4.1665795894e-2f);
    p = p * r + Real(1.6666665459e-1f);
    p = p * r + Real(5.0000001201e-1f);
    p = p * (r * r) + r;
    const Real scale = asReal((toInt(n) + IntOf<Real>(127)) << 23);
    return p * scale + (scale - Real(1));
}
FLOE_HD double expMinusOne(double x)
{
    return ::expm1(x);
}

/// x^a for x > 0. Relative error grows as |a log x| units in the last place.
template <class Real>
FLOE_HD Real power(Real x, Real a)
{
    return exp(a * log(x));
}

/// The cube root of x > 0.
template <class Real>
FLOE_HD Real cubeRoot(Real x)
{
    return exp(Real(1.0f / 3.0f) * log(x));
}
FLOE_HD double cubeRoot(double x)
{
    return ::cbrt(x);
}

} // namespace FLOE_ISA
} // namespace floe::physics
