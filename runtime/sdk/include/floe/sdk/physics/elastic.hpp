/// Hyperelastic solids: fixed corotated, neo-Hookean, and Hencky (logarithmic) strain; each with
/// damping.
///
/// Kelvin-Voigt damping on the shear modulus: tau += 2 mu t_d D, D the symmetric part of the
/// velocity gradient, t_d a time [s]. A shear vibration of angular frequency w has the damping
/// ratio w t_d / 2. Without damping a body rings for ever, and Coulomb friction is ill-posed:
/// sliding feeds vibrations at any resolution, and their peaks sustain it (Adams 1995,
/// "Self-excited oscillations of two elastic half-spaces sliding with a constant coefficient of
/// friction").
#pragma once

#include <floe/sdk/physics/law.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

/// Bounds of the eigenvalues of a symmetric matrix (Gershgorin), exact when it is diagonal.
template <class Real>
FLOE_HD Real maxEigenvalue(const Sym3<Real>& b)
{
    const Real xy = abs(b.xy), xz = abs(b.xz), yz = abs(b.yz);
    return max(b.xx + xy + xz, max(b.yy + xy + yz, b.zz + xz + yz));
}
template <class Real>
FLOE_HD Real minEigenvalue(const Sym3<Real>& b)
{
    const Real xy = abs(b.xy), xz = abs(b.xz), yz = abs(b.yz);
    return min(b.xx - xy - xz, min(b.yy - xy - yz, b.zz - xz - yz));
}

/// Fixed corotated (Stomakhin et al. 2012, "Energetically consistent invertible elasticity"):
/// Psi = mu |F - R|^2 + lambda/2 (J - 1)^2,  tau = 2 mu (F - R) F^T + lambda (J - 1) J.
/// Defined for inverted F too.
struct FixedCorotated {
    float mu, lambda;  ///< Lame's parameters [Pa]
    float damping = 0; ///< t_d [s] >= 0

    static constexpr LawParameter kParameters[] = {{"youngModulus", "Pa", 1e5, 1, 1e13},
                                                   {"poissonRatio", "", 0.3, 0, 0.49},
                                                   {"damping", "s", 0, 0, 10}};
    static FixedCorotated fromParameters(const float* v)
    {
        const Lame lame = lameFromYoung(v[0], v[1]);
        return {lame.mu, lame.lambda, v[2]};
    }

    static constexpr bool kPlastic = false;
    FLOE_HD float restModulus() const { return lambda + 2 * mu; }
    FLOE_HD float initialState() const { return 1; }

    template <class Real>
    FLOE_HD Real energy(const Vec3<Real>& extension, Real) const
    {
        const Real v = volumeChange(extension);
        return Real(mu) * dot(extension, extension) + Real(0.5f * lambda) * v * v;
    }
    template <class Real>
    FLOE_HD Vec3<Real> principalStress(const Vec3<Real>& extension, Real) const
    {
        const Vec3<Real>& e = extension;
        const Real v = volumeChange(e), volumetric = Real(lambda) * v * (Real(1) + v);
        const Real m(2 * mu), one(1);
        return {m * e.x * (one + e.x) + volumetric, m * e.y * (one + e.y) + volumetric,
                m * e.z * (one + e.z) + volumetric};
    }
    /// The acoustic modulus along axis i is 2 mu sigma_i^2 + lambda J^2 (from sigma dtau/dsigma -
    /// tau).
    template <class Real>
    FLOE_HD Real waveModulus(const Vec3<Real>& extension, Real) const
    {
        const Real J = Real(1) + volumeChange(extension), s = Real(1) + largest(extension);
        return max(Real(2 * mu) * s * s + Real(lambda) * J * J, Real(restModulus()));
    }
    /// The largest acoustic modulus per length at rest: along axis i, that above over sigma_i^2.
    /// @param H  F - I  @param b  largestInverseSquare(H)
    template <class Real>
    FLOE_HD Real materialModulus(const Mat3<Real>& H, Real b) const
    {
        const Real J = Real(1) + volumeChange(H);
        return max(Real(2 * mu) + Real(lambda) * J * J * b, Real(restModulus()));
    }
    template <class Real>
    FLOE_HD MaskOf<Real> returnMap(Vec3<Real>&, Real&, Real) const
    {
        return Real(0) < Real(0);
    }
};

namespace elastic_detail {

/// Computes (F - R) F^T by polar decomposition where `moderate` is false. A separate function
/// because it is rarely needed.
template <class Real>
FLOE_COLD Sym3<Real> corotatedWhereNot(MaskOf<Real> moderate, const Mat3<Real>& H,
                                       const Sym3<Real>& s)
{
    const Mat3<Real> F = Mat3<Real>::identity() + H;
    const Mat3<Real> T = F - polarRotation(F);
    const auto at = [&](int i, int j, Real good) {
        return select(moderate, good, T[i][0] * F[j][0] + T[i][1] * F[j][1] + T[i][2] * F[j][2]);
    };
    return {at(0, 0, s.xx), at(0, 1, s.xy), at(0, 2, s.xz),
            at(1, 1, s.yy), at(1, 2, s.yz), at(2, 2, s.zz)};
}

} // namespace elastic_detail

/// Fixed corotated stress needs no decomposition as long as stretches are moderate: with V = sqrt(F
/// F^T) = I + Y, (F - R) F^T = V^2 - V = (F F^T - I) - Y.
template <class Real>
FLOE_HD Response<Real> respondToGradient(const FixedCorotated& law, Mat3<Real>& H, Real&, Real)
{
    const Sym3<Real> E = leftStrain(H), Y = rootMinusIdentity(E);
    const Real v = volumeChange(H), J = Real(1) + v, largest = maxEigenvalue(E);
    Sym3<Real> s{E.xx - Y.xx, E.xy - Y.xy, E.xz - Y.xz, E.yy - Y.yy, E.yz - Y.yz, E.zz - Y.zz};
    const MaskOf<Real> moderate =
        (minEigenvalue(E) > Real(-0.64f)) & (largest < Real(1.25f)) & (v > Real(-0.9f));
    if (!all(moderate)) {
        const Mat3<Real> copyH = H; // an object whose address is taken cannot live in registers
        const Sym3<Real> copy = s;
        s = elastic_detail::corotatedWhereNot(moderate, copyH, copy);
    }
    const Real m(2 * law.mu);
    return {addDiagonal(m * s, Real(law.lambda) * v * J),
            max(m * (Real(1) + largest) + Real(law.lambda) * J * J, Real(law.restModulus()))};
}

/// Neo-Hookean (Bonet and Wood 2008, eq. 6.27):
/// Psi = mu/2 (tr F F^T - 3) - mu ln J + lambda/2 (ln J)^2,  tau = mu (F F^T - 1) + lambda ln J.
/// J below 1/1000, or negative, counts as 1/1000.
struct NeoHookean {
    float mu, lambda;  ///< Lame's parameters [Pa]
    float damping = 0; ///< t_d [s] >= 0

    static constexpr LawParameter kParameters[] = {{"youngModulus", "Pa", 1e5, 1, 1e13},
                                                   {"poissonRatio", "", 0.3, 0, 0.49},
                                                   {"damping", "s", 0, 0, 10}};
    static NeoHookean fromParameters(const float* v)
    {
        const Lame lame = lameFromYoung(v[0], v[1]);
        return {lame.mu, lame.lambda, v[2]};
    }

    static constexpr bool kPlastic = false;
    FLOE_HD float restModulus() const { return lambda + 2 * mu; }
    FLOE_HD float initialState() const { return 1; }

    template <class Real>
    FLOE_HD Real energy(const Vec3<Real>& extension, Real) const
    {
        const Real logJ = logOnePlus(heldVolumeChange(extension));
        return Real(0.5f * mu) * sum(squareMinusOne(extension)) - Real(mu) * logJ +
               Real(0.5f * lambda) * logJ * logJ;
    }
    template <class Real>
    FLOE_HD Vec3<Real> principalStress(const Vec3<Real>& extension, Real) const
    {
        const Real m(mu), v = Real(lambda) * logOnePlus(heldVolumeChange(extension));
        const Vec3<Real> c = squareMinusOne(extension);
        return {m * c.x + v, m * c.y + v, m * c.z + v};
    }
    template <class Real>
    FLOE_HD Real waveModulus(const Vec3<Real>& extension, Real) const
    {
        const Real logJ = logOnePlus(heldVolumeChange(extension));
        const Real s = Real(1) + largest(extension);
        return max(Real(mu) * (s * s + Real(1)) + Real(lambda) * (Real(1) - logJ),
                   Real(restModulus()));
    }
    /// Like FixedCorotated's.
    template <class Real>
    FLOE_HD Real materialModulus(const Mat3<Real>& H, Real b) const
    {
        const Real logJ = logOnePlus(max(volumeChange(H), Real(-0.999f)));
        const Real m(mu), volumetric = Real(lambda) * max(Real(1) - logJ, Real(0));
        return max(m + (m + volumetric) * b, Real(restModulus()));
    }
    template <class Real>
    FLOE_HD MaskOf<Real> returnMap(Vec3<Real>&, Real&, Real) const
    {
        return Real(0) < Real(0);
    }
};

/// Neo-Hookean stress needs no decomposition at all.
template <class Real>
FLOE_HD Response<Real> respondToGradient(const NeoHookean& law, Mat3<Real>& H, Real&, Real)
{
    const Sym3<Real> E = leftStrain(H);
    const Real logJ = logOnePlus(max(volumeChange(H), Real(-0.999f)));
    const Real mu(law.mu);
    const Sym3<Real> tau = addDiagonal(mu * E, Real(law.lambda) * logJ);
    return {tau, max(mu * (maxEigenvalue(E) + Real(2)) + Real(law.lambda) * (Real(1) - logJ),
                     Real(law.restModulus()))};
}

/// Quadratic in the Hencky strain epsilon = ln sigma (St. Venant-Kirchhoff with logarithmic strain;
/// Klar et al. 2016): Psi = mu |epsilon|^2 + lambda/2 (tr epsilon)^2,  tau_i = 2 mu epsilon_i +
/// lambda tr epsilon. The base of the plastic laws: on it, flow is a straight line in epsilon.
struct Hencky {
    float mu, lambda;  ///< Lame's parameters [Pa]
    float damping = 0; ///< t_d [s] >= 0

    static constexpr LawParameter kParameters[] = {{"youngModulus", "Pa", 1e5, 1, 1e13},
                                                   {"poissonRatio", "", 0.3, 0, 0.49},
                                                   {"damping", "s", 0, 0, 10}};
    static Hencky fromParameters(const float* v)
    {
        const Lame lame = lameFromYoung(v[0], v[1]);
        return {lame.mu, lame.lambda, v[2]};
    }

    static constexpr bool kPlastic = false;
    FLOE_HD float restModulus() const { return lambda + 2 * mu; }
    FLOE_HD float initialState() const { return 0; }

    template <class Real>
    FLOE_HD Real energy(const Vec3<Real>& extension, Real) const
    {
        const Vec3<Real> e = logarithmicStrain(extension);
        const Real t = sum(e);
        return Real(mu) * dot(e, e) + Real(0.5f * lambda) * t * t;
    }
    template <class Real>
    FLOE_HD Vec3<Real> principalStress(const Vec3<Real>& extension, Real) const
    {
        const Vec3<Real> e = logarithmicStrain(extension);
        const Real m(2 * mu), v = Real(lambda) * sum(e);
        return {m * e.x + v, m * e.y + v, m * e.z + v};
    }
    /// sigma dtau/dsigma - tau = lambda + 2 mu - tau_i: stiffer under pressure.
    template <class Real>
    FLOE_HD Real waveModulus(const Vec3<Real>& extension, Real state) const
    {
        const Vec3<Real> tau = principalStress(extension, state);
        const Real lowest = min(tau.x, min(tau.y, tau.z));
        return Real(restModulus()) + max(-lowest, Real(0));
    }
    /// Like FixedCorotated's.
    template <class Real>
    FLOE_HD Real materialModulus(const Mat3<Real>& H, Real b) const
    {
        // tau along the shortest axis, where 2 ln sigma = -ln b
        const Real logJ = logOnePlus(max(volumeChange(H), Real(-0.999f)));
        const Real tau = Real(lambda) * logJ - Real(mu) * logOnePlus(b - Real(1));
        return max((Real(restModulus()) - tau) * b, Real(restModulus()));
    }
    template <class Real>
    FLOE_HD MaskOf<Real> returnMap(Vec3<Real>&, Real&, Real) const
    {
        return Real(0) < Real(0);
    }
};

/// Returns a law's shear viscosity [Pa s], which limits the time step besides wave speed.
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
