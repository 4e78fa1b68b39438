/// The volume and the surface of liquid particles, from their motion and from where the matter
/// around them lies.
///
/// div v alone cannot keep a liquid's volume: what it misses adds up, and matter that is torn apart
/// and falls back takes more or less room than before. Nodes know the mass around each particle,
/// at no cost, and mass over density at rest is volume by position. A particle within the liquid
/// lets its J drift towards that; one at a surface, beyond which there is no mass, only where there
/// is too much of it, or so little that it is torn: froth falls together again.
///
/// The same mass tells where a surface is, which surface tension acts on.
///
/// For kernels too: nothing here may use the C++ library.
#pragma once

#include <floe/sdk/physics/liquid.hpp>
#include <floe/sdk/physics/spline.hpp>

namespace floe::mpm {

/// Where the domain's walls across the grid's axes are [cells], from a block's first node.
struct NearWalls {
    static constexpr float kNone = 1e6f;
    float low[3] = {-kNone, -kNone, -kNone};
    float high[3] = {kNone, kNone, kNone};

    /// Whether matter that particles of the block feel may be cut off along an axis.
    FLOE_HD bool any(int axis) const { return low[axis] > -3.0f || high[axis] < 8.0f; }
};

/// What walls in any direction leave of the mass around a particle, if matter fills the space
/// before them.
struct OpenPart {
    float perShare = 1;         ///< 1 over the share of its weighted mean
    float slope[3] = {0, 0, 0}; ///< of the logarithm [1/cell]
};

namespace rules {
inline namespace FLOE_ISA {

using physics::abs;
using physics::clamp;
using physics::max;
using physics::min;
using physics::select;
using physics::sqrt;

/// The mass around a particle, as if matter went on behind walls.
template <class Real>
struct NearMass {
    Real mean;                 ///< of the nodes, weighted as for velocities [kg]
    physics::Vec3<Real> slope; ///< of its logarithm [1/cell]
};

/// A particle feels a density that varies by less than this share of itself over a cell only where
/// matter is on all sides.
inline constexpr float kMaxInnerSlope = 0.3f;
/// Cells that sound crosses while J goes most of the way to what positions say: slow beside waves,
/// which div v gets right, and fast beside the flows that a liquid of chosen stiffness is for.
inline constexpr float kCorrectionCells = 100;
/// The same where matter is torn.
inline constexpr float kTornCells = 30;
/// Particles that lie unevenly make matter less dense by up to this share.
inline constexpr float kUnevenness = 0.12f;
/// Share of the mass within matter that the outermost particles of an even surface have around
/// them, at least: of eight in a cell, a quarter of a cell below it.
inline constexpr float kSurfaceShare = 0.6f;
/// Densities whose ratio differs from 1 by less are one.
inline constexpr float kSameDensity = 1e-3f;

template <class Real>
FLOE_HD Real positivePart(Real a)
{
    return max(a, Real(0.0f));
}

/// Returns the share of a node's spline on the inner side of a wall.
/// @param d  distance of the node from it, positive inside [cells]
template <int kSupport, class Real>
FLOE_HD Real shareInside(Real d)
{
    constexpr float kHalf = 0.5f * kSupport;
    d = clamp(d, Real(-kHalf), Real(kHalf));
    Real sum(0.0f);
    float binomial = 1;
    FLOE_UNROLL
    for (int i = 0; i < kSupport; ++i) { // the integral of a B-spline as truncated powers
        const Real t = positivePart(d + Real(kHalf - static_cast<float>(i)));
        const Real power = kSupport == 3 ? t * t * t : t * t * (t * t);
        sum = sum + Real(binomial) * power;
        binomial *= -static_cast<float>(kSupport - i) / static_cast<float>(i + 1);
    }
    return Real(kSupport == 3 ? 1.0f / 6.0f : 1.0f / 24.0f) * sum;
}

/// Takes out what walls cut off along an axis, as if matter went on behind them.
/// @param x      position along the axis [cells] from the block's first node
/// @param mean   multiplied  @param slope  of the logarithm [1/cell], added to
template <int kSupport, class Real>
FLOE_HD void fillBehind(const NearWalls& walls, int axis, Real x, Real& mean, Real& slope)
{
    constexpr float kInverseMoment = kSupport == 3 ? 4.0f : 3.0f;
    const auto s = physics::spline<kSupport>(x);
    Real share(0.0f), moment(0.0f);
    FLOE_UNROLL
    for (int j = 0; j < kSupport; ++j) {
        const Real node = s.base + Real(static_cast<float>(j));
        const Real open =
            s.w[j] * (shareInside<kSupport>(node - Real(walls.low[axis])) +
                      shareInside<kSupport>(Real(walls.high[axis]) - node) - Real(1.0f));
        share = share + open;
        moment = moment + open * (node - x);
    }
    share = max(share, Real(0.1f)); // far behind a wall
    const Real perShare = Real(1.0f) / share;
    mean = mean * perShare;
    slope = slope - Real(kInverseMoment) * moment * perShare;
}

/// A wall as a particle has it beside it.
struct WallBeside {
    physics::Vec3<float> normal; ///< unit, towards the particle
    float distance;              ///< of the particle [cells]
};

/// @param x      of a particle [cells] from the block's first node
/// @param walls  that face different directions
template <int kSupport>
FLOE_HD OpenPart openPart(const physics::Vec3<float>& x, const WallBeside* walls, int count)
{
    constexpr float kInverseMoment = kSupport == 3 ? 4.0f : 3.0f;
    const auto sx = physics::spline<kSupport>(x.x), sy = physics::spline<kSupport>(x.y),
               sz = physics::spline<kSupport>(x.z);
    float share = 0;
    physics::Vec3<float> moment{0, 0, 0};
    for (int i = 0; i < kSupport; ++i)
        for (int j = 0; j < kSupport; ++j)
            for (int k = 0; k < kSupport; ++k) {
                const physics::Vec3<float> away{sx.base + static_cast<float>(i) - x.x,
                                                sy.base + static_cast<float>(j) - x.y,
                                                sz.base + static_cast<float>(k) - x.z};
                float open = sx.w[i] * sy.w[j] * sz.w[k];
                for (int w = 0; w < count; ++w)
                    open *= shareInside<kSupport>(walls[w].distance +
                                                  physics::dot(walls[w].normal, away));
                share += open;
                moment = moment + open * away;
            }
    OpenPart part;
    part.perShare = 1 / max(share, 0.1f);
    for (int axis = 0; axis < 3; ++axis)
        part.slope[axis] = kInverseMoment * part.perShare * moment[axis];
    return part;
}

/// @param x      [cells] from the block's first node
/// @param mean   sum of w m over the nodes [kg]  @param slope  of m by position [kg/cell]
template <int kSupport, class Real>
FLOE_HD NearMass<Real> nearMass(const NearWalls& walls, const physics::Vec3<Real>& x, Real mean,
                                const physics::Vec3<Real>& slope)
{
    const Real perMean = Real(1.0f) / max(mean, Real(1e-30f));
    physics::Vec3<Real> along;
    FLOE_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
        along[axis] = slope[axis] * perMean;
        if (walls.any(axis))
            fillBehind<kSupport>(walls, axis, x[axis], mean, along[axis]);
    }
    return {mean, along};
}

/// 1 over the integral of c (1 - c) from 1/2 to 1, c the share of space that is full. Particles
/// fill the inner half of what a surface is smeared over. Its gradient is weighted by c (1 - c), so
/// that what merely lies unevenly within the liquid does not count; balls of four cells and more
/// then have the surface that they should within 5 %.
inline constexpr float kSurfaceScale = 12;

/// Returns what ripples of two cells, the fastest on a surface, add to the wave modulus [Pa].
FLOE_HD float rippleModulus(const physics::Liquid& law, float cellSize)
{
    return 3.14159265f * law.surfaceTension / cellSize;
}

/// Returns what addSurfaceTension() takes of a liquid particle after a step. The mass around it is
/// that before; with it, surface tension would come a step late, and feed ripples instead of
/// holding them: the surface has moved on with the particle, ds/dt = -(grad v)^T s.
/// @param density  of its matter [kg/m^3]  @param C  grad v [1/s]  @param dt  [s]
/// @param cellSize [m]
template <class Real>
FLOE_HD physics::Vec3<Real> surfaceAfter(const NearMass<Real>& near, Real density,
                                         const physics::Mat3<Real>& C, float dt, float cellSize)
{
    const Real full = density * Real(cellSize * cellSize * cellSize);
    const Real c = near.mean / max(full, Real(1e-30f));
    const physics::Vec3<Real> s =
        (Real(kSurfaceScale / cellSize) * c * c * positivePart(Real(1.0f) - c)) * near.slope;
    return s - Real(dt) * (physics::transpose(C) * s);
}

/// Returns J - 1 that torn matter has at least, below 0 where it is not torn: within matter, what
/// particles that lie unevenly do not explain; at a surface, beyond which there is nothing, what
/// is less dense than any even one.
/// @param full  mass of a cell of dense matter [kg]
template <class Real>
FLOE_HD Real tornVolume(Real mean, float full, const physics::MaskOf<Real>& inside)
{
    const Real dense = select(inside, Real(full), Real(kSurfaceShare * full));
    const Real room = dense / max(mean, Real(0.5f) * dense) - Real(1.0f); // J = 2 at most
    return select(room > Real(0.0f), max(room - Real(kUnevenness), Real(0.0f)), Real(-1.0f));
}

/// Advances J - 1 of liquid particles by a step, where Liquid::matterDensity is known. Particles of
/// another density follow div v alone.
/// @param mass  [kg]  @param volume  at rest [m^3]  @param change  J - 1
/// @param dt    [s]  @param volumeTime  that positions act for [s]  @param cellSize  [m]
template <class Real>
FLOE_HD Real advanceVolume(const physics::Liquid& law, const NearMass<Real>& near, Real mass,
                           Real volume, Real change, Real divergence, float dt, float volumeTime,
                           float cellSize)
{
    const float full = law.matterDensity * cellSize * cellSize * cellSize; // mass of a cell
    const Real byPosition =                                                // J = 2 at most
        Real(full) / max(near.mean, Real(0.5f * full)) - Real(1.0f);
    const auto inside =
        physics::dot(near.slope, near.slope) < Real(kMaxInnerSlope * kMaxInnerSlope);
    const Real crossed = // cells, by sound
        Real(volumeTime / cellSize) * sqrt(Real(law.restModulus() / law.matterDensity));
    const Real part = min(Real(1.0f / kCorrectionCells) * crossed, Real(1.0f));
    Real after =
        physics::reconciledVolume(law, change, divergence, Real(dt), byPosition, inside, part);
    Real alone = physics::advanceLiquidVolume(law, change, divergence, Real(dt));
    if (!(law.tensileStrength > 0)) {
        const Real tornPart = min(Real(1.0f / kTornCells) * crossed, Real(1.0f));
        after = max(after, after + tornPart * (tornVolume(near.mean, full, inside) - after));
        alone = min(alone, Real(0.0f));
    }
    const Real own = Real(law.matterDensity) * volume;
    return select(abs(mass - own) < Real(kSameDensity) * own, after, alone);
}

} // namespace FLOE_ISA
} // namespace rules
} // namespace floe::mpm
