/// Ties between rigid bodies, cloth, ropes and the world.
#pragma once

#include "motion.hpp"

#include <cstdint>
#include <vector>

namespace floe::pbd {

/// What a joint leaves free.
enum class JointKind : std::uint32_t {
    ball,  ///< all rotation
    hinge, ///< rotation about an axis
    fixed  ///< nothing
};

/// One of the two sides of a joint: a rigid body, a particle of a cloth or rope, or the world.
struct JointSide {
    std::uint32_t body = kNoBody;     ///< rigid: its number
    std::uint32_t particle = kNoBody; ///< of a cloth or rope: its number in the scene
    Vec3d anchor{0, 0, 0}; ///< rigid: from the centre, in the body at rest; world: the place [m]
    Vec3d axis{0, 1, 0};   ///< hinge: unit, in the body at rest or in the world
    Mat3d frame = Mat3d::identity(); ///< fixed: what coincides, in the body at rest or the world
};

struct Joint {
    JointKind kind = JointKind::ball;
    JointSide a, b;
    bool motor = false;
    double speed = 0;    ///< motor: of a about the axis as seen from b [rad/s]
    double torque = 0;   ///< motor: the most it has [N m]
    double strength = 0; ///< force at which it breaks; 0: never [N]
    bool broken = false;
};

/// What a joint has given in a substep so far.
struct JointMultiplier {
    Vec3d impulse{0, 0, 0}; ///< times the substep, on the first side [kg m]
    double motor = 0;       ///< [kg m^2]
};

/// A particle and what a joint ties it to move as one where a cloth or rope is solved: a light rope
/// could not bear a heavy body otherwise, but for many iterations.
struct JointTie {
    std::uint32_t particle, joint;
    bool second;  ///< the particle is the joint's second side
    Mat3d yields; ///< displacement of both for an impulse on both [1/kg]
    Mat3d share;  ///< how much of an impulse the particle takes
};

/// Projects joints one after the other (Mueller et al. 2020, section 3.3): points that coincide,
/// axes that are parallel. Linear and angular momentum of two tied bodies are kept to rounding.
class Joints {
public:
    /// Before the iterations of a substep.
    void begin(const std::vector<Joint>& joints);
    void project(const Scene& scene, std::vector<Joint>& joints, Motion& motion, double dt);
    /// After a substep: joints that had to bear more than their strength break.
    void finish(std::vector<Joint>& joints, double dt) const;

    /// @return by particle; the first joint of each
    std::vector<JointTie> ties(const Scene& scene, const std::vector<Joint>& joints,
                               Motion& motion) const;
    /// Applies to the other side what an impulse on both leaves after the particle's share.
    void passOn(const Scene& scene, const std::vector<Joint>& joints, const JointTie& tie,
                const Vec3d& impulse, Motion& motion);

private:
    std::vector<JointMultiplier> multipliers_;
};

} // namespace floe::pbd
