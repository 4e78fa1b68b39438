/// Snow (Stomakhin et al. 2013, "A material point method for snow simulation").
///
/// Fixed corotated elasticity whose stretches are held in [1 - theta_c, 1 + theta_s]; what exceeds
/// that is plastic, and plastic compression hardens: moduli are multiplied by h = e^(xi (1 - J_P)).
/// The scalar state is J_P = det F_P, which is all of F_P that the law needs: J_P <- J_P
/// prod(sigma)/prod(clamped).
#pragma once

#include <floe/sdk/physics/elastic.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

struct Snow {
    float mu, lambda;          ///< Lame's parameters of fresh snow [Pa]
    float criticalCompression; ///< theta_c, 2.5e-2 in the paper
    float criticalStretch;     ///< theta_s, 7.5e-3 in the paper
    float hardening;           ///< xi, 10 in the paper
    float minHardening;        ///< bounds of h: it sets the time step, and a broken flake must keep
    float maxHardening;        ///< some stiffness

    static constexpr LawParameter kParameters[] = {
        {"youngModulus", "Pa", 1.4e5, 1, 1e13},
        {"poissonRatio", "", 0.2, 0, 0.49},
        {"criticalCompression", "", 2.5e-2, 0, 0.9},
        {"criticalStretch", "", 7.5e-3, 0, 10},
        {"hardening", "", 10, 0, 100, "snowHardening"},
        {"minHardening", "", 0.05, 1e-3, 1}, // least factor on stiffness, of snow torn loose
        {"maxHardening", "", 20, 1, 1e3},    // largest, of packed snow; it shortens the time step
    };
    static Snow fromParameters(const float* v)
    {
        const Lame lame = lameFromYoung(v[0], v[1]);
        return {lame.mu, lame.lambda, v[2], v[3], v[4], v[5], v[6]};
    }

    static constexpr bool kPlastic = true;
    FLOE_HD float restModulus() const { return lambda + 2 * mu; }
    FLOE_HD float initialState() const { return 1; }
    FLOE_HD FixedCorotated elasticity() const { return {mu, lambda}; }

    template <class Real>
    FLOE_HD Real hardeningFactor(Real plasticJ) const
    {
        return clamp(exp(Real(hardening) * (Real(1) - plasticJ)), Real(minHardening),
                     Real(maxHardening));
    }
    template <class Real>
    FLOE_HD Real energy(const Vec3<Real>& extension, Real plasticJ) const
    {
        return hardeningFactor(plasticJ) * elasticity().energy(extension, plasticJ);
    }
    template <class Real>
    FLOE_HD Vec3<Real> principalStress(const Vec3<Real>& extension, Real plasticJ) const
    {
        return hardeningFactor(plasticJ) * elasticity().principalStress(extension, plasticJ);
    }
    template <class Real>
    FLOE_HD Real waveModulus(const Vec3<Real>& extension, Real plasticJ) const
    {
        return hardeningFactor(plasticJ) * elasticity().waveModulus(extension, plasticJ);
    }
    /// Exact: the result is the clamped stretch itself. J_P is held in [1e-3, 1e3].
    template <class Real>
    FLOE_HD MaskOf<Real> returnMap(Vec3<Real>& extension, Real& plasticJ, Real) const
    {
        const Real low(-criticalCompression), high(criticalStretch);
        const Vec3<Real>& e = extension;
        const Vec3<Real> held{clamp(e.x, low, high), clamp(e.y, low, high), clamp(e.z, low, high)};
        const MaskOf<Real> yielded =
            (e.x < low) | (e.x > high) | (e.y < low) | (e.y > high) | (e.z < low) | (e.z > high);
        const Real ratio = (Real(1) + volumeChange(e)) / (Real(1) + volumeChange(held));
        plasticJ = select(yielded, clamp(plasticJ * ratio, Real(1e-3f), Real(1e3f)), plasticJ);
        extension = held;
        return yielded;
    }
};

} // namespace FLOE_ISA
} // namespace floe::physics
