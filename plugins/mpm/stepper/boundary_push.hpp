/// What active neighbours do to a boundary block. A backend sums over the block's nodes; what
/// follows from the sums is decided here, for all backends.
#pragma once

#include <floe/sdk/physics/lane.hpp>

#include <cmath>

namespace floe::mpm::rules {
inline namespace FLOE_ISA {

/// Sums over the nodes of a boundary block's own particles. All but the masses leave out nodes that
/// a passive block overlaps: forces there are not balanced.
struct PushSums {
    float mass[8];     ///< of the nodes of each octant [kg]
    float energy[8];   ///< sum of mass times squared velocity [J]
    float drag;        ///< sum of mass times drag() [kg]
    float momentum[3]; ///< the block's, if it moved with its nodes [kg m/s]
};

struct Push {
    float gain[3]; ///< velocity that the block has gained, if the step is taken [m/s]
    float speed;   ///< that its particles would have [m/s]
};

/// Returns whether particles of a block, none of which has moved since the last binning, may reach
/// a node along an axis.
/// @param support  nodes of the splines: 3, quadratic, or 4, cubic
/// @param offset   of their block from the node's: -1, 0 or 1  @param node  its place there, 0 to 3
FLOE_HD bool reachesAtRest(int support, int offset, int node)
{
    const bool before = support == 3 || node < 3;
    return offset == 0 || offset == (before ? -1 : 1);
}

/// Returns the share of a node's mass that moves, and so takes from a block what it had gained.
/// @param inactive, mass  of boundary blocks, and of all; in the same unit, mass > 0
template <class Real>
FLOE_HD Real drag(Real inactive, Real mass)
{
    return 1 - physics::min(inactive / mass, Real(1));
}

/// Returns the share of its gain that a boundary block keeps over a step. @param dt, memory  [s]
inline float keptGain(double dt, double memory)
{
    return std::exp(static_cast<float>(-dt / memory));
}

/// @param gained  velocity gained in earlier steps [m/s]  @param kept  keptGain()
FLOE_HD Push pushOf(const PushSums& sums, const float* gained, float kept)
{
    Push push{};
    float mass = 0, largest2 = 0;
    for (int q = 0; q < 8; ++q) {
        mass += sums.mass[q];
        if (sums.mass[q] > 0)
            largest2 = physics::max(largest2, sums.energy[q] / sums.mass[q]);
    }
    if (!(mass > 0))
        return push;
    float gained2 = 0;
    for (int axis = 0; axis < 3; ++axis) {
        push.gain[axis] =
            kept * (gained[axis] * (1 - sums.drag / mass) + sums.momentum[axis] / mass);
        gained2 += push.gain[axis] * push.gain[axis];
    }
    push.speed = physics::sqrt(physics::max(largest2, gained2));
    return push;
}

/// Returns whether a boundary block wakes. @param wakeSpeed  <= 0: none does [m/s]
FLOE_HD bool isPushed(float speed, float wakeSpeed)
{
    return wakeSpeed > 0 && speed > wakeSpeed;
}

} // namespace FLOE_ISA
} // namespace floe::mpm::rules
