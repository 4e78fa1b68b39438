#include "joints.hpp"

#include "joint_rules.hpp"

#include <algorithm>

namespace floe::pbd {

namespace {

JointEnd endOf(const Scene& scene, Motion& motion, const JointSide& side)
{
    JointEnd end{&side};
    if (side.body != kNoBody) {
        const Body& body = scene.bodies[side.body];
        end.way = &motion.body[side.body];
        end.turn = &motion.turn[side.body];
        end.weight = double{motion.bodyWeight[side.body]};
        end.turnWeight = &motion.turnWeight[side.body];
        end.begin(body.x, body.R);
    } else if (side.particle != kNoBody) {
        end.moved = &motion.particle[side.particle];
        end.weight = double{motion.weight[side.particle]};
        end.begin(scene.particles.x[side.particle], Mat3d::identity());
    } else {
        end.begin(side.anchor, Mat3d::identity());
    }
    return end;
}

} // namespace

void Joints::begin(const std::vector<Joint>& joints)
{
    multipliers_.assign(joints.size(), {});
}

std::vector<JointTie> Joints::ties(const Scene& scene, const std::vector<Joint>& joints,
                                   Motion& motion) const
{
    std::vector<JointTie> ties;
    for (std::uint32_t k = 0; k < joints.size(); ++k) {
        if (joints[k].broken)
            continue;
        for (const bool second : {false, true}) {
            JointTie tie{(second ? joints[k].b : joints[k].a).particle, k, second, {}, {}};
            if (tie.particle != kNoBody &&
                tieSides(endOf(scene, motion, joints[k].a), endOf(scene, motion, joints[k].b), tie))
                ties.push_back(tie);
        }
    }
    std::sort(ties.begin(), ties.end(), [](const JointTie& l, const JointTie& r) {
        return l.particle != r.particle ? l.particle < r.particle : l.joint < r.joint;
    });
    const auto same = [](const JointTie& l, const JointTie& r) {
        return l.particle == r.particle;
    };
    ties.erase(std::unique(ties.begin(), ties.end(), same), ties.end());
    return ties;
}

void Joints::passOn(const Scene& scene, const std::vector<Joint>& joints, const JointTie& tie,
                    const Vec3d& impulse, Motion& motion)
{
    const Joint& joint = joints[tie.joint];
    pbd::passOn(tie, endOf(scene, motion, tie.second ? joint.a : joint.b), impulse,
                multipliers_[tie.joint]);
}

void Joints::project(const Scene& scene, std::vector<Joint>& joints, Motion& motion, double dt)
{
    for (std::size_t k = 0; k < joints.size(); ++k)
        projectJoint(joints[k], multipliers_[k], dt,
                     [&](const JointSide& side) { return endOf(scene, motion, side); });
}

void Joints::finish(std::vector<Joint>& joints, double dt) const
{
    for (std::size_t k = 0; k < joints.size(); ++k)
        if (breaks(joints[k], multipliers_[k], dt))
            joints[k].broken = true;
}

} // namespace floe::pbd
