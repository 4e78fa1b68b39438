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
    /// Stretches whose b has the deviatoric stress `d` and the volume ratio J.
    template <class Real>
    FLOE_HD Vec3<Real> stretches(const Vec3<Real>& d, Real meanB, Real J) const
    {
        const Real scale = exp(Real(2.0f) * log(J) / Real(3)) / Real(mu);
        const Real least(1e-4f);
        const Vec3<Real> b{max(scale * d.x + meanB, least), max(scale * d.y + meanB, least),
                           max(scale * d.z + meanB, least)};
        Vec3<Real> s{sqrt(b.x), sqrt(b.y), sqrt(b.z)};
        // dev b and its mean fix det b only to first order: restore J exactly.
        const Real fix = cubeRoot(J / product(s));
        return fix * s;
    }
};

} // namespace FLOE_ISA
} // namespace floe::physics
