#include "joint_record.hpp"

#include "body_record.hpp"

#include "floe/sdk/world/records.hpp"

#include <algorithm>
#include <string>

namespace floe::pbd {

namespace {

constexpr double kRadians = 3.14159265358979323846 / 180;

std::string nameOf(const sdk::Value& record)
{
    return "joint '" + record.require("name").string() + "'";
}

JointSide sideOf(const sdk::Value& record, const char* which, const char* copy,
                 const std::vector<LinkedBody>& linked, const Scene& start, const Vec3d& anchor,
                 const Vec3d& axis)
{
    JointSide side;
    side.anchor = anchor;
    side.axis = axis;
    const sdk::Value body = record.field(which);
    if (!body)
        return side;
    const auto found = std::find_if(linked.begin(), linked.end(), [&](const LinkedBody& other) {
        return other.record == body.get();
    });
    if (found == linked.end())
        throw sdk::Failure(nameOf(record) +
                               " ties a body that is not linked to the solver; link '" +
                               body.require("name").string() + "' to its bodies too",
                           FLOE_BAD_ARGUMENT);
    const double number = numberWithin(record, copy, 0, 1e6, nameOf(record));
    if (number >= found->count)
        throw sdk::Failure(nameOf(record) + ": '" + body.require("name").string() + "' has " +
                               std::to_string(found->count) + " copies, numbered from 0",
                           FLOE_BAD_ARGUMENT);
    const std::uint32_t index = found->first + static_cast<std::uint32_t>(number);
    const Body& own = start.bodies[index];
    if (own.rigid) {
        const Mat3d back = physics::transpose(own.R);
        side.body = index;
        side.anchor = back * (anchor - own.x);
        side.axis = back * axis;
        side.frame = back;
        return side;
    }
    double nearest = INFINITY;
    for (std::size_t k = 0; k < own.rest->particles.size(); ++k) {
        const double way = physics::length(start.particles.x[own.first + k] - anchor);
        if (way < nearest) {
            nearest = way;
            side.particle = own.first + static_cast<std::uint32_t>(k);
        }
    }
    return side;
}

} // namespace

Joint jointOf(const sdk::Value& record, const std::vector<LinkedBody>& linked, const Scene& start)
{
    Joint joint;
    joint.kind = sdk::world::choiceOf<JointKind>(
        record, "kind", record.require("kind").string(),
        {{"ball", JointKind::ball}, {"hinge", JointKind::hinge}, {"fixed", JointKind::fixed}});
    const Vec3d anchor = sdk::world::vectorOf(record, "anchor");
    Vec3d axis = sdk::world::vectorOf(record, "axis");
    if (!(physics::length(axis) > 0))
        throw sdk::Failure(nameOf(record) + " has an axis of no length; give it a direction",
                           FLOE_BAD_ARGUMENT);
    axis = (1 / physics::length(axis)) * axis;
    joint.a = sideOf(record, "a", "copyA", linked, start, anchor, axis);
    joint.b = sideOf(record, "b", "copyB", linked, start, anchor, axis);
    if (joint.a.body == joint.b.body && joint.a.particle == joint.b.particle)
        throw sdk::Failure(nameOf(record) + " ties a body to itself; link another one, or another "
                                            "copy",
                           FLOE_BAD_ARGUMENT);
    if (joint.kind != JointKind::ball &&
        (joint.a.particle != kNoBody || joint.b.particle != kNoBody))
        throw sdk::Failure(nameOf(record) + " ties a particle of a cloth, rope or soft body, which "
                                            "has no rotation to hold; choose 'ball'",
                           FLOE_BAD_ARGUMENT);
    joint.motor = joint.kind == JointKind::hinge && record.require("motor").boolean();
    readMotor(joint, record);
    return joint;
}

void readMotor(Joint& joint, const sdk::Value& record)
{
    const std::string of = nameOf(record);
    joint.speed = kRadians * numberWithin(record, "speed", -1e9, 1e9, of);
    joint.torque = numberWithin(record, "torque", 0, 1e15, of);
    joint.strength = numberWithin(record, "strength", 0, 1e15, of);
}

} // namespace floe::pbd
