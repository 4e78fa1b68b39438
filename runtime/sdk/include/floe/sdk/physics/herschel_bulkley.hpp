/// Mud: a yield-stress fluid (Herschel-Bulkley with exponent 1, Bingham's; Yue et al. 2015,
/// "Continuum foam: a material point method for shear-dependent flows"). Rigid below the yield
/// stress, viscous above it.
#pragma once

#include <floe/sdk/physics/split_neo_hookean.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

struct HerschelBulkley {
    float mu, kappa;   ///< shear and bulk modulus [Pa]
    float yieldStress; ///< [Pa] >= 0
    float viscosity;   ///< of the flow beyond yield [Pa s] >= 0

    static constexpr bool kPlastic = true;
    FLOE_HD SplitNeoHookean elasticity() const { return {mu, kappa}; }
    FLOE_HD float restModulus() const { return elasticity().restModulus(); }
    FLOE_HD float initialState() const { return 0; }

    template <class Real>
    FLOE_HD Real energy(const Vec3<Real>& sigma, Real) const
    {
        return elasticity().energy(sigma);
    }
    template <class Real>
    FLOE_HD Vec3<Real> principalStress(const Vec3<Real>& sigma, Real) const
    {
        return elasticity().stress(sigma);
    }
    template <class Real>
    FLOE_HD Real waveModulus(const Vec3<Real>& sigma, Real) const
    {
        return elasticity().waveModulus(sigma);
    }
    /// s_new = s - (s - sqrt(2/3) sigma_Y) / (1 + eta/(2 mu dt)), s = |dev tau|; J is kept.
    template <class Real>
    FLOE_HD MaskOf<Real> returnMap(Vec3<Real>& sigma, Real&, Real dt) const
    {
        const Real J = SplitNeoHookean::safeJ(sigma);
        const Vec3<Real> d = elasticity().deviatoricStress(sigma, J);
        const Real s = sqrt(dot(d, d));
        const Real excess = s - Real(0.816496580927726f * yieldStress);
        const MaskOf<Real> outside = (excess > Real(1e-5f * mu)) & (dt > Real(0));
        const Real twoMuDt = Real(2 * mu) * dt;
        const Real relaxed = s - excess * (twoMuDt / max(twoMuDt + Real(viscosity), Real(1e-30f)));
        const Real meanB = Real(1.0f / 3.0f) * dot(sigma, sigma);
        const Vec3<Real> next =
            elasticity().stretches((relaxed / max(s, Real(1e-12f))) * d, meanB, J);
        sigma = select<Real>(outside, next, sigma);
        return outside;
    }
};

} // namespace FLOE_ISA
} // namespace floe::physics
