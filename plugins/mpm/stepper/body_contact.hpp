/// Contact of bodies that share nodes of the grid, each with a velocity of its own there
/// (Bardenhagen et al. 2001): at nodes where two of them touch they may part but not approach, and
/// friction holds them within Coulomb's cone.
///
/// Two bodies have mass at a node long before they touch. How far each of them reaches along the
/// normal is told by the mean place of its particles, weighted as the node weighs them: a
/// half-space that ends at a distance s from the node has a mean of its own for each s.
///
/// For kernels too, apart from the constructor of Reach.
#pragma once

#include <floe/sdk/physics/lane.hpp>
#include <floe/sdk/physics/vec.hpp>

#include <cmath>

namespace floe::mpm::rules {
inline namespace FLOE_ISA {

/// How far a half-space reaches past a node, by the mean of its weighted volume.
class Reach {
public:
    /// @param support  of the spline: 3 or 4
    explicit Reach(int support)
    {
        // The mean for each of many ends, and then the end for evenly spaced cube roots of the
        // mean, along which it changes evenly.
        constexpr int kFine = 4096;
        const double half = 0.5 * support;
        half_ = static_cast<float>(half);
        double volume = 0, moment = 0, mean = half, end = -half;
        int next = kSteps;
        for (int i = 0; i < kFine; ++i) {
            const double x = half * (2.0 * (i + 0.5) / kFine - 1), dx = 2 * half / kFine;
            volume += weight(support, std::fabs(x)) * dx;
            moment -= weight(support, std::fabs(x)) * x * dx;
            const double nextMean = std::fmax(moment / volume, 0.0), nextEnd = x + 0.5 * dx;
            for (; next >= 0 && meanAt(next) >= nextMean; --next) {
                const double share =
                    mean > nextMean ? (mean - meanAt(next)) / (mean - nextMean) : 1.0;
                end_[next] = static_cast<float>(end + share * (nextEnd - end));
            }
            mean = nextMean;
            end = nextEnd;
        }
        for (; next >= 0; --next)
            end_[next] = half_;
    }

    /// Returns where a body ends that lies behind a node. @param mean  how far behind the node its
    /// mean is [cells]  @return from the node, towards the outside [cells]
    FLOE_HD float operator()(float mean) const
    {
        if (!(mean > 0))
            return half_;
        const float at = cbrtf(physics::min(mean / half_, 1.0f)) * kSteps;
        const int i = at < kSteps - 1 ? static_cast<int>(at) : kSteps - 1;
        return end_[i] + (at - static_cast<float>(i)) * (end_[i + 1] - end_[i]);
    }

private:
    static constexpr int kSteps = 64;
    double meanAt(int step) const
    {
        const double root = static_cast<double>(step) / kSteps;
        return half_ * root * root * root;
    }
    static double weight(int support, double x)
    {
        if (support == 3)
            return x < 0.5 ? 0.75 - x * x : 0.5 * (1.5 - x) * (1.5 - x);
        return x < 1 ? 2.0 / 3 - x * x + 0.5 * x * x * x : (2 - x) * (2 - x) * (2 - x) / 6;
    }

    float half_;
    float end_[kSteps + 1];
};

/// Returns whether a node sees enough of a body to tell where it ends: up to about a cell away. Of
/// what is farther it sees the corner of a few particles. @param volume  weighted [m^3]  @param h
/// cell size [m]
FLOE_HD bool isNear(double volume, double h)
{
    return volume > 0.03 * h * h * h;
}

/// One body at a node.
struct BodyAtNode {
    physics::Vec3<double> v;   ///< [m/s]
    double mass;               ///< [kg] > 0
    physics::Vec3<float> mean; ///< of its weighted volume, from the node [cells]
};

/// Where two bodies touch.
struct Meeting {
    physics::Vec3<double> normal; ///< from the first into the second
    double gap;                   ///< between them; below 0: they overlap [cells]
    bool known;                   ///< false: they lie in each other, and have no normal
};

/// The normal is from mean to mean: of the two, the one of which the node sees less counts more,
/// and its direction is known better.
FLOE_HD Meeting meetingOf(const Reach& reach, const BodyAtNode& a, const BodyAtNode& b)
{
    const physics::Vec3<float> between = b.mean - a.mean;
    const float length = physics::sqrt(physics::dot(between, between));
    if (!(length > 0.02f))
        return {{0, 0, 0}, 0, false};
    const physics::Vec3<float> n = (1 / length) * between;
    const double gap =
        -double{reach(-physics::dot(a.mean, n))} - double{reach(physics::dot(b.mean, n))};
    return {{n.x, n.y, n.z}, gap, true};
}

/// Returns the largest speed at which two bodies may close their gap in a step: they touch at its
/// end. Where they overlap it is below 0, and they part while sound crosses some cells: contact
/// only stops what approaches, so that the errors of many steps would add up.
/// @param gap  [cells]  @param h  cell size [m]  @param sound  of the slower one [m/s]
FLOE_HD double gapSpeed(double gap, double h, double dt, double sound)
{
    constexpr double kCells = 100;
    return gap > 0 ? gap * h / dt : gap * physics::min(sound / kCells, h / dt);
}

/// The number of times that the pairs at a node meet in turn where there are more than two bodies:
/// what one pair does changes what another has to do.
inline constexpr int kRounds = 8;

/// Lets two bodies meet: changes their velocities, not their common momentum. Bodies that lie in
/// each other move as one.
/// @param gapSpeed  of gapSpeed() [m/s]
FLOE_HD void meet(const Meeting& meeting, double gapSpeed, double friction, BodyAtNode& a,
                  BodyAtNode& b)
{
    const double reduced = a.mass * b.mass / (a.mass + b.mass);
    const physics::Vec3<double> u = b.v - a.v;
    physics::Vec3<double> change{0, 0, 0}; // of u
    if (!meeting.known) {
        change = -1.0 * u;
    } else {
        const double along = physics::dot(u, meeting.normal), push = -gapSpeed - along;
        if (!(push > 0))
            return;
        const physics::Vec3<double> slip = u - along * meeting.normal;
        const double speed = physics::length(slip);
        const double held = speed > 0 ? physics::min(friction * push / speed, 1.0) : 0.0;
        change = push * meeting.normal - held * slip;
    }
    a.v = a.v - (reduced / a.mass) * change;
    b.v = b.v + (reduced / b.mass) * change;
}

} // namespace FLOE_ISA
} // namespace floe::mpm::rules
