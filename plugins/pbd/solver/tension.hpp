/// What surface tension and wetting have in common.
#pragma once

#include "scene.hpp"

#include <numbers>

namespace floe::pbd {

/// The share of the tension that particles' attraction gives, the rest being stress. The stress
/// alone loses single particles; attraction alone makes a paste, which does not become round.
inline constexpr float kAttracts = 0.3f;
/// By which both are stronger than their integrals over a smooth, sharp surface say, for drops to
/// swing at Rayleigh's period: within 6 % of it at radii of 10 to 20 particles.
inline constexpr float kMeasured = 1.8f;

/// Attraction at a distance of q kernel radii (Akinci et al. 2013, equation 2, without its factor).
inline float attraction(float q)
{
    const float u = q * (1 - q), u3 = u * u * u;
    return q > 0.5f ? u3 : 2 * u3 - 1.0f / 64;
}

/// Tension of a sharp surface for a force of attraction(r / h) between two unit volumes, over h^5:
/// pi / 8 times the integral of q^4 attraction(q) (Fowler 1937; Tartakovsky and Panchenko 2016). It
/// is half of the work that parts two halves.
inline float tensionOfAttraction()
{
    constexpr int kParts = 1000;
    double sum = 0;
    for (int k = 0; k < kParts; ++k) {
        const double q = (k + 0.5) / kParts;
        sum += q * q * q * q * double{attraction(static_cast<float>(q))} / kParts;
    }
    return static_cast<float>(std::numbers::pi / 8 * sum);
}

/// A symmetric stress [Pa].
struct Stress {
    float xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

    Stress operator+(const Stress& o) const
    {
        return {xx + o.xx, yy + o.yy, zz + o.zz, xy + o.xy, xz + o.xz, yz + o.yz};
    }
    Vec3f operator*(const Vec3f& v) const
    {
        return {xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z,
                xz * v.x + yz * v.y + zz * v.z};
    }
};

} // namespace floe::pbd
