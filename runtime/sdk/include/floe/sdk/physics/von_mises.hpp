/// Metal: von Mises plasticity with linear hardening on Hencky strain
/// (Simo 1992's return map; in MPM form Gao et al. 2017 and Li et al. 2022).
///
///     |dev tau| <= sqrt(2/3) sigma_Y(a),   sigma_Y(a) = yieldStress + hardening a
///
/// State a: accumulated plastic strain sqrt(2/3) integral |d epsilon_P|.
///
/// Ductile failure after a given plastic strain, as in impact codes (Johnson and Cook 1985, without
/// the dependence on pressure and rate): from a = a_f on the metal weakens, and from 5/4 a_f on it
/// bears pressure but neither shear nor tension; it separates there. Without failure a pierced
/// sheet would stretch without end.
#pragma once

#include <floe/sdk/physics/elastic.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

struct VonMises : ElasticPart<VonMises> {
    float mu, lambda;        ///< Lame's parameters [Pa]
    float yieldStress;       ///< uniaxial, at a = 0 [Pa] >= 0
    float hardening;         ///< slope of the yield stress over plastic strain [Pa] >= 0
    float failureStrain = 0; ///< a_f >= 0; 0: never fails

    static constexpr LawParameter kParameters[] = {
        {"youngModulus", "Pa", 1e7, 1, 1e13}, {"poissonRatio", "", 0.3, 0, 0.49},
        {"yieldStress", "Pa", 1e5, 0, 1e12},  {"hardening", "Pa", 0, 0, 1e12, "hardeningModulus"},
        {"failureStrain", "", 0, 0, 100}, // plastic strain at which it tears; 0: never
    };
    static VonMises fromParameters(const float* v)
    {
        const Lame lame = lameFromYoung(v[0], v[1]);
        return {{}, lame.mu, lame.lambda, v[2], v[3], v[4]};
    }

    static constexpr bool kPlastic = true;
    FLOE_HD float restModulus() const { return lambda + 2 * mu; }
    FLOE_HD float initialState() const { return 0; }
    FLOE_HD Hencky elasticity() const { return {mu, lambda}; }

    /// Returns the share of its strength that the metal still has: 1 up to a_f, 0 from 5/4 a_f on.
    template <class Real>
    FLOE_HD Real soundness(Real plasticStrain) const
    {
        const Real rate(failureStrain > 0 ? 4 / failureStrain : 0);
        return clamp(Real(1) - rate * (plasticStrain - Real(failureStrain)), Real(0), Real(1));
    }
    /// Return map; failing metal uses its strength at the start of the step.
    template <class Real>
    FLOE_HD MaskOf<Real> returnMap(Vec3<Real>& extension, Real& plasticStrain, Real) const
    {
        const Real root(0.816496580927726f), third(1.0f / 3.0f); // sqrt(2/3)
        const Vec3<Real> e = logarithmicStrain(extension);
        const Vec3<Real> d = deviator(e);
        const Real n = sqrt(dot(d, d)), t = sum(e), sound = soundness(plasticStrain);
        const Real strength = sound * (Real(yieldStress) + Real(hardening) * plasticStrain);
        const Real flow = max((Real(2 * mu) * n - root * strength) /
                                  (Real(2 * mu) + Real(2.0f / 3.0f * hardening) * sound),
                              Real(0));
        // A relative tolerance of a few roundings makes the map idempotent.
        const MaskOf<Real> shears = flow > Real(2e-6f) * (n + abs(t));
        // The mean tension that failing metal bears is at most its yield stress.
        const Real most = strength * Real(1 / (lambda + 2.0f / 3.0f * mu));
        const MaskOf<Real> parts = (sound < Real(1)) & (t > most * Real(1 + 1e-5f));
        const MaskOf<Real> outside = shears | parts;
        const Real step = select(shears, flow / max(n, Real(1e-12f)), Real(0));
        const Real lost = select(parts, third * (t - most), Real(0));
        const Vec3<Real> back{e.x - step * d.x - lost, e.y - step * d.y - lost,
                              e.z - step * d.z - lost};
        extension = select<Real>(outside, extensionOf(back), extension);
        plasticStrain = plasticStrain + select(shears, root * flow, Real(0));
        return outside;
    }
};

} // namespace FLOE_ISA
} // namespace floe::physics
