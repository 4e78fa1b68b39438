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
#pragma once

#include <floe/sdk/physics/elastic.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

struct DruckerPrager : ElasticPart<DruckerPrager> {
    float mu, lambda;     ///< Lame's parameters [Pa]
    float alpha;          ///< slope of the cone, from the friction angle: frictionSlope()
    float cohesionStrain; ///< c >= 0: log stretch per axis of the cone's tip: cohesionStrainOf()
    float section = 0;    ///< b, in [0, 1): sectionOf()

    static constexpr LawParameter kParameters[] = {
        {"youngModulus", "Pa", 1e6, 1, 1e13},
        {"poissonRatio", "", 0.3, 0, 0.49},
        {"frictionAngle", "degrees", 35, 0.1, 80},
        {"cohesion", "Pa", 0, 0, 1e10},
        {"coulombShare", "", 0, 0, 1}, // 0: a circular cone; 1: the rounded Mohr-Coulomb section
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
                sectionOf(radians, v[4])};
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

    template <class Real>
    FLOE_HD MaskOf<Real> returnMap(Vec3<Real>& extension, Real& lostVolume, Real) const
    {
        const Real c(cohesionStrain), third(1.0f / 3.0f);
        const Vec3<Real> e = logarithmicStrain(extension);
        const Real shift = third * lostVolume - c;
        const Vec3<Real> shifted{e.x + shift, e.y + shift, e.z + shift};
        const Real t = sum(shifted);
        const Vec3<Real> d = deviator(shifted);
        const Real n = sqrt(dot(d, d));
        const Real beyond = n + slopeAt(d, n) * Real((3 * lambda + 2 * mu) / (2 * mu)) * t;

        // Not past the tip: spend v_c, and bring the deviator back to the cone if it is outside.
        const MaskOf<Real> tip = t >= Real(0);
        const MaskOf<Real> outside = beyond > Real(0);
        const Real keep = select(outside, (n - beyond) / max(n, Real(1e-12f)), Real(1));
        const Real mean = third * t + c;
        const Vec3<Real> onCone{keep * d.x + mean, keep * d.y + mean, keep * d.z + mean};
        const Vec3<Real> result = select<Real>(tip, Vec3<Real>{c, c, c}, onCone);
        const MaskOf<Real> changed = tip | outside | (lostVolume > Real(0));
        // Stretches must also stay within the range that logarithmicStrain() resolves.
        extension = select<Real>(changed, extensionOf(result), extension);
        lostVolume = select(tip, min(t, Real(10)), Real(0));
        return changed;
    }
};

} // namespace FLOE_ISA
} // namespace floe::physics
