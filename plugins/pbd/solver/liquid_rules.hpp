/// What neighbours and walls do to one particle of liquid. One text for the CPU's lanes and CUDA
/// threads.
#pragma once

#include "kernel.hpp"
#include "liquid_kernels.hpp"

// Not in floe::pbd itself, where the instruction set's name would be that of floe::pbd::cuda.
namespace floe::pbd::liquid_rules {
inline namespace FLOE_ISA {

// Neighbours' projections add up: with whole ones a liquid at rest simmers.
inline constexpr float kLiquidRelaxation = 0.5f;
/// Of a radius: how far particles come nearer within a substep.
inline constexpr double kLiquidSlack = 0.05;
inline constexpr float kLeastSlope = 0.1f; ///< of an eddy's vorticity, in a kernel's radius

/// Kernel's radius of a particle and a neighbour: that of two liquids, or the liquid's where one is
/// solid [m]. @param halfSupport  LiquidRows
template <class Real>
FLOE_HD Real kernelRadiusOf(float halfSupport, const LiquidTrait& own, Real otherRadius,
                            Real otherLiquid)
{
    using namespace physics;
    const Real others = select(otherLiquid > Real(0.0f), otherRadius, Real(own.radius));
    const Real mine = own.liquid > 0 ? Real(own.radius) : others;
    return Real(halfSupport) * (mine + others);
}

/// Sums over neighbours: the density, its gradient and what the others yield along theirs.
template <class Real>
struct DensitySums {
    Real share = Real(0.0f), x = Real(0.0f), y = Real(0.0f), z = Real(0.0f), spread = Real(0.0f);

    /// @param dx, dy, dz  from the neighbour [m]  @param inverse  of the kernel's radius [1/m]
    FLOE_HD void add(Real dx, Real dy, Real dz, Real squared, Real volume, Real inverseMass,
                     Real inverse)
    {
        using namespace physics;
        const Real inverse2 = inverse * inverse;
        const Real q = min(sqrt(squared) * inverse, Real(2.0f));
        const Real weight = volume * inverse2 * inverse;
        const Real g = weight * inverse2 * kernelPull(q);
        share += weight * kernelShape(q);
        x += g * dx;
        y += g * dy;
        z += g * dz;
        spread += inverseMass * g * g * squared;
    }
};

/// The multiplier that would bring a particle to rest density.
/// @param x, y, z  gradient of its density  @param spread  of the others
FLOE_HD float multiplierOf(const LiquidTrait& own, float density, float x, float y, float z,
                           float spread, float relaxation)
{
    const float gradient = x * x + y * y + z * z;
    const float weights = spread + own.inverseMass * gradient;
    // A lone pair far apart has next to no gradient; it must not fly.
    const float least = 1e-3f * own.inverseMass / (4 * own.radius * own.radius);
    const float excess = density > 1 ? density - 1 : 0;
    return -relaxation * excess / (weights + least);
}

/// What two push each other by, over their distance.
template <class Real>
FLOE_HD Real pushOfPair(Real multiplier, Real volume, Real otherMultiplier, Real otherVolume,
                        Real squared, Real inverse)
{
    using namespace physics;
    const Real q = min(sqrt(squared) * inverse, Real(2.0f));
    const Real square = inverse * inverse;
    return (multiplier * otherVolume + otherMultiplier * volume) * square * square * inverse *
           kernelPull(q);
}

/// The share of its motion that a neighbour gives (XSPH, Schechter and Bridson 2012).
template <class Real>
FLOE_HD Real smoothingShare(Real otherVolume, Real squared, Real inverse)
{
    using namespace physics;
    return otherVolume * inverse * inverse * inverse *
           kernelShape(min(sqrt(squared) * inverse, Real(2.0f)));
}

/// Of a neighbour's volume: its share of the kernel's gradient, over the distance.
template <class Real>
FLOE_HD Real derivativePull(Real otherLiquid, Real otherVolume, Real squared, Real inverse)
{
    using namespace physics;
    const Real inverse2 = inverse * inverse;
    return otherLiquid * otherVolume * inverse2 * inverse2 * inverse *
           kernelPull(min(sqrt(squared) * inverse, Real(2.0f)));
}
/// Derivatives by differences, so that what is the same everywhere has none, beside a free surface
/// too.
template <class Real>
struct DerivativeSums {
    Real curlX = Real(0.0f), curlY = Real(0.0f), curlZ = Real(0.0f), slopeX = Real(0.0f),
         slopeY = Real(0.0f), slopeZ = Real(0.0f);

    /// @param x, y, z  the neighbour's share of the gradient  @param v, share  differences
    FLOE_HD void add(Real x, Real y, Real z, Real vx, Real vy, Real vz, Real share)
    {
        curlX += y * vz - z * vy;
        curlY += z * vx - x * vz;
        curlZ += x * vy - y * vx;
        slopeX += x * share;
        slopeY += y * share;
        slopeZ += z * share;
    }
};
/// What an eddy is pushed by (Macklin and Mueller 2013, section 5). @param h  kernel's radius [m]
/// @param slope  of the size of the vorticity  @param gain  density, rate and step
FLOE_HD physics::Vec3<float> eddyPush(const physics::Vec3<float>& slope,
                                      const physics::Vec3<float>& curl, float size, float h,
                                      float density, float vorticity, float dt)
{
    // Where it hardly changes in a kernel's radius there is no middle.
    const float least = kLeastSlope * size / h, gain = density * vorticity * dt * h;
    return (gain / physics::max(physics::length(slope) + least, 1e-20f)) *
           physics::cross(slope, curl);
}

/// Shares of several walls as of a kernel that is a product of its axes, which a spline nearly is.
struct WallShare {
    float left = 1;
    physics::Vec3<float> slope{0, 0, 0}; ///< of the logarithm of what is left

    /// @param h  kernel's radius [m]  @param shift  latticeShift()
    FLOE_HD void add(const physics::Vec3<float>& inwards, float distance, float weight, float h,
                     float shift)
    {
        const float q = distance / h + shift;
        if (q >= 1)
            return;
        const float own = physics::max(1 - weight * shareBehind(q), 0.1f);
        left *= own;
        slope = slope - (weight * shareSlope(q) / (h * own)) * inwards;
    }
    FLOE_HD LiquidWall wall() const
    {
        return {-left * slope.x, -left * slope.y, -left * slope.z, 1 - left};
    }
};

/// Viscous friction of a pair in a step [kg] (Monaghan 1992, Weiler et al. 2018).
/// @param viscosity  of the two [Pa s]  @param factor  of the kernel  @param h  its radius [m]
FLOE_HD float frictionOf(float step, float viscosity, float volume, float otherVolume, float factor,
                         float distance, float h)
{
    return -10 * step * viscosity * volume * otherVolume * factor * kernelSlope(distance / h) /
           (h * h * h * h * distance);
}

} // namespace FLOE_ISA
} // namespace floe::pbd::liquid_rules
