/// Hyperelastic solids: fixed corotated, neo-Hookean, and Hencky (logarithmic) strain; each with
/// damping.
///
/// Damping is Kelvin and Voigt's, on the shear modulus: tau += 2 mu t_d D, D the symmetric part of
/// the velocity gradient, t_d a time [s]. A shear vibration of angular frequency w loses energy at
/// the ratio w t_d / 2. Without it a body rings for ever, and Coulomb friction is ill-posed:
/// sliding feeds vibrations of the body, at any resolution, and their peaks carry it on (Adams
/// 1995, "Self- excited oscillations of two elastic half-spaces sliding with a constant coefficient
/// of friction").
#pragma once

#include <floe/sdk/physics/law.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

/// An upper bound of the largest eigenvalue of F F^T (Gershgorin), equal to it for F = I.
template <class Real>
FLOE_HD Real largestSquaredStretch(const Sym3<Real>& b)
{
    const Real xy = abs(b.xy), xz = abs(b.xz), yz = abs(b.yz);
    return max(b.xx + xy + xz, max(b.yy + xy + yz, b.zz + xz + yz));
}

/// Fixed corotated (Stomakhin et al. 2012, "Energetically consistent invertible elasticity"):
/// Psi = mu |F - R|^2 + lambda/2 (J - 1)^2,  tau = 2 mu (F - R) F^T + lambda (J - 1) J.
/// Defined for inverted F too.
struct FixedCorotated {
    float mu, lambda;  ///< Lame's parameters [Pa]
    float damping = 0; ///< t_d [s] >= 0

    static constexpr bool kPlastic = false;
    FLOE_HD float restModulus() const { return lambda + 2 * mu; }
    FLOE_HD float initialState() const { return 1; }

    template <class Real>
    FLOE_HD Real energy(const Vec3<Real>& sigma, Real) const
    {
        const Real a = sigma.x - Real(1), b = sigma.y - Real(1), c = sigma.z - Real(1);
        const Real v = product(sigma) - Real(1);
        return Real(mu) * (a * a + b * b + c * c) + Real(0.5f * lambda) * v * v;
    }
    template <class Real>
    FLOE_HD Vec3<Real> principalStress(const Vec3<Real>& sigma, Real) const
    {
        const Real J = product(sigma), volumetric = Real(lambda) * (J - Real(1)) * J;
        const Real m(2 * mu);
        return {m * (sigma.x - Real(1)) * sigma.x + volumetric,
                m * (sigma.y - Real(1)) * sigma.y + volumetric,
                m * (sigma.z - Real(1)) * sigma.z + volumetric};
    }
    /// The acoustic modulus along axis i is 2 mu sigma_i^2 + lambda J^2 (from sigma dtau/dsigma -
    /// tau).
    template <class Real>
    FLOE_HD Real waveModulus(const Vec3<Real>& sigma, Real) const
    {
        const Real J = product(sigma), s = largest(sigma);
        return max(Real(2 * mu) * s * s + Real(lambda) * J * J, Real(restModulus()));
    }
    template <class Real>
    FLOE_HD MaskOf<Real> returnMap(Vec3<Real>&, Real&, Real) const
    {
        return Real(0) < Real(0);
    }
};

/// Fixed corotated stress by polar decomposition, several times cheaper than a full decomposition.
template <class Real>
FLOE_HD Response<Real> respond(const FixedCorotated& law, Mat3<Real>& F, Real&, Real)
{
    const Mat3<Real> R = polarRotation(F);
    const Real J = determinant(F);
    const Mat3<Real> T = F - R;
    const Sym3<Real> b = timesOwnTranspose(F);
    // (F - R) F^T is symmetric: F F^T - R F^T, and R F^T = R S R^T.
    const Real m(2 * law.mu);
    const Real volumetric = Real(law.lambda) * (J - Real(1)) * J;
    Sym3<Real> tau;
    tau.xx = m * (T[0][0] * F[0][0] + T[0][1] * F[0][1] + T[0][2] * F[0][2]) + volumetric;
    tau.xy = m * (T[0][0] * F[1][0] + T[0][1] * F[1][1] + T[0][2] * F[1][2]);
    tau.xz = m * (T[0][0] * F[2][0] + T[0][1] * F[2][1] + T[0][2] * F[2][2]);
    tau.yy = m * (T[1][0] * F[1][0] + T[1][1] * F[1][1] + T[1][2] * F[1][2]) + volumetric;
    tau.yz = m * (T[1][0] * F[2][0] + T[1][1] * F[2][1] + T[1][2] * F[2][2]);
    tau.zz = m * (T[2][0] * F[2][0] + T[2][1] * F[2][1] + T[2][2] * F[2][2]) + volumetric;
    return {tau,
            max(m * largestSquaredStretch(b) + Real(law.lambda) * J * J, Real(law.restModulus()))};
}

/// Neo-Hookean (Bonet and Wood 2008, eq. 6.27):
/// Psi = mu/2 (tr F F^T - 3) - mu ln J + lambda/2 (ln J)^2,  tau = mu (F F^T - 1) + lambda ln J.
/// J below 1/1000, or negative, counts as 1/1000.
struct NeoHookean {
    float mu, lambda;  ///< Lame's parameters [Pa]
    float damping = 0; ///< t_d [s] >= 0

    static constexpr bool kPlastic = false;
    FLOE_HD float restModulus() const { return lambda + 2 * mu; }
    FLOE_HD float initialState() const { return 1; }

    template <class Real>
    FLOE_HD Real energy(const Vec3<Real>& sigma, Real) const
    {
        const Real logJ = log(max(product(sigma), Real(1e-3f)));
        return Real(0.5f * mu) * (dot(sigma, sigma) - Real(3)) - Real(mu) * logJ +
               Real(0.5f * lambda) * logJ * logJ;
    }
    template <class Real>
    FLOE_HD Vec3<Real> principalStress(const Vec3<Real>& sigma, Real) const
    {
        const Real v = Real(lambda) * log(max(product(sigma), Real(1e-3f))) - Real(mu);
        return {Real(mu) * sigma.x * sigma.x + v, Real(mu) * sigma.y * sigma.y + v,
                Real(mu) * sigma.z * sigma.z + v};
    }
    template <class Real>
    FLOE_HD Real waveModulus(const Vec3<Real>& sigma, Real) const
    {
        const Real logJ = log(max(product(sigma), Real(1e-3f))), s = largest(sigma);
        return max(Real(mu) * (s * s + Real(1)) + Real(lambda) * (Real(1) - logJ),
                   Real(restModulus()));
    }
    template <class Real>
    FLOE_HD MaskOf<Real> returnMap(Vec3<Real>&, Real&, Real) const
    {
        return Real(0) < Real(0);
    }
};

/// Neo-Hookean stress needs no decomposition at all.
template <class Real>
FLOE_HD Response<Real> respond(const NeoHookean& law, Mat3<Real>& F, Real&, Real)
{
    const Sym3<Real> b = timesOwnTranspose(F);
    const Real logJ = log(max(determinant(F), Real(1e-3f)));
    const Real mu(law.mu);
    const Sym3<Real> tau = addDiagonal(mu * b, Real(law.lambda) * logJ - mu);
    return {tau,
            max(mu * (largestSquaredStretch(b) + Real(1)) + Real(law.lambda) * (Real(1) - logJ),
                Real(law.restModulus()))};
}

/// Quadratic in the Hencky strain epsilon = ln sigma (St. Venant-Kirchhoff with logarithmic strain;
/// Klar et al. 2016): Psi = mu |epsilon|^2 + lambda/2 (tr epsilon)^2,  tau_i = 2 mu epsilon_i +
/// lambda tr epsilon. The base of the plastic laws: on it, flow is a straight line in epsilon.
struct Hencky {
    float mu, lambda;  ///< Lame's parameters [Pa]
    float damping = 0; ///< t_d [s] >= 0

    static constexpr bool kPlastic = false;
    FLOE_HD float restModulus() const { return lambda + 2 * mu; }
    FLOE_HD float initialState() const { return 0; }

    template <class Real>
    FLOE_HD Real energy(const Vec3<Real>& sigma, Real) const
    {
        const Vec3<Real> e = logarithm(sigma);
        const Real t = sum(e);
        return Real(mu) * dot(e, e) + Real(0.5f * lambda) * t * t;
    }
    template <class Real>
    FLOE_HD Vec3<Real> principalStress(const Vec3<Real>& sigma, Real) const
    {
        const Vec3<Real> e = logarithm(sigma);
        const Real m(2 * mu), v = Real(lambda) * sum(e);
        return {m * e.x + v, m * e.y + v, m * e.z + v};
    }
    /// sigma dtau/dsigma - tau = lambda + 2 mu - tau_i: stiffer under pressure.
    template <class Real>
    FLOE_HD Real waveModulus(const Vec3<Real>& sigma, Real state) const
    {
        const Vec3<Real> tau = principalStress(sigma, state);
        const Real lowest = min(tau.x, min(tau.y, tau.z));
        return Real(restModulus()) + max(-lowest, Real(0));
    }
    template <class Real>
    FLOE_HD MaskOf<Real> returnMap(Vec3<Real>&, Real&, Real) const
    {
        return Real(0) < Real(0);
    }
};

/// A law's shear viscosity [Pa s]: what limits the time step besides waves.
template <class Law>
FLOE_HD float shearViscosity(const Law& law)
{
    if constexpr (requires { law.damping; })
        return law.mu * law.damping;
    else
        return 0;
}

template <class Law>
FLOE_HD bool isDamped(const Law& law)
{
    if constexpr (requires { law.damping; })
        return law.damping > 0;
    else
        return false;
}

/// Adds the damping of a law that isDamped().
/// @param grad  velocity gradient [1/s]
template <class Law, class Real>
FLOE_HD void addDamping(const Law& law, const Mat3<Real>& grad, Sym3<Real>& tau)
{
    const Real m(shearViscosity(law)), m2 = m + m;
    tau.xx = tau.xx + m2 * grad[0][0];
    tau.xy = tau.xy + m * (grad[0][1] + grad[1][0]);
    tau.xz = tau.xz + m * (grad[0][2] + grad[2][0]);
    tau.yy = tau.yy + m2 * grad[1][1];
    tau.yz = tau.yz + m * (grad[1][2] + grad[2][1]);
    tau.zz = tau.zz + m2 * grad[2][2];
}

} // namespace FLOE_ISA
} // namespace floe::physics
