/// Soil, concrete and other matter that crushes and tears: non-associated Cam-Clay
/// (Wolper et al. 2019, "CD-MPM: continuum damage material point methods for dynamic fracture
/// animation", algorithm 1).
///
/// The yield surface is an ellipse in pressure p and equivalent stress q,
/// q^2 (1 + 2 beta) + M^2 (p + beta p0)(p - p0) = 0: cohesion beta lets it bear tension beta p0.
/// Flow keeps the volume; crushing and tearing move the state alpha (log of the plastic volume),
/// which sets the size p0 = kappa sinh(xi max(-alpha, 0)).
#pragma once

#include <floe/sdk/physics/split_neo_hookean.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

struct CamClay : ElasticPart<CamClay> {
    float mu, kappa; ///< shear and bulk modulus [Pa]
    float beta;      ///< cohesion: share of p0 borne in tension, >= 0
    float xi;        ///< hardening factor > 0
    float M;         ///< slope of the critical state line: slopeOf(friction angle)
    float alpha0;    ///< initial state, < 0: how consolidated (0.01 below zero is typical)

    static constexpr LawParameter kParameters[] = {
        {"youngModulus", "Pa", 2e6, 1, 1e13},
        {"poissonRatio", "", 0.3, 0, 0.49},
        {"frictionAngle", "degrees", 45, 0.1, 80},
        // beta: tension borne, as a share of the compression borne
        {"cohesion", "", 0.5, 0, 100, "tensionShare"},
        {"hardening", "", 1, 1e-3, 100, "crushHardening"}, // xi
        {"initialState", "", -0.01, -5, 0}, // alpha0: log of the volume already crushed away
    };
    static CamClay fromParameters(const float* v)
    {
        const Lame lame = lameFromYoung(v[0], v[1]);
        return {{},  lame.mu, lame.bulkModulus(), v[3], v[4], slopeOf(v[2] * kRadiansPerDegree),
                v[5]};
    }

    static constexpr bool kPlastic = true;
    FLOE_HD SplitNeoHookean elasticity() const { return {mu, kappa}; }
    FLOE_HD float restModulus() const { return elasticity().restModulus(); }
    FLOE_HD float initialState() const { return alpha0; }

    /// M = 6 sin phi / (3 - sin phi), phi the friction angle [radians]
    static float slopeOf(float frictionAngle)
    {
        const float s = std::sin(frictionAngle);
        return 6 * s / (3 - s);
    }

    /// Returns the largest pressure that the material bears [Pa].
    template <class Real>
    FLOE_HD Real preconsolidation(Real alpha) const
    {
        const Real a = min(Real(xi) * max(-alpha, Real(0)), Real(20));
        const Real e = exp(a);
        const Real sinh = Real(0.5f) * (e - Real(1) / e);
        return Real(kappa) * (Real(1e-5f) + sinh);
    }
    template <class Real>
    FLOE_HD MaskOf<Real> returnMap(Vec3<Real>& extension, Real& alpha, Real) const
    {
        const Real p0 = preconsolidation(alpha), pMin = Real(-beta) * p0;
        const Real v = heldVolumeChange(extension);
        const Real p = Real(-0.5f * kappa) * v * (Real(2) + v); // compression positive
        const Vec3<Real> d = elasticity().deviatoricStress(extension, v);
        const Real q = Real(1.224744871391589f) * sqrt(dot(d, d)); // sqrt(3/2)

        // Beyond either end of the ellipse: the stress becomes that end, the rest is plastic.
        const Real slack = Real(1e-6f * kappa);
        const MaskOf<Real> crushed = p > p0 + slack, torn = p < pMin - slack;
        const Real end = select(crushed, p0, pMin);
        // p0 may exceed kappa/2, the largest pressure that this energy can produce: then J stays.
        const Real logEnd = Real(0.5f) * logOnePlus(max(-end * Real(2.0f / kappa), Real(-0.99f)));
        const Real atEnd = expMinusOne(Real(1.0f / 3.0f) * logEnd);
        const MaskOf<Real> past = crushed | torn;

        // Between the ends but outside: q returns at constant p.
        const Real width = Real(1 + 2 * beta);
        const Real inside = (p - pMin) * (p0 - p);
        const Real y = width * q * q - Real(M * M) * inside;
        const MaskOf<Real> shear = (!past) & (y > slack * slack + Real(1e-5f) * width * q * q);
        const Real qNew = Real(M) * sqrt(max(inside, Real(0)) / width);
        const Vec3<Real> sheared = elasticity().extensions((qNew / max(q, Real(1e-12f))) * d, v);

        // Hardening: the point where the line from the ellipse's centre to the trial stress leaves
        // it.
        const Real centre = Real(0.5f * (1 - beta)) * p0;
        const Real toP = p - centre;
        const Real M2 = Real(M * M), half = Real(0.5f * (1 + beta)) * p0;
        // (centre + t toP, t q) on the ellipse: t^2 (width q^2 + M^2 toP^2) = M^2 half^2
        const Real t = Real(M) * half / sqrt(max(width * q * q + M2 * toP * toP, Real(1e-30f)));
        const Real pCross = centre + t * toP;
        const Real logCross =
            Real(0.5f) * logOnePlus(max(-pCross * Real(2.0f / kappa), Real(-0.99f)));
        const Real margin = Real(1e-4f) * p0;
        const MaskOf<Real> hardens =
            shear & (p > pMin + margin) & (p < p0 - margin) & (p0 > Real(1e-4f * kappa));

        const Real logJ = logOnePlus(v);
        Real next = select(past, alpha + (logJ - logEnd), alpha);
        next = select(hardens, alpha + (logJ - logCross), next);
        alpha = clamp(next, Real(-10), Real(10));
        extension = select<Real>(past, Vec3<Real>{atEnd, atEnd, atEnd}, extension);
        extension = select<Real>(shear, sheared, extension);
        return past | shear;
    }
};

} // namespace FLOE_ISA
} // namespace floe::physics
