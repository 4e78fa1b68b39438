/// Metal: von Mises plasticity with linear hardening on Hencky strain
/// (Simo 1992's return map; in MPM form Gao et al. 2017 and Li et al. 2022).
///
///     |dev tau| <= sqrt(2/3) sigma_Y(a),   sigma_Y(a) = yieldStress + hardening a
///
/// State a: accumulated plastic strain sqrt(2/3) integral |d epsilon_P|.
#pragma once

#include <floe/sdk/physics/elastic.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

struct VonMises {
    float mu, lambda;  ///< Lame's parameters [Pa]
    float yieldStress; ///< uniaxial, at a = 0 [Pa] >= 0
    float hardening;   ///< slope of the yield stress over plastic strain [Pa] >= 0

    static constexpr bool kPlastic = true;
    FLOE_HD float restModulus() const { return lambda + 2 * mu; }
    FLOE_HD float initialState() const { return 0; }
    FLOE_HD Hencky elasticity() const { return {mu, lambda}; }

    template <class Real>
    FLOE_HD Real energy(const Vec3<Real>& extension, Real state) const
    {
        return elasticity().energy(extension, state);
    }
    template <class Real>
    FLOE_HD Vec3<Real> principalStress(const Vec3<Real>& extension, Real state) const
    {
        return elasticity().principalStress(extension, state);
    }
    template <class Real>
    FLOE_HD Real waveModulus(const Vec3<Real>& extension, Real state) const
    {
        return elasticity().waveModulus(extension, state);
    }
    template <class Real>
    FLOE_HD MaskOf<Real> returnMap(Vec3<Real>& extension, Real& plasticStrain, Real) const
    {
        const Real root(0.816496580927726f); // sqrt(2/3)
        const Vec3<Real> e = logarithmicStrain(extension);
        const Vec3<Real> d = deviator(e);
        const Real n = sqrt(dot(d, d));
        const Real limit = root * (Real(yieldStress) + Real(hardening) * plasticStrain);
        const Real flow =
            max((Real(2 * mu) * n - limit) / Real(2 * mu + 2.0f / 3.0f * hardening), Real(0));
        // A relative slack of a few roundings makes the map idempotent.
        const MaskOf<Real> outside = flow > Real(2e-6f) * (n + abs(sum(e)));
        const Real step = select(outside, flow / max(n, Real(1e-12f)), Real(0));
        const Vec3<Real> back{e.x - step * d.x, e.y - step * d.y, e.z - step * d.z};
        extension = select<Real>(outside, extensionOf(back), extension);
        plasticStrain = plasticStrain + select(outside, root * flow, Real(0));
        return outside;
    }
};

} // namespace FLOE_ISA
} // namespace floe::physics
