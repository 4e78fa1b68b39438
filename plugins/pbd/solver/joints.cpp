#include "joints.hpp"

#include "rotation.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

using physics::cross;
using physics::dot;
using physics::length;

/// A side as it is with the displacements so far.
struct Side {
    const JointSide* side;
    Motion* motion;
    const Scene* scene;
    Mat3d turned = Mat3d::identity(); ///< rotation from the body at rest
    Vec3d arm{0, 0, 0};               ///< from the centre [m]
    Vec3d place{0, 0, 0};             ///< of the anchor [m]

    Side(const Scene& world, Motion& moving, const JointSide& from)
        : side(&from), motion(&moving), scene(&world)
    {
        if (from.body != kNoBody) {
            const Body& body = world.bodies[from.body];
            turned = rotationAbout(moving.turn[from.body]) * body.R;
            arm = turned * from.anchor;
            place = body.x + moving.body[from.body] + arm;
        } else if (from.particle != kNoBody) {
            place = world.particles.x[from.particle] + toDouble(moving.particle[from.particle]);
        } else {
            place = from.anchor;
        }
    }
    /// Displacement of the anchor for an impulse: a symmetric matrix [1/kg].
    Mat3d yields() const
    {
        Mat3d K{};
        double w = 0;
        if (side->body != kNoBody) {
            w = motion->bodyWeight[side->body];
            Mat3d r{};
            r[0][1] = -arm.z;
            r[0][2] = arm.y;
            r[1][0] = arm.z;
            r[1][2] = -arm.x;
            r[2][0] = -arm.y;
            r[2][1] = arm.x;
            K = r * motion->turnWeight[side->body] * physics::transpose(r);
        } else if (side->particle != kNoBody) {
            w = motion->weight[side->particle];
        }
        for (int i = 0; i < 3; ++i)
            K[i][i] += w;
        return K;
    }
    /// Rotation for an angular impulse about a unit axis [1/(kg m^2)].
    double turns(const Vec3d& axis) const
    {
        return side->body == kNoBody ? 0 : dot(axis, motion->turnWeight[side->body] * axis);
    }
    void push(const Vec3d& impulse) const { push(impulse, arm); }
    void push(const Vec3d& impulse, const Vec3d& lever) const
    {
        if (side->body != kNoBody) {
            motion->body[side->body] =
                motion->body[side->body] + double{motion->bodyWeight[side->body]} * impulse;
            twist(cross(lever, impulse));
        } else if (side->particle != kNoBody) {
            motion->particle[side->particle] =
                motion->particle[side->particle] +
                toFloat(double{motion->weight[side->particle]} * impulse);
        }
    }
    void twist(const Vec3d& angular) const
    {
        if (side->body != kNoBody)
            motion->turn[side->body] =
                motion->turn[side->body] + motion->turnWeight[side->body] * angular;
    }
    Vec3d turn() const { return side->body == kNoBody ? Vec3d{0, 0, 0} : motion->turn[side->body]; }
};

/// Turns both sides until a rotation by `error` between them is gone.
void align(const Side& a, const Side& b, const Vec3d& error)
{
    const double angle = length(error);
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
Vec3d vectorOf(const Mat3d& R)
{
    const Vec3d twice{R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]};
    const double sine = 0.5 * length(twice), cosine = 0.5 * (physics::trace(R) - 1);
    const double angle = std::atan2(sine, cosine);
    return sine > 1e-12 ? (0.5 * angle / sine) * twice : Vec3d{0, 0, 0};
}

} // namespace

void Joints::begin(const std::vector<Joint>& joints)
{
    multipliers_.assign(joints.size(), {});
}

std::vector<Joints::Tie> Joints::ties(const Scene& scene, const std::vector<Joint>& joints,
                                      Motion& motion) const
{
    std::vector<Tie> ties;
    for (std::uint32_t k = 0; k < joints.size(); ++k) {
        if (joints[k].broken)
            continue;
        const Mat3d K[2] = {Side(scene, motion, joints[k].a).yields(),
                            Side(scene, motion, joints[k].b).yields()};
        const Mat3d sum = K[0] + K[1];
        const double volume = physics::determinant(sum);
        if (!(volume > 0))
            continue;
        const Mat3d inverse = (1 / volume) * physics::transpose(physics::cofactor(sum));
        for (std::size_t side = 0; side < 2; ++side) {
            const std::uint32_t particle = (side ? joints[k].b : joints[k].a).particle;
            if (particle == kNoBody)
                continue;
            const Mat3d share = inverse * K[1 - side];
            ties.push_back({particle, k, side == 1, K[side] * share, share});
        }
    }
    std::sort(ties.begin(), ties.end(), [](const Tie& l, const Tie& r) {
        return l.particle != r.particle ? l.particle < r.particle : l.joint < r.joint;
    });
    const auto same = [](const Tie& l, const Tie& r) {
        return l.particle == r.particle;
    };
    ties.erase(std::unique(ties.begin(), ties.end(), same), ties.end());
    return ties;
}

void Joints::passOn(const Scene& scene, const std::vector<Joint>& joints, const Tie& tie,
                    const Vec3d& impulse, Motion& motion)
{
    const Joint& joint = joints[tie.joint];
    const Vec3d rest = impulse - tie.share * impulse;
    Side(scene, motion, tie.second ? joint.a : joint.b).push(rest);
    Vec3d& sum = multipliers_[tie.joint].impulse;
    sum = tie.second ? sum + rest : sum - rest;
}

void Joints::project(const Scene& scene, std::vector<Joint>& joints, Motion& motion, double dt)
{
    for (std::size_t k = 0; k < joints.size(); ++k) {
        const Joint& joint = joints[k];
        if (joint.broken)
            continue;
        if (joint.kind != JointKind::ball) {
            const Side a(scene, motion, joint.a), b(scene, motion, joint.b);
            if (joint.kind == JointKind::hinge)
                align(a, b, cross(a.turned * joint.a.axis, b.turned * joint.b.axis));
            else
                align(a, b,
                      vectorOf(b.turned * joint.b.frame *
                               physics::transpose(a.turned * joint.a.frame)));
        }
        if (joint.motor) {
            const Side a(scene, motion, joint.a), b(scene, motion, joint.b);
            const Vec3d axis = a.turned * joint.a.axis;
            const double yields = a.turns(axis) + b.turns(axis);
            if (yields > 0) {
                const double off = joint.speed * dt - dot(axis, a.turn() - b.turn());
                double& sum = multipliers_[k].motor;
                const double most = joint.torque * dt * dt;
                const double wanted = std::clamp(sum + off / yields, -most, most);
                a.twist((wanted - sum) * axis);
                b.twist((sum - wanted) * axis);
                sum = wanted;
            }
        }
        const Side a(scene, motion, joint.a), b(scene, motion, joint.b);
        const Mat3d K = a.yields() + b.yields();
        const double volume = physics::determinant(K);
        if (!(volume > 0))
            continue;
        const Vec3d impulse =
            (1 / volume) * (physics::transpose(physics::cofactor(K)) * (b.place - a.place));
        if (joint.a.body != kNoBody && joint.b.body != kNoBody) {
            // Momentum counts from where the centres were: from there, and but for their common
            // way, both are pushed at one point, or they would turn each other for nothing.
            const Vec3d &ua = motion.body[joint.a.body], &ub = motion.body[joint.b.body];
            const double wa = motion.bodyWeight[joint.a.body], wb = motion.bodyWeight[joint.b.body];
            const Vec3d common = (1 / (wa + wb)) * (wb * ua + wa * ub);
            const Vec3d point = 0.5 * (a.place + b.place) - common;
            a.push(impulse, point - scene.bodies[joint.a.body].x);
            b.push(-1.0 * impulse, point - scene.bodies[joint.b.body].x);
        } else {
            a.push(impulse);
            b.push(-1.0 * impulse);
        }
        multipliers_[k].impulse = multipliers_[k].impulse + impulse;
    }
}

void Joints::finish(std::vector<Joint>& joints, double dt) const
{
    for (std::size_t k = 0; k < joints.size(); ++k)
        if (joints[k].strength > 0 &&
            length(multipliers_[k].impulse) > joints[k].strength * dt * dt)
            joints[k].broken = true;
}

} // namespace floe::pbd
