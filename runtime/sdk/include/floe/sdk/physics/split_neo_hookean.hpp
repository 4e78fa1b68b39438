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
    static FLOE_HD Real safeJ(const Vec3<Real>& sigma)
    {
        return max(product(sigma), Real(1e-3f));
    }
    template <class Real>
    FLOE_HD Real energy(const Vec3<Real>& sigma) const
    {
        const Real J = safeJ(sigma), logJ = log(J);
        const Real shape = exp(Real(-2.0f) * logJ / Real(3)) * dot(sigma, sigma) - Real(3);
        return Real(0.5f * kappa) * (Real(0.5f) * (J * J - Real(1)) - logJ) +
               Real(0.5f * mu) * shape;
    }
    /// mu J^(-2/3) dev(b): the deviatoric part of tau along the principal axes [Pa]
    template <class Real>
    FLOE_HD Vec3<Real> deviatoricStress(const Vec3<Real>& sigma, Real J) const
    {
        const Real shear = Real(mu) * exp(Real(-2.0f) * log(J) / Real(3));
        return shear *
               deviator(Vec3<Real>{sigma.x * sigma.x, sigma.y * sigma.y, sigma.z * sigma.z});
    }
    template <class Real>
    FLOE_HD Vec3<Real> stress(const Vec3<Real>& sigma) const
    {
        const Real J = safeJ(sigma), p = Real(0.5f * kappa) * (J * J - Real(1));
        const Vec3<Real> d = deviatoricStress(sigma, J);
        return {d.x + p, d.y + p, d.z + p};
    }
    template <class Real>
    FLOE_HD Real waveModulus(const Vec3<Real>& sigma) const
    {
        const Real J = safeJ(sigma), s = largest(sigma);
        const Real shear = Real(4.0f / 3.0f * mu) * exp(Real(-2.0f) * log(J) / Real(3)) * s * s;
        // kappa J^2 - tau is at most kappa (J^2 + 1)/2
        return max(Real(0.5f * kappa) * (J * J + Real(1)) + shear, Real(restModulus()));
    }
    /// Stretches that have the deviatoric stress `d` [Pa] and the volume ratio J: where a flow that
    /// keeps the volume ends.
    ///
    /// With a = dev b given by d, the mean m of b solves det b = prod(a_i + m) = J^2: a cubic
    /// without a square term, m^3 - 3 r^2 m + prod a = J^2, r^2 = |a|^2/6. Its largest root is the
    /// one with every b_i > 0, and Newton's method falls to it from above without overshoot.
    template <class Real>
    FLOE_HD Vec3<Real> stretches(const Vec3<Real>& d, Real J) const
    {
        const Real meanOfSphere = exp(Real(2.0f) * log(J) / Real(3)); // J^(2/3), m at d = 0
        const Vec3<Real> a = (meanOfSphere / Real(mu)) * d;
        const Real r2 = Real(1.0f / 6.0f) * dot(a, a);
        const Real constant = product(a) - J * J;
        Real m = meanOfSphere + Real(2) * sqrt(r2); // above the root, because prod a >= -2 r^3
        for (int i = 0; i < 6; ++i) {
            const Real m2 = m * m;
            const Real slope = Real(3) * (m2 - r2);
            m = m - (m * (m2 - Real(3) * r2) + constant) / max(slope, Real(1e-20f));
        }
        const Real least(1e-8f); // rounding of m beside a stretch of 1e-4
        return {sqrt(max(a.x + m, least)), sqrt(max(a.y + m, least)), sqrt(max(a.z + m, least))};
    }
};

} // namespace FLOE_ISA
} // namespace floe::physics
