/// B-splines: the weights between a particle and its 3x3x3 (quadratic) or 4x4x4 (cubic) nodes.
///
/// Steffen, Kirby and Berzins 2008, "Analysis and reduction of quadrature errors in the material
/// point method"; in the node-centred form used by Hu et al. 2018 (MLS-MPM). The second moment of
/// these weights is dx^2/4 in every direction wherever the particle is, which is why the affine
/// matrix of APIC needs no inverse: C = 4/dx^2 sum w v (x_i - x_p)^T. That of cubic ones is dx^2/3
/// (Jiang et al. 2015).
#pragma once

#include <floe/sdk/physics/vec.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

/// The weights of one axis.
template <class Real, int Support = 3>
struct SplineWeights {
    Real base;       ///< index of the first of the nodes, as a whole number [cells]
    Real f;          ///< distance from that node [cells]: quadratic in [0.5, 1.5), cubic in [1, 2)
    Real w[Support]; ///< weights of nodes base, base + 1, ...; they sum to 1
};

/// @param x  position along one axis in cells, nodes at whole numbers; |x| < 2^22
template <class Real>
FLOE_HD SplineWeights<Real> quadraticSpline(Real x)
{
    SplineWeights<Real> s;
    s.base = floor(x - Real(0.5f));
    s.f = x - s.base;
    const Real a = Real(1.5f) - s.f;
    const Real b = s.f - Real(1.0f);
    const Real c = s.f - Real(0.5f);
    s.w[0] = Real(0.5f) * a * a;
    s.w[1] = Real(0.75f) - b * b;
    s.w[2] = Real(0.5f) * c * c;
    return s;
}

/// @param x  as above
template <class Real>
FLOE_HD SplineWeights<Real, 4> cubicSpline(Real x)
{
    SplineWeights<Real, 4> s;
    const Real whole = floor(x), sixth(1.0f / 6.0f), twoThirds(2.0f / 3.0f);
    s.base = whole - Real(1.0f);
    s.f = x - s.base;
    const Real t = x - whole, u = Real(1.0f) - t;
    s.w[0] = sixth * u * u * u;
    s.w[1] = (Real(0.5f) * t - Real(1.0f)) * t * t + twoThirds;
    s.w[3] = sixth * t * t * t;
    s.w[2] =
        Real(1.0f) - (s.w[0] + s.w[1] + s.w[3]); // exact sum: conserves momentum to the last bit
    return s;
}

/// Inverse of the second moment of the weights [1/dx^2], by the nodes along an axis: APIC's D is
/// dx^2/4 or dx^2/3 (Jiang et al. 2015).
template <int kSupport>
inline constexpr float kInverseMoment = kSupport == 3 ? 4.0f : 3.0f;

/// The spline with a support of so many nodes along an axis: 3, quadratic, or 4, cubic.
template <int Support, class Real>
FLOE_HD SplineWeights<Real, Support> spline(Real x)
{
    static_assert(Support == 3 || Support == 4);
    if constexpr (Support == 3)
        return quadraticSpline(x);
    else
        return cubicSpline(x);
}

} // namespace FLOE_ISA
} // namespace floe::physics
