/// Metal: von Mises plasticity with linear hardening on Hencky strain
/// (Simo 1992's return map; in MPM form Gao et al. 2017 and Li et al. 2022).
///
///     |dev tau| <= sqrt(2/3) sigma_Y(a),   sigma_Y(a) = yieldStress + hardening a
///
/// State a: accumulated plastic strain sqrt(2/3) integral |d epsilon_P|.
///
/// Ductile failure after a given plastic strain, as in impact codes (Johnson and Cook 1985, without
/// the dependence on pressure and rate): from a = a_f on the metal weakens, and over a strain w it
/// loses all but a twentieth of its strength, the mean tension that it bears with it. That rest
/// holds shreds to the side of a crack that they are on; between the sides it ends where the grid
/// no longer reaches across. Without failure a pierced sheet would stretch without end.
///
/// What opening a crack takes must not depend on the grid: a grid softens in a band of some width b
/// (kCrackBand in parameters.hpp), so that an energy G per area makes w = 2 G / (b sigma_Y(a_f)),
/// the crack band of Bazant and Oh 1983. Without G, w = a_f / 4.
///
/// State beyond a_f + w: the volume (log) by which the crack stands open. Its sides must come
/// together before they press against each other; torn metal that is shut would otherwise push
/// itself apart, with energy from nowhere.
#pragma once

#include <floe/sdk/physics/elastic.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

struct VonMises : ElasticPart<VonMises> {
    float mu, lambda;        ///< Lame's parameters [Pa]
    float yieldStress;       ///< uniaxial, at a = 0 [Pa] >= 0
    float hardening;         ///< slope of the yield stress over plastic strain [Pa] >= 0
    float failureStrain = 0; ///< a_f >= 0; 0: never fails
    float softening = 0;     ///< w > 0 where it fails: softeningOf()

    static constexpr float kShreds = 0.05f; ///< share of its strength that torn metal keeps
    static constexpr float kMaxOpen = 1;    ///< log volume that is remembered of an open crack

    static constexpr LawParameter kParameters[] = {
        {"youngModulus", "Pa", 1e7, 1, 1e13},
        {"poissonRatio", "", 0.3, 0, 0.49},
        {"yieldStress", "Pa", 1e5, 0, 1e12},
        {"hardening", "Pa", 0, 0, 1e12, "hardeningModulus"},
        {"failureStrain", "", 0, 0, 100}, // plastic strain at which it tears; 0: never
        {"fractureEnergy", "J/m^2", 0, 0, 1e12, "fractureEnergy", true}, // 0: w = a_f / 4
    };
    static VonMises fromParameters(const float* v)
    {
        const Lame lame = lameFromYoung(v[0], v[1]);
        return {{},
                lame.mu,
                lame.lambda,
                v[2],
                v[3],
                v[4],
                softeningOf(v[4], v[2] + v[3] * v[4], v[5])};
    }
    /// w from a_f, the yield stress there [Pa], and G / b [J/m^3] (0: it is a quarter of a_f).
    static float softeningOf(float failureStrain, float strength, float energy)
    {
        if (!(energy > 0))
            return failureStrain / 4;
        const float width = 2 * energy / ((1 + kShreds) * (strength > 1 ? strength : 1));
        return width < 1e-3f ? 1e-3f : width > 100 ? 100 : width;
    }

    static constexpr bool kPlastic = true;
    FLOE_HD float restModulus() const { return lambda + 2 * mu; }
    FLOE_HD float initialState() const { return 0; }
    FLOE_HD Hencky elasticity() const { return {mu, lambda}; }

    /// Returns the share of its strength that the metal still has: 1 up to a_f.
    template <class Real>
    FLOE_HD Real soundness(Real plasticStrain) const
    {
        if (!(failureStrain > 0))
            return Real(1);
        const Real rate((1 - kShreds) / softening);
        return clamp(Real(1) - rate * (plasticStrain - Real(failureStrain)), Real(kShreds),
                     Real(1));
    }
    /// Return map; failing metal uses its strength at the start of the step.
    template <class Real>
    FLOE_HD MaskOf<Real> returnMap(Vec3<Real>& extension, Real& state, Real) const
    {
        const Real root(0.816496580927726f), third(1.0f / 3.0f); // sqrt(2/3)
        const bool fails = failureStrain > 0;
        const Real end(fails ? failureStrain + softening : 3e38f);
        const MaskOf<Real> torn = state >= end;
        const Real plasticStrain = select(torn, end, state);
        const Real open = state - plasticStrain;
        const Vec3<Real> e = logarithmicStrain(extension);
        const Vec3<Real> d = deviator(e);
        const Real n = sqrt(dot(d, d)), t = sum(e), sound = soundness(plasticStrain);
        const Real strength = sound * (Real(yieldStress) + Real(hardening) * plasticStrain);
        const Real flow = max((Real(2 * mu) * n - root * strength) /
                                  (Real(2 * mu) + Real(2.0f / 3.0f * hardening) * sound),
                              Real(0));
        // A relative tolerance of a few roundings makes the map idempotent.
        const MaskOf<Real> shears = flow > Real(2e-6f) * (n + abs(t));
        const Real step = select(shears, flow / max(n, Real(1e-12f)), Real(0));
        const Real flowed = plasticStrain + select(shears, root * flow, Real(0));
        if (!fails) {
            const Vec3<Real> back{e.x - step * d.x, e.y - step * d.y, e.z - step * d.z};
            extension = select<Real>(shears, extensionOf(back), extension);
            state = flowed;
            return shears;
        }
        // The mean tension that failing metal bears is at most its yield stress.
        const Real most = strength * Real(1 / (lambda + 2.0f / 3.0f * mu));
        const Real volume = t + open;
        const MaskOf<Real> parts =
            (plasticStrain > Real(failureStrain)) & (volume > most * Real(1 + 1e-5f));
        const MaskOf<Real> outside = shears | parts | (open > Real(0));
        const Real shift = third * select(parts, most - t, open);
        const Vec3<Real> back{e.x - step * d.x + shift, e.y - step * d.y + shift,
                              e.z - step * d.z + shift};
        extension = select<Real>(outside, extensionOf(back), extension);
        const Real opened = select(parts, min(volume - most, Real(kMaxOpen)), Real(0));
        state = select(torn, end + opened, min(flowed, end));
        return outside;
    }
};

} // namespace FLOE_ISA
} // namespace floe::physics
