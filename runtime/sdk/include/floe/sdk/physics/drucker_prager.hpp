/// Sand and soil: Drucker-Prager with cohesion and volume correction
/// (Klar et al. 2016, "Drucker-Prager elastoplasticity for sand animation"; volume correction after
/// Tampubolon et al. 2017, section 4.3).
///
/// On Hencky strain epsilon = ln sigma, shifted by the cohesion strain c so that the cone's tip
/// bears tension:
///
///     |dev epsilon| + alpha (3 lambda + 2 mu)/(2 mu) tr(epsilon - c) <= 0    inside the cone
///     tr(epsilon - c) >= 0                                                   beyond the tip
///
/// Beyond the tip the only stress is that of c.
///
/// The circular cone matches the friction angle under triaxial compression. In plane strain (a long
/// heap, a footing, soil pushed aside by an impact) it is far stronger than real grains: 35 degrees
/// act like 55. A dependence on the Lode angle cures this, as in the Mohr-Coulomb pyramid, with the
/// rounded section of van Eekelen 1980 ("Isotropic yield surfaces in three dimensions for use in
/// soil mechanics"):
///
///     alpha(theta) = alpha ((1 - b) / (1 + b cos 3 theta))^0.229
///
/// where cos 3 theta = 3 sqrt(6) det(d / |d|) is -1 under triaxial compression and 1 under
/// extension, and b makes the ratio of the two (3 - sin phi) / (3 + sin phi). b = 0: the circle.
///
/// State v_c: the volume (log) lost by stretching beyond the tip. Separated grains must come
/// together before they resist compression, so v_c is spent before pressure builds up.
///
/// Loose grains are pressed together for good: below 0, -v_c is the volume that pressure has taken.
/// It grows in proportion to the largest pressure so far, up to all that they have to lose, a cap
/// that hardens:
///
///     p <= p_c (-v_c) / v_max    while -v_c < v_max,    p = -(lambda + 2/3 mu) tr epsilon
///
/// so that loading is soft, unloading stiff, and the energy of an impact stays in the ground: a
/// footing punches into loose soil instead of lifting it (Terzaghi 1943, "local shear"). Stretching
/// beyond the tip gives the looseness back.
#pragma once

#include <floe/sdk/physics/elastic.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

struct DruckerPrager : ElasticPart<DruckerPrager> {
    float mu, lambda;     ///< Lame's parameters [Pa]
    float alpha;          ///< slope of the cone, from the friction angle: frictionSlope()
    float cohesionStrain; ///< c >= 0: log stretch per axis of the cone's tip: cohesionStrainOf()
    float section = 0;    ///< b, in [0, 1): sectionOf()
    float looseness = 0;  ///< v_max >= 0: log volume that pressure can take
    float yielding = 0;   ///< share of a compression at the cap that stays: yieldingOf()

    static constexpr LawParameter kParameters[] = {
        {"youngModulus", "Pa", 1e6, 1, 1e13},
        {"poissonRatio", "", 0.3, 0, 0.49},
        {"frictionAngle", "degrees", 35, 0.1, 80},
        {"cohesion", "Pa", 0, 0, 1e10},
        {"coulombShare", "", 0, 0, 1}, // 0: a circular cone; 1: the rounded Mohr-Coulomb section
        {"looseness", "", 0, 0, 1},
        {"compactionPressure", "Pa", 25e3, 1, 1e12}, // p_c, at which all looseness is gone
    };
    static DruckerPrager fromParameters(const float* v)
    {
        const Lame lame = lameFromYoung(v[0], v[1]);
        const float radians = v[2] * kRadiansPerDegree;
        return {{},
                lame.mu,
                lame.lambda,
                frictionSlope(radians),
                cohesionStrainOf(v[3], radians, lame),
                sectionOf(radians, v[4]),
                v[5],
                yieldingOf(v[5], v[6], lame)};
    }

    static constexpr bool kPlastic = true;
    FLOE_HD float restModulus() const { return lambda + 2 * mu; }
    FLOE_HD float initialState() const { return 0; }
    FLOE_HD Hencky elasticity() const { return {mu, lambda}; }

    /// alpha = sqrt(2/3) 2 sin phi / (3 - sin phi), phi the friction angle [radians]: the cone
    /// through the compressive edges of the Mohr-Coulomb pyramid.
    static float frictionSlope(float frictionAngle)
    {
        const float s = std::sin(frictionAngle);
        return std::sqrt(2.0f / 3.0f) * 2 * s / (3 - s);
    }
    /// b of the section with the Mohr-Coulomb strength under extension, times `share`.
    static float sectionOf(float frictionAngle, float share)
    {
        const float s = std::sin(frictionAngle);
        const float ratio = std::pow((3 - s) / (3 + s), 1 / kSectionPower);
        return share * (1 - ratio) / (1 + ratio);
    }
    static constexpr float kSectionPower = 0.229f;
    /// alpha(theta) of a deviator d of length n
    template <class Real>
    FLOE_HD Real slopeAt(const Vec3<Real>& d, Real n) const
    {
        if (!(section > 0))
            return Real(alpha);
        const Real size = Real(1) / max(n, Real(1e-12f));
        const Real threeTheta = clamp(
            Real(7.34846923f) * (size * d.x) * (size * d.y) * (size * d.z), Real(-1), Real(1));
        return Real(alpha) * power(Real(1 - section) / (Real(1) + Real(section) * threeTheta),
                                   Real(kSectionPower));
    }
    /// The tip of the Mohr-Coulomb pyramid bears a tension of cohesion / tan phi [Pa].
    static float cohesionStrainOf(float cohesion, float frictionAngle, const Lame& lame)
    {
        const float threeBulk = 3 * lame.lambda + 2 * lame.mu;
        return cohesion / (std::tan(frictionAngle) * threeBulk);
    }

    /// Along the cap pressure is p_c / v_max times the volume taken, and the bulk modulus times the
    /// elastic strain.
    static float yieldingOf(float looseness, float compactionPressure, const Lame& lame)
    {
        return 1 / (1 + compactionPressure / (lame.bulkModulus() * std::max(looseness, 1e-6f)));
    }
    /// The volume that a trial strain of trace t < 0 takes of what has lost `taken` before.
    template <class Real>
    FLOE_HD Real compaction(Real t, Real taken) const
    {
        const Real cap = Real(1 / yielding - 1) * taken;
        return max(min(Real(yielding) * (-t - cap), Real(looseness) - taken), Real(0));
    }

    template <class Real>
    FLOE_HD MaskOf<Real> returnMap(Vec3<Real>& extension, Real& lostVolume, Real) const
    {
        const Real c(cohesionStrain), third(1.0f / 3.0f);
        const Vec3<Real> e = logarithmicStrain(extension);
        const Real shift = third * max(lostVolume, Real(0)) - c;
        const Vec3<Real> shifted{e.x + shift, e.y + shift, e.z + shift};
        Real t = sum(shifted), taken = max(-lostVolume, Real(0));
        const MaskOf<Real> tip = t >= Real(0);
        MaskOf<Real> changed = tip | (lostVolume > Real(0));
        const Real given = min(t - taken, Real(10)); // beyond the tip
        if (looseness > 0) {
            const Real more = compaction(t, taken);
            changed = changed | (more > Real(0));
            t = t + more;
            taken = taken + more;
        }
        const Vec3<Real> d = deviator(shifted);
        const Real n = sqrt(dot(d, d));
        const Real beyond = n + slopeAt(d, n) * Real((3 * lambda + 2 * mu) / (2 * mu)) * t;

        // Not past the tip: spend v_c, and bring the deviator back to the cone if it is outside.
        const MaskOf<Real> outside = beyond > Real(0);
        const Real keep = select(outside, (n - beyond) / max(n, Real(1e-12f)), Real(1));
        const Real mean = third * t + c;
        const Vec3<Real> onCone{keep * d.x + mean, keep * d.y + mean, keep * d.z + mean};
        const Vec3<Real> result = select<Real>(tip, Vec3<Real>{c, c, c}, onCone);
        changed = changed | outside;
        // Stretches must also stay within the range that logarithmicStrain() resolves.
        extension = select<Real>(changed, extensionOf(result), extension);
        lostVolume = select(tip, given, Real(0) - taken);
        return changed;
    }
};

} // namespace FLOE_ISA
} // namespace floe::physics
