/// How a joint is projected. One text for the CPU and CUDA threads.
#pragma once

#include "joints.hpp"
#include "rotation.hpp"

#include <cmath>

namespace floe::pbd {

/// A side of a joint as it is with the displacements so far.
struct JointEnd {
    const JointSide* side;
    Vec3d *way = nullptr, *turn = nullptr; ///< of a rigid body; else null
    Vec3f* moved = nullptr;                ///< of a particle; else null
    double weight = 0;                     ///< of either [1/kg]
    const Mat3d* turnWeight = nullptr;     ///< of a rigid body [1/(kg m^2)]
    Vec3d center{0, 0, 0};                 ///< of a rigid body as the substep began [m]
    Mat3d turned = Mat3d::identity();      ///< rotation from the body at rest
    Vec3d arm{0, 0, 0};                    ///< from the centre [m]
    Vec3d place{0, 0, 0};                  ///< of the anchor [m]

    /// @param x, R  of a rigid body as the substep began; x of a particle
    FLOE_HD void begin(const Vec3d& x, const Mat3d& R)
    {
        if (way) {
            center = x;
            turned = rotationAbout(*turn) * R;
            arm = turned * side->anchor;
            place = x + *way + arm;
        } else if (moved) {
            place = x + toDouble(*moved);
        } else {
            place = side->anchor;
        }
    }
    /// Displacement of the anchor for an impulse: a symmetric matrix [1/kg].
    FLOE_HD Mat3d yields() const
    {
        Mat3d K{};
        if (way) {
            Mat3d r{};
            r[0][1] = -arm.z;
            r[0][2] = arm.y;
            r[1][0] = arm.z;
            r[1][2] = -arm.x;
            r[2][0] = -arm.y;
            r[2][1] = arm.x;
            K = r * *turnWeight * physics::transpose(r);
        }
        for (int i = 0; i < 3; ++i)
            K[i][i] += weight;
        return K;
    }
    /// Rotation for an angular impulse about a unit axis [1/(kg m^2)].
    FLOE_HD double turns(const Vec3d& axis) const
    {
        return way ? physics::dot(axis, *turnWeight * axis) : 0;
    }
    FLOE_HD void push(const Vec3d& impulse) const { push(impulse, arm); }
    FLOE_HD void push(const Vec3d& impulse, const Vec3d& lever) const
    {
        if (way) {
            *way = *way + weight * impulse;
            twist(physics::cross(lever, impulse));
        } else if (moved) {
            *moved = *moved + toFloat(weight * impulse);
        }
    }
    FLOE_HD void twist(const Vec3d& angular) const
    {
        if (way)
            *turn = *turn + *turnWeight * angular;
    }
    FLOE_HD Vec3d turnSoFar() const { return way ? *turn : Vec3d{0, 0, 0}; }
};

/// Turns both sides until a rotation by `error` between them is gone.
FLOE_HD void align(const JointEnd& a, const JointEnd& b, const Vec3d& error)
{
    const double angle = physics::length(error);
    if (!(angle > 1e-14))
        return;
    const Vec3d axis = (1 / angle) * error;
    const double yields = a.turns(axis) + b.turns(axis);
    if (!(yields > 0))
        return;
    const Vec3d impulse = (angle / yields) * axis;
    a.twist(impulse);
    b.twist(-1.0 * impulse);
}

/// The vector by which a rotation turns [rad].
FLOE_HD Vec3d vectorOf(const Mat3d& R)
{
    const Vec3d twice{R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]};
    const double sine = 0.5 * physics::length(twice), cosine = 0.5 * (physics::trace(R) - 1);
    const double angle = std::atan2(sine, cosine);
    return sine > 1e-12 ? (0.5 * angle / sine) * twice : Vec3d{0, 0, 0};
}

/// @param endOf  gives a JointEnd of a JointSide, as it is
template <class EndOf>
FLOE_HD void projectJoint(const Joint& joint, JointMultiplier& multiplier, double dt,
                          const EndOf& endOf)
{
    using physics::cross;
    using physics::dot;
    if (joint.broken)
        return;
    if (joint.kind != JointKind::ball) {
        const JointEnd a = endOf(joint.a), b = endOf(joint.b);
        if (joint.kind == JointKind::hinge)
            align(a, b, cross(a.turned * joint.a.axis, b.turned * joint.b.axis));
        else
            align(
                a, b,
                vectorOf(b.turned * joint.b.frame * physics::transpose(a.turned * joint.a.frame)));
    }
    if (joint.motor) {
        const JointEnd a = endOf(joint.a), b = endOf(joint.b);
        const Vec3d axis = a.turned * joint.a.axis;
        const double yields = a.turns(axis) + b.turns(axis);
        if (yields > 0) {
            const double off = joint.speed * dt - dot(axis, a.turnSoFar() - b.turnSoFar());
            double& sum = multiplier.motor;
            const double most = joint.torque * dt * dt;
            const double wanted = physics::clamp(sum + off / yields, -most, most);
            a.twist((wanted - sum) * axis);
            b.twist((sum - wanted) * axis);
            sum = wanted;
        }
    }
    const JointEnd a = endOf(joint.a), b = endOf(joint.b);
    const Mat3d K = a.yields() + b.yields();
    const double volume = physics::determinant(K);
    if (!(volume > 0))
        return;
    const Vec3d impulse =
        (1 / volume) * (physics::transpose(physics::cofactor(K)) * (b.place - a.place));
    if (a.way && b.way) {
        // Momentum counts from where the centres were: from there, and but for their common way,
        // both are pushed at one point, or they would turn each other for nothing.
        const Vec3d common = (1 / (a.weight + b.weight)) * (b.weight * *a.way + a.weight * *b.way);
        const Vec3d point = 0.5 * (a.place + b.place) - common;
        a.push(impulse, point - a.center);
        b.push(-1.0 * impulse, point - b.center);
    } else {
        a.push(impulse);
        b.push(-1.0 * impulse);
    }
    multiplier.impulse = multiplier.impulse + impulse;
}

/// What the particle that is one of a joint's sides and the other side are together.
/// @param tie  `second` is set  @return false: they are not one
FLOE_HD bool tieSides(const JointEnd& a, const JointEnd& b, JointTie& tie)
{
    const Mat3d K[2] = {a.yields(), b.yields()};
    const Mat3d sum = K[0] + K[1];
    const double volume = physics::determinant(sum);
    if (!(volume > 0))
        return false;
    const Mat3d inverse = (1 / volume) * physics::transpose(physics::cofactor(sum));
    const int side = tie.second ? 1 : 0;
    tie.share = inverse * K[1 - side];
    tie.yields = K[side] * tie.share;
    return true;
}
/// Gives the other side what an impulse on both leaves after the particle's share.
FLOE_HD void passOn(const JointTie& tie, const JointEnd& other, const Vec3d& impulse,
                    JointMultiplier& multiplier)
{
    const Vec3d rest = impulse - tie.share * impulse;
    other.push(rest);
    Vec3d& sum = multiplier.impulse;
    sum = tie.second ? sum + rest : sum - rest;
}

/// Whether a joint had to bear more in a substep than its strength.
FLOE_HD bool breaks(const Joint& joint, const JointMultiplier& multiplier, double dt)
{
    return joint.strength > 0 && physics::length(multiplier.impulse) > joint.strength * dt * dt;
}

} // namespace floe::pbd
