/// Mud, cream, toothpaste: a yield-stress fluid (Herschel and Bulkley 1926; in MPM form Yue et al.
/// 2015, "Continuum foam: a material point method for shear-dependent flows"). Elastic below the
/// yield stress, viscous above it:
///
///     |dev tau| = sqrt(2/3) sigma_Y + sqrt(2) K gamma^h,   gamma = sqrt(2 D:D) the shear rate
///
/// which in simple shear is the rheologist's tau_xy = sigma_Y/sqrt(3) + K gamma^h. h = 1 is
/// Bingham's plastic; h < 1 thins when it is stirred, as foams and pastes do.
///
/// The elastic part relaxes towards the yield surface at the rate that this viscosity allows; one
/// step of backward Euler for s = |dev tau|, with the excess x = s - sqrt(2/3) sigma_Y:
///
///     x + sqrt(2) mu dt (x / (sqrt(2) K))^(1/h) = x_trial
#pragma once

#include <floe/sdk/physics/split_neo_hookean.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

struct HerschelBulkley : ElasticPart<HerschelBulkley> {
    float mu, kappa;     ///< shear and bulk modulus [Pa]
    float yieldStress;   ///< sigma_Y, uniaxial; sigma_Y/sqrt(3) in simple shear [Pa] >= 0
    float viscosity;     ///< K, the consistency [Pa s^h] >= 0
    float flowIndex = 1; ///< h > 0

    static constexpr LawParameter kParameters[] = {
        {"youngModulus", "Pa", 1e5, 1, 1e13},
        {"poissonRatio", "", 0.4, 0, 0.49},
        {"yieldStress", "Pa", 100, 0, 1e12},
        {"viscosity", "Pa s^h", 5, 0, 1e8}, // the consistency; plain viscosity where h = 1
        {"flowIndex", "", 1, 0.2, 2},       // h: below 1 it thins when it is stirred
    };
    static HerschelBulkley fromParameters(const float* v)
    {
        const Lame lame = lameFromYoung(v[0], v[1]);
        return {{}, lame.mu, lame.bulkModulus(), v[2], v[3], v[4]};
    }

    static constexpr bool kPlastic = true;
    FLOE_HD SplitNeoHookean elasticity() const { return {mu, kappa}; }
    FLOE_HD float restModulus() const { return elasticity().restModulus(); }
    FLOE_HD float initialState() const { return 0; }

    /// Returns the share x/x_trial of an excess stress [Pa] > 0 left after dt.
    template <class Real>
    FLOE_HD Real relaxation(Real excess, Real dt) const
    {
        if (flowIndex == 1) {
            const Real muDt = Real(mu) * dt;
            return Real(viscosity) / max(muDt + Real(viscosity), Real(1e-30f));
        }
        // u = e^t solves u + k u^m = 1. In t, log(e^t + k e^(m t)) = 0 is convex and increasing
        // with a slope between 1 and m: Newton's method descends to the root from the point where
        // the larger of the two terms is 1, at most log 2 above it.
        const Real m(1 / flowIndex), root2(1.414213562373095f);
        const Real consistency = Real(max(viscosity, 1e-20f)) * root2;
        const Real logK = log(root2 * Real(mu) * max(dt, Real(1e-30f)) / excess) +
                          m * (log(excess) - log(consistency));
        Real t = min(Real(0), -logK / m);
        for (int i = 0; i < 4; ++i) {
            const Real a = exp(t), b = exp(logK + m * t);
            t = t - log(a + b) * (a + b) / (a + m * b);
        }
        return exp(min(t, Real(0)));
    }

    /// Return map; it preserves volume.
    template <class Real>
    FLOE_HD MaskOf<Real> returnMap(Vec3<Real>& extension, Real&, Real dt) const
    {
        const Real v = heldVolumeChange(extension);
        const Vec3<Real> d = elasticity().deviatoricStress(extension, v);
        const Real s = sqrt(dot(d, d));
        const Real excess = s - Real(0.816496580927726f * yieldStress);
        const MaskOf<Real> outside = (excess > Real(1e-5f * mu)) & (dt > Real(0));
        const Real left = relaxation(max(excess, Real(1e-5f * mu)), dt);
        const Real relaxed = s - excess * (Real(1) - left);
        const Vec3<Real> next = elasticity().extensions((relaxed / max(s, Real(1e-12f))) * d, v);
        extension = select<Real>(outside, next, extension);
        return outside;
    }
};

} // namespace FLOE_ISA
} // namespace floe::physics
