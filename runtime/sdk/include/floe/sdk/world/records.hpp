/// Reads the surroundings of a simulation from records (floe/sdk/records.h), with the same checks
/// and messages for every solver.
#pragma once

#include "floe/sdk/motion.hpp"
#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"
#include "floe/sdk/world/collider.hpp"
#include "floe/sdk/world/domain.hpp"
#include "floe/sdk/world/forces.hpp"
#include "floe/sdk/world/level_set_collider.hpp"
#include "floe/sdk/world/surface_collider.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace floe::sdk::world {

/// @throws Failure  the field is missing or not a vector
inline Vec3d vectorOf(const Value& record, const char* name)
{
    const Vector v = record.require(name).vector();
    return {v[0], v[1], v[2]};
}

/// @throws Failure  the field is not a usable number
inline double numberOf(const Value& record, const char* name, double otherwise)
{
    const Value field = record.field(name);
    const double value = field ? field.number() : otherwise;
    if (!std::isfinite(value))
        throw Failure(std::string("field '") + name + "' of a '" + record.schema() +
                          "' is not a usable number",
                      FLOE_BAD_ARGUMENT);
    return value;
}

/// Returns the choice named by a string field.
/// @throws Failure  the name is unknown
template <class T, std::size_t kCount>
T choiceOf(const Value& record, const char* name, const std::string& word,
           const std::pair<const char*, T> (&choices)[kCount])
{
    for (const auto& [known, choice] : choices)
        if (word == known)
            return choice;
    throw Failure(std::string("a '") + record.schema() + "' has " + name + " '" + word +
                      "', which this solver does not know",
                  FLOE_BAD_ARGUMENT);
}

/// Reads how a collider acts on what touches it. @throws Failure
inline void readContact(Collider& collider, const Value& record)
{
    collider.contact = choiceOf<Contact>(
        record, "contact", record.require("contact").string(),
        {{"stick", Contact::stick}, {"slip", Contact::slip}, {"separate", Contact::separate}});
    const Value particles = record.field("particles");
    collider.particles =
        choiceOf<ParticleContact>(record, "particles", particles ? particles.string() : "none",
                                  {{"bounce", ParticleContact::bounce},
                                   {"delete", ParticleContact::remove},
                                   {"none", ParticleContact::none}});
    collider.friction = static_cast<float>(std::max(0.0, numberOf(record, "friction", 0)));
}

/// Makes a collider from a record "collider" that has a shape.
/// @param before  earlier colliders; one at rest with the same shape and pose is reused
/// @throws Failure
inline std::shared_ptr<Collider> colliderOf(const Value& record, const FrameClock& clock,
                                            std::span<const std::shared_ptr<Collider>> before = {})
{
    if (record.field("surface") && !record.field("shape"))
        throw Failure("a Mesh collider stops only what a PBD or MPM solver moves; link a Collider, "
                      "whose shape is a level set",
                      FLOE_UNSUPPORTED);
    auto collider = std::make_shared<LevelSetCollider>(record, clock);
    for (const auto& other : before) {
        const auto known = std::dynamic_pointer_cast<LevelSetCollider>(other);
        if (known && collider->restsLike(*known)) {
            collider = known;
            break;
        }
    }
    readContact(*collider, record);
    return collider;
}

/// Makes a collider from a record "collider" that has a surface.
/// @param known  surfaces of earlier frames; that of the same mesh is reused
/// @throws Failure
inline std::shared_ptr<SurfaceCollider>
surfaceColliderOf(const Value& record, const FrameClock& clock,
                  std::span<const SurfaceCollider::Shared> known = {})
{
    const Value mesh = record.require("surface");
    SurfaceCollider::Shared shared;
    for (const SurfaceCollider::Shared& other : known)
        if (other.mesh.get() == mesh.get())
            shared = other;
    if (!shared.surface)
        shared = SurfaceCollider::share(mesh);
    const Value track = record.require("transform");
    auto collider = std::make_shared<SurfaceCollider>(std::move(shared), track.transform(), clock);
    readContact(*collider, record);
    return collider;
}

/// Makes a domain from a record "domain". @throws Failure
inline Domain domainOf(const Value& record)
{
    Domain domain;
    domain.bounded = record.require("bounded").boolean();
    if (!domain.bounded)
        return domain;
    domain.center = vectorOf(record, "center");
    domain.halfSize = 0.5 * vectorOf(record, "size");
    if (!(domain.halfSize.x > 0 && domain.halfSize.y > 0 && domain.halfSize.z > 0))
        throw Failure("the domain's size must be above zero along every axis", FLOE_BAD_ARGUMENT);
    const Vec3d degrees = vectorOf(record, "rotation");
    const Quaternion q = fromEuler({degrees.x, degrees.y, degrees.z});
    for (int axis = 0; axis < 3; ++axis)
        domain.axes.setColumn(axis, rotate(q.data(), Vec3d{axis == 0 ? 1.0 : 0, axis == 1 ? 1.0 : 0,
                                                           axis == 2 ? 1.0 : 0}));
    const char* const names[] = {"xMin", "xMax", "yMin", "yMax", "zMin", "zMax"};
    for (int face = 0; face < 6; ++face)
        domain.faces[face] =
            choiceOf<Contact>(record, names[face], record.require(names[face]).string(),
                              {{"open", Contact::open},
                               {"slip", Contact::slip},
                               {"stick", Contact::stick},
                               {"separate", Contact::separate}});
    domain.friction = static_cast<float>(std::max(0.0, numberOf(record, "friction", 0)));
    const char* const periodic[] = {"periodicX", "periodicY", "periodicZ"};
    for (int axis = 0; axis < 3; ++axis)
        if (const Value field = record.field(periodic[axis]))
            domain.periodic[axis] = field.boolean();
    if (domain.isPeriodic() && (degrees.x != 0 || degrees.y != 0 || degrees.z != 0))
        throw Failure("the domain's periodic sides lie along the axes; set its rotation to 0, or "
                      "make no side periodic",
                      FLOE_BAD_ARGUMENT);
    return domain;
}

/// The same, for solvers that have no periodic sides. @throws Failure
inline Domain domainWithoutPeriod(const Value& record)
{
    const Domain domain = domainOf(record);
    if (domain.isPeriodic())
        throw Failure("this solver has no periodic sides; switch them off in the domain, or use "
                      "the MPM solver",
                      FLOE_BAD_ARGUMENT);
    return domain;
}

/// Makes a force from a record "force". For gravity, adds its vector to `gravity` and returns null.
/// @throws Failure
inline std::shared_ptr<const Force> forceOf(const Value& record, Vec3d& gravity)
{
    enum class Type { constant, drag, wind, attractor, field, custom };
    const std::string word = record.require("type").string();
    const double strength = numberOf(record, "strength", 1);
    switch (choiceOf<Type>(record, "type", word,
                           {{"gravity", Type::constant},
                            {"drag", Type::drag},
                            {"wind", Type::wind},
                            {"attractor", Type::attractor},
                            {"field", Type::field},
                            {"custom", Type::custom}})) {
    case Type::constant:
        gravity = gravity + vectorOf(record, "vector");
        return nullptr;
    case Type::drag:
        return std::make_shared<Wind>(Vec3d{0, 0, 0}, std::max(0.0, strength), 0, 0, 0);
    case Type::wind:
        return std::make_shared<Wind>(
            vectorOf(record, "vector"), std::max(0.0, strength), numberOf(record, "turbulence", 0),
            numberOf(record, "frequency", 1), numberOf(record, "seed", 0), record.field("field"));
    case Type::attractor:
        return std::make_shared<Attractor>(vectorOf(record, "center"), strength,
                                           std::max(1e-6, numberOf(record, "radius", 1)),
                                           numberOf(record, "falloff", 2));
    case Type::field:
        return std::make_shared<FieldForce>(record.require("field"), strength);
    case Type::custom:
        return std::make_shared<CustomForce>(record.require("model"));
    }
    return nullptr;
}

/// What a solver's input of forces gives.
struct LinkedForces {
    std::vector<std::shared_ptr<const Force>> forces; ///< all but gravity
    Vec3d gravity{0, 0, 0};                           ///< [m/s^2]
};
/// Reads records "force". @param own  gravity where none of them is one [m/s^2]  @throws Failure
inline LinkedForces forcesOf(std::span<const Value> records, const Vector& own)
{
    LinkedForces linked;
    bool anyGravity = false;
    for (const Value& record : records) {
        if (auto force = forceOf(record, linked.gravity))
            linked.forces.push_back(std::move(force));
        else
            anyGravity = true;
    }
    if (!anyGravity)
        linked.gravity = {own[0], own[1], own[2]};
    return linked;
}

} // namespace floe::sdk::world
