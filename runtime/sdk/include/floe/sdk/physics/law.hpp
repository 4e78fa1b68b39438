/// What a constitutive law is, and how any law turns a deformation gradient into a stress.
///
/// A law is a small struct of floats in SI units, trivially copyable to a device, with
///
///     static constexpr bool kPlastic;                  // may returnMap change anything?
///     float restModulus() const;                       // wave modulus at rest, rho c^2 [Pa]
///     float initialState() const;                      // of the scalar `state` below
///     Real energy(sigma, state) const;                 // per rest volume [J/m^3]
///     Vec3 principalStress(sigma, state) const;        // Kirchhoff stress along the axes of U
///     [Pa] Real waveModulus(sigma, state) const;            // >= rho0 c^2 of the fastest wave
///     here [Pa] MaskOf returnMap(sigma&, state&, dt) const;      // trial -> admissible; true
///     where it changed
///
/// over principal stretches sigma (singular values of the elastic F, svd.hpp) and one scalar
/// `state` whose meaning is the law's (plastic volume of snow, lost volume of sand, ...). returnMap
/// is idempotent: mapping an admissible state again changes nothing beyond rounding (where the law
/// has softened, it follows its smaller surface); with dt = 0 a rate-dependent law changes nothing
/// at all.
///
/// tau = P F^T = sum_i sigma_i dPsi/dsigma_i u_i u_i^T (Kirchhoff stress; Bonet and Wood 2008, ch.
/// 5-6). A particle's stiffness factor multiplies stress, energy and modulus from outside: it
/// scales every modulus and yield stress of its material alike.
#pragma once

#include <floe/sdk/physics/elementary.hpp>
#include <floe/sdk/physics/svd.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

/// Lame's parameters [Pa] from Young's modulus E > 0 [Pa] and Poisson's ratio 0 <= nu < 0.5.
struct Lame {
    float mu, lambda;
};
FLOE_HD Lame lameFromYoung(float youngModulus, float poissonRatio)
{
    return {youngModulus / (2 * (1 + poissonRatio)),
            youngModulus * poissonRatio / ((1 + poissonRatio) * (1 - 2 * poissonRatio))};
}

template <class Real>
struct Response {
    Sym3<Real> tau;   ///< Kirchhoff stress [Pa]
    Real waveModulus; ///< bound of rho0 c^2 [Pa]
};

template <class Real>
FLOE_HD Real largest(const Vec3<Real>& a)
{
    return max(a.x, max(a.y, a.z));
}
template <class Real>
FLOE_HD Real product(const Vec3<Real>& a)
{
    return a.x * a.y * a.z;
}
template <class Real>
FLOE_HD Vec3<Real> logarithm(const Vec3<Real>& sigma)
{
    // A crushed or inverted stretch counts as 1/1000: finite stress that pushes it open again.
    const Real least(1e-3f);
    return {log(max(sigma.x, least)), log(max(sigma.y, least)), log(max(sigma.z, least))};
}
template <class Real>
FLOE_HD Vec3<Real> exponential(const Vec3<Real>& a)
{
    return {exp(a.x), exp(a.y), exp(a.z)};
}
/// a without its mean
template <class Real>
FLOE_HD Vec3<Real> deviator(const Vec3<Real>& a)
{
    const Real mean = Real(1.0f / 3.0f) * sum(a);
    return {a.x - mean, a.y - mean, a.z - mean};
}

/// Return map and stress with one singular value decomposition.
/// @param F      in: trial elastic deformation gradient; out: the admissible one
/// @param state  the law's scalar, updated
/// @param dt     time since the last call [s], for rate-dependent flow
template <class Law, class Real>
FLOE_HD Response<Real> respond(const Law& law, Mat3<Real>& F, Real& state, Real dt)
{
    Svd<Real> s = svd(F);
    if constexpr (Law::kPlastic) {
        const MaskOf<Real> yielded = law.returnMap(s.sigma, state, dt);
        F = select<Real>(yielded, compose(s.U, s.sigma, s.V), F);
    }
    return {conjugateDiagonal(s.U, law.principalStress(s.sigma, state)),
            law.waveModulus(s.sigma, state)};
}

} // namespace FLOE_ISA
} // namespace floe::physics
