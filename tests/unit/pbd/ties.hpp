/// Joints that tests make.
#pragma once

#include "solver_scene.hpp"

namespace floe::pbd {

/// Ties a body, by default the first, to the world, or to another, at a place.
inline Joint tie(const Trial& trial, JointKind kind, const Vec3d& anchor, const Vec3d& axis,
                 std::uint32_t other = kNoBody, std::uint32_t own = 0)
{
    Joint joint;
    joint.kind = kind;
    const auto side = [&](std::uint32_t number) {
        JointSide out;
        out.anchor = anchor;
        out.axis = axis;
        if (number == kNoBody)
            return out;
        const Body& body = trial.solver.scene.bodies[number];
        out.body = number;
        out.frame = physics::transpose(body.R);
        out.anchor = out.frame * (anchor - body.x);
        out.axis = out.frame * axis;
        return out;
    };
    joint.a = side(own);
    joint.b = side(other);
    return joint;
}

} // namespace floe::pbd
