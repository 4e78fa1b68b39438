/// Weakly compressible viscous liquid.
///
/// Only the volume ratio J is kept, as J - 1 (water changes its volume by 1e-6 and less), never F
/// (Tampubolon et al. 2017, "Multi-species simulation of porous sand and water mixtures",
/// section 3.2), so a liquid forgets its shape and needs no decomposition:
///
///     p = k (J^-gamma - 1),   tau = -p J + mu J (grad v + grad v^T - 2/3 div v)
///
/// Surface tension is a stress of what lies at the surface (Lafaurie et al. 1994, "Modelling
/// merging and fragmentation in multiphase flows with SURFER", eq. 8), so that it keeps momentum:
///
///     tau = J sigma (|s| - s s^T / |s|)
///
/// with s along the inward normal, whose length integrates to 1 across the surface.
#pragma once

#include <floe/sdk/physics/law.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

struct Liquid {
    float bulkModulus;     ///< k [Pa] > 0; the stiffness under compression is k gamma
    float gamma;           ///< exponent, 7 for water (Cole 1948), >= 1
    float viscosity;       ///< dynamic, mu [Pa s] >= 0
    float tensileStrength; ///< largest suction before the liquid parts [Pa] >= 0; 0: none at all
    float surfaceTension;  ///< sigma [N/m] >= 0
    /// Density at rest of all matter that a solver's particles may have around them [kg/m^3], by
    /// which J follows their positions too (reconciledVolume()); 0: J follows div v alone.
    float matterDensity = 0;
    /// J - 1 at most, > 0, where stretching past the tensile strength is forgotten; 0: see
    /// maxChange()
    float stretchLimit = 0;

    static constexpr LawParameter kParameters[] = {
        {"bulkModulus", "Pa", 5e4, 1, 1e11}, // artificially low values allow large time steps
        {"exponent", "", 7, 1, 10},
        {"viscosity", "Pa s", 1e-3, 0, 1e6},
        {"tensileStrength", "Pa", 0, 0, 1e11},
        {"surfaceTension", "N/m", 0, 0, 1e6},
    };
    static Liquid fromParameters(const float* v) { return {v[0], v[1], v[2], v[3], v[4]}; }

    static constexpr float kMinJ = 0.1f; ///< J is clamped to [kMinJ, kMaxJ]
    static constexpr float kMaxJ = 2.0f;

    FLOE_HD float restModulus() const { return bulkModulus * gamma; }
    /// J - 1 at most. A liquid without tensile strength must not remember stretching, or it would
    /// fall back with a delay; unless positions tell how far it is stretched.
    FLOE_HD float maxChange() const
    {
        if (stretchLimit > 0)
            return stretchLimit;
        return tensileStrength > 0 || matterDensity > 0 ? kMaxJ - 1 : 0.0f;
    }
    /// Lets it bear so much [Pa], and forget what it is stretched further.
    void holdTogether(float strength)
    {
        tensileStrength = strength;
        stretchLimit = strength < 0.99f * bulkModulus
                           ? std::pow(1 - strength / bulkModulus, -1 / gamma) - 1
                           : kMaxJ - 1;
    }
    FLOE_HD float initialState() const { return 0; } ///< J - 1

    /// [Pa]; positive under compression. Finite because J >= kMinJ.
    /// @param change  J - 1
    template <class Real>
    FLOE_HD Real pressure(Real change) const
    {
        const Real p = Real(bulkModulus) * expMinusOne(Real(-gamma) * logOnePlus(change));
        return max(p, Real(-tensileStrength));
    }

    /// Energy per rest volume [J/m^3] without the cut at the tensile strength: -integral of p dJ.
    template <class Real>
    FLOE_HD Real energy(Real change) const
    {
        const Real g(gamma - 1);
        return Real(bulkModulus) * (expMinusOne(-g * logOnePlus(change)) / g + change);
    }
};

/// Adds surface tension to Kirchhoff stress.
/// @param s  as above [1/m]  @param change  J - 1
template <class Real>
FLOE_HD void addSurfaceTension(const Liquid& law, const Vec3<Real>& s, Real change, Sym3<Real>& tau)
{
    const Real length = sqrt(dot(s, s));
    const Real sigma = Real(law.surfaceTension) * (Real(1) + change);
    const Vec3<Real> along = (sigma / max(length, Real(1e-20f))) * s;
    const Real all = sigma * length;
    tau.xx = tau.xx + (all - along.x * s.x);
    tau.yy = tau.yy + (all - along.y * s.y);
    tau.zz = tau.zz + (all - along.z * s.z);
    tau.xy = tau.xy - along.x * s.y;
    tau.xz = tau.xz - along.x * s.z;
    tau.yz = tau.yz - along.y * s.z;
}

FLOE_HD float shearViscosity(const Liquid& law)
{
    return law.viscosity;
}

/// Advances J - 1 by a step: J (1 + dt div v) - 1, J clamped to [kMinJ, 1 + maxChange()].
template <class Real>
FLOE_HD Real advanceLiquidVolume(const Liquid& law, Real change, Real divergence, Real dt)
{
    return clamp(change + dt * divergence * (Real(1) + change), Real(Liquid::kMinJ - 1),
                 Real(law.maxChange()));
}

/// Advances J - 1 by a step where the density of the particles around is known. J keeps following
/// div v: what div v misses is made up for slowly. A liquid without tensile strength remembers as
/// much stretching as there is, so that matter which was torn apart takes no more room when it
/// falls back.
/// J is never raised above 1 but by div v: matter that does not move stays as it is.
/// @param byPosition  J - 1 for the mass around
/// @param inside      whether there is matter on all sides; otherwise J is only lowered
/// @param part        of the difference that goes in this step
template <class Real>
FLOE_HD Real reconciledVolume(const Liquid& law, Real change, Real divergence, Real dt,
                              Real byPosition, const MaskOf<Real>& inside, Real part)
{
    const Real zero(0.0f);
    const Real most = law.tensileStrength > 0 ? Real(law.maxChange()) : max(byPosition, zero);
    const Real moved =
        clamp(change + dt * divergence * (Real(1) + change), Real(Liquid::kMinJ - 1), most);
    const Real missing = min(byPosition, max(moved, zero)) - moved;
    return moved + part * select(inside, missing, min(missing, zero));
}

/// @param change  J - 1
/// @param grad    velocity gradient [1/s]
template <class Real>
FLOE_HD Response<Real> respond(const Liquid& law, Real change, const Mat3<Real>& grad)
{
    const Real J = Real(1) + change;
    const Real m = Real(law.viscosity) * J;
    const Real minusPJ =
        -law.pressure(change) * J - m * Real(2.0f / 3.0f) * (grad[0][0] + grad[1][1] + grad[2][2]);
    const Real m2 = m + m;
    const Sym3<Real> tau{m2 * grad[0][0] + minusPJ,     m * (grad[0][1] + grad[1][0]),
                         m * (grad[0][2] + grad[2][0]), m2 * grad[1][1] + minusPJ,
                         m * (grad[1][2] + grad[2][1]), m2 * grad[2][2] + minusPJ};
    // rho0 c^2 = dp/d(1/J) = k gamma J^(1-gamma)
    const Real modulus = Real(law.restModulus()) * power(J, Real(1 - law.gamma));
    return {tau, max(modulus, Real(law.restModulus()))};
}

} // namespace FLOE_ISA
} // namespace floe::physics
