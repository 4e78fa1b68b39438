/// What the tension of its surface does to liquid. One text for the CPU and CUDA threads.
#pragma once

#include "kernel.hpp"
#include "scene.hpp"

#include <numbers>

namespace floe::pbd {

/// The share of the tension that particles' attraction gives, the rest being stress. The stress
/// alone loses single particles; attraction alone makes a paste, which does not become round.
inline constexpr float kAttracts = 0.3f;
/// By which both are stronger than their integrals over a smooth, sharp surface say, for drops to
/// swing at Rayleigh's period: within 6 % of it at radii of 10 to 20 particles.
inline constexpr float kMeasured = 1.8f;
/// Where the amount of liquid changes by less in a kernel's radius, particles are out of order and
/// there is no surface.
inline constexpr float kSurfaceSlope = 0.2f;

FLOE_HD float tensionOf(const Material& material)
{
    return kMeasured * material.surfaceTension;
}

/// Attraction at a distance of q kernel radii (Akinci et al. 2013, equation 2, without its factor).
FLOE_HD float attraction(float q)
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

    FLOE_HD Stress operator+(const Stress& o) const
    {
        return {xx + o.xx, yy + o.yy, zz + o.zz, xy + o.xy, xz + o.xz, yz + o.yz};
    }
    FLOE_HD Vec3f operator*(const Vec3f& v) const
    {
        return {xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z,
                xz * v.x + yz * v.y + zz * v.z};
    }
};

/// A place and another within the kernel's radius.
struct NearPair {
    Vec3f line; ///< unit, from the other
    float q, h; ///< distance in kernel radii, and that [m]

    /// d kernel / d distance
    FLOE_HD float slope(float factor) const { return factor * kernelSlope(q) / (h * h * h * h); }
};
/// Calls work(pair) for two that are near. @param d  from the other [m]
template <class Work>
FLOE_HD void whereNear(const Vec3f& d, float h, const Work& work)
{
    const float distance = physics::length(d);
    if (distance < h && distance > 0)
        work(NearPair{(1 / distance) * d, distance / h, h});
}

/// Tension along a surface, of which two particles exchange what acts along the line between them.
/// On average over directions a stress S does as (2 S + tr S) / 5 then: the trace is a pressure,
/// and the rest is made up for. Half of a surface, its outer side, has no particles.
/// @param slope  gradient of the amount of liquid [1/m]  @param h  kernel's radius [m]
FLOE_HD Stress stressOf(float tension, const Vec3f& slope, float h)
{
    const float size = physics::length(slope);
    if (!(size * h > kSurfaceSlope))
        return {};
    const Vec3f n = (1 / size) * slope;
    const float s = 2.5f * 2 * ((1 - kAttracts) * tension) * size;
    return {s * (1 - n.x * n.x), s * (1 - n.y * n.y), s * (1 - n.z * n.z),
            -s * n.x * n.y,      -s * n.x * n.z,      -s * n.y * n.z};
}

/// The force of a neighbour of the same liquid along the line from it, over both volumes.
/// @param stress  of both, added  @param unit  tensionOfAttraction()
FLOE_HD float tensionOfPair(const NearPair& pair, const Stress& stress, float tension, float factor,
                            float unit)
{
    const float h2 = pair.h * pair.h;
    const float pull = kAttracts * tension * attraction(pair.q) / (unit * h2 * h2 * pair.h);
    const float along = physics::dot(pair.line, stress * pair.line);
    return along * pair.slope(factor) - pull;
}

} // namespace floe::pbd
