/// The elastic energy, split into volume and shape (Simo 1988), that HerschelBulkley and CamClay
/// share:
///
///     Psi = kappa/2 ((J^2 - 1)/2 - ln J) + mu/2 (J^(-2/3) tr b - 3),   b = F F^T
///     tau = kappa/2 (J^2 - 1) + mu J^(-2/3) dev b
#pragma once

#include <floe/sdk/physics/law.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

struct SplitNeoHookean {
    float mu, kappa; ///< shear and bulk modulus [Pa]

    FLOE_HD float restModulus() const { return kappa + 4.0f / 3.0f * mu; }

    template <class Real>
    FLOE_HD Real energy(const Vec3<Real>& extension, Real) const
    {
        const Real v = heldVolumeChange(extension), logJ = logOnePlus(v);
        const Real scale = exp(Real(-2.0f) * logJ / Real(3));
        const Real shape = scale * sum(squareMinusOne(extension)) +
                           Real(3) * expMinusOne(Real(-2.0f) * logJ / Real(3));
        return Real(0.5f * kappa) * (Real(0.5f) * v * (Real(2) + v) - logJ) +
               Real(0.5f * mu) * shape;
    }
    /// mu J^(-2/3) dev(b): the deviatoric part of tau along the principal axes [Pa]
    /// @param v  J - 1, clamped
    template <class Real>
    FLOE_HD Vec3<Real> deviatoricStress(const Vec3<Real>& extension, Real v) const
    {
        const Real shear = Real(mu) * exp(Real(-2.0f) * logOnePlus(v) / Real(3));
        return shear * deviator(squareMinusOne(extension));
    }
    template <class Real>
    FLOE_HD Vec3<Real> principalStress(const Vec3<Real>& extension, Real) const
    {
        const Real v = heldVolumeChange(extension), p = Real(0.5f * kappa) * v * (Real(2) + v);
        const Vec3<Real> d = deviatoricStress(extension, v);
        return {d.x + p, d.y + p, d.z + p};
    }
    template <class Real>
    FLOE_HD Real waveModulus(const Vec3<Real>& extension, Real) const
    {
        const Real v = heldVolumeChange(extension), J = Real(1) + v;
        const Real s = Real(1) + largest(extension);
        const Real shear =
            Real(4.0f / 3.0f * mu) * exp(Real(-2.0f) * logOnePlus(v) / Real(3)) * s * s;
        // kappa J^2 - tau is at most kappa (J^2 + 1)/2
        return max(Real(0.5f * kappa) * (J * J + Real(1)) + shear, Real(restModulus()));
    }
    /// Returns extensions with the deviatoric stress `d` [Pa] and the volume change v = J - 1: the
    /// end of a volume-preserving flow.
    ///
    /// With a = dev b given by d, the mean m of b solves det b = prod(a_i + m) = J^2: a cubic
    /// without a square term, m^3 - 3 r^2 m + prod a = J^2, r^2 = |a|^2/6. Its largest root is the
    /// one with every b_i > 0, and Newton's method falls to it from above without overshoot. It is
    /// solved for m - 1.
    template <class Real>
    FLOE_HD Vec3<Real> extensions(const Vec3<Real>& d, Real v) const
    {
        const Real sphere = expMinusOne(Real(2.0f) * logOnePlus(v) / Real(3)); // m - 1 at d = 0
        const Vec3<Real> a = ((Real(1) + sphere) / Real(mu)) * d;
        const Real r2 = Real(1.0f / 6.0f) * dot(a, a), three(3);
        const Real constant = a.x * a.y * a.z - v * (Real(2) + v);
        Real n = sphere + Real(2) * sqrt(r2); // above the root, because prod a >= -2 r^3
        for (int i = 0; i < 6; ++i) {
            const Real m = Real(1) + n;
            const Real slope = three * (m * m - r2);
            n = n - (n * (three + n * (three + n)) - three * r2 * m + constant) /
                        max(slope, Real(1e-20f));
        }
        const Real least(-0.99999999f); // guards against rounding of m beside a stretch of 1e-4
        return {rootMinusOne(max(a.x + n, least)), rootMinusOne(max(a.y + n, least)),
                rootMinusOne(max(a.z + n, least))};
    }
};

} // namespace FLOE_ISA
} // namespace floe::physics
