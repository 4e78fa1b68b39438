/// How particles and rigid bodies move in a substep, before and after constraints. One text for the
/// CPU and CUDA threads.
#pragma once

#include "scene.hpp"
#include "settings.hpp"

#include <cmath>

namespace floe::pbd {

/// m exp(-k h): what is low is heavier in contact (Jia 2017, section 4.2.1).
class Lightness {
public:
    explicit Lightness(const SolverSettings& settings) : scaling_(settings.massScaling)
    {
        const double g = physics::length(settings.gravity);
        up_ = g > 0 ? (-1 / g) * settings.gravity : Vec3d{0, 1, 0};
    }
    /// Factor on the inverse mass of what is at x.
    FLOE_HD double at(const Vec3d& x) const
    {
        return scaling_ > 0 ? std::exp(physics::clamp(scaling_ * physics::dot(up_, x), -30.0, 30.0))
                            : 1.0;
    }

private:
    double scaling_;
    Vec3d up_;
};

/// Displacement without constraints. Rounding of dt itself would add up from step to step: momentum
/// would drift.
FLOE_HD Vec3f predictedWay(const Vec3f& v, double dt)
{
    return toFloat(dt * toDouble(v));
}

/// Positions and velocities from displacements. What would move less than sleeping allows stays
/// where it is; its velocity is not touched, or things would balance where they cannot.
/// @param mayStay  it is free  @param still  how far it must move not to stay [m]
FLOE_HD void finishParticle(Vec3d& x, Vec3f& v, const Vec3f& way, bool mayStay, double still,
                            double dt)
{
    v = toFloat((1 / dt) * toDouble(way));
    if (!(mayStay && physics::length(way) < still))
        x = x + toDouble(way);
}

/// Inverse of an inertia, turned by R [1/(kg m^2)].
FLOE_HD Mat3d inverseInertiaOf(const Mat3d& inertia, const Mat3d& R)
{
    const Mat3d inverse =
        (1 / physics::determinant(inertia)) * physics::transpose(physics::cofactor(inertia));
    return R * inverse * physics::transpose(R);
}

/// What moves of a rigid body: see Body.
struct BodyState {
    Vec3d x;
    Mat3d R;
    Vec3d v, angularMomentum;
};

/// A rigid body's displacement without constraints, and what it weighs in contact: see Motion.
struct BodyMotion {
    Vec3d way, freeTurn;
    float weight;
    Mat3d turnWeight, inertia;
};
/// @param inertia    at rest [kg m^2]
/// @param lightness  Lightness::at()
FLOE_HD BodyMotion predictBody(const BodyState& body, const Mat3d& inertia, double mass,
                               double lightness, double dt)
{
    BodyMotion motion;
    motion.weight = static_cast<float>(lightness / mass);
    const Mat3d inverse = inverseInertiaOf(inertia, body.R);
    motion.turnWeight = lightness * inverse;
    motion.way = dt * body.v;
    // Half way the axis of a free top has moved on: without that its energy would drift.
    const Mat3d halfway = rotationAbout((0.5 * dt) * (inverse * body.angularMomentum)) * body.R;
    motion.freeTurn = dt * (inverseInertiaOf(inertia, halfway) * body.angularMomentum);
    motion.inertia = body.R * inertia * physics::transpose(body.R);
    return motion;
}

/// An orientation, turned by a rotation vector [rad].
FLOE_HD Mat3d turned(const Mat3d& R, const Vec3d& turn)
{
    return gramSchmidtRotation(rotationAbout(turn) * R);
}

/// Pose and momentum from displacements.
/// @param way, turn  with constraints
/// @param inertia    BodyMotion's, and its freeTurn
/// @param reach      no part of the body is farther from its centre [m]
FLOE_HD void finishBody(BodyState& body, const Vec3d& way, const Vec3d& turn, const Vec3d& freeTurn,
                        const Mat3d& inertia, double reach, double still, double dt)
{
    // Momentum changes by the impulses alone, whatever orientation stabilise() left.
    body.v = (1 / dt) * way;
    body.angularMomentum = body.angularMomentum + (1 / dt) * (inertia * (turn - freeTurn));
    if (physics::length(way) + reach * physics::length(turn) >= still) {
        body.x = body.x + way;
        body.R = turned(body.R, turn);
    }
}

/// Puts a particle where its rigid body's pose has it. @param spin  of the body [rad/s]
FLOE_HD void placeOnBody(const BodyState& body, const Vec3d& spin, const Vec3f& offset, Vec3d& x,
                         Vec3f& v)
{
    const Vec3d arm = body.R * toDouble(offset);
    x = body.x + arm;
    v = toFloat(body.v + physics::cross(spin, arm));
}

/// Displacement of a rigid body's point. @param arm  to it from the centre [m]
FLOE_HD Vec3f pointMotion(const Vec3d& way, const Vec3d& turn, const Vec3f& arm)
{
    return toFloat(way + physics::cross(turn, toDouble(arm)));
}
/// How much it yields along a unit direction: displacement for an impulse [1/kg].
FLOE_HD float pointYields(float weight, const Mat3d& turnWeight, const Vec3f& arm, const Vec3f& n)
{
    const Vec3d c = physics::cross(toDouble(arm), toDouble(n));
    return weight + static_cast<float>(physics::dot(c, turnWeight * c));
}

} // namespace floe::pbd
