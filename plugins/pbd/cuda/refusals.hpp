/// What the CUDA solver does not compute yet, in one place.
#pragma once

#include "solver/solver.hpp"

#include <floe/sdk/world/forces.hpp>
#include <floe/sdk/world/level_set.hpp>

#include <algorithm>
#include <optional>
#include <string>

namespace floe::pbd {

/// Why a scene cannot be computed on a CUDA device: one sentence with what would help; nothing: it
/// can.
inline std::optional<std::string> refusalOf(const Solver& solver, const World& world)
{
    const auto cpu = [](const std::string& what) {
        return what + " on the CPU alone; choose 'device' cpu";
    };
    if (solver.log)
        return cpu("the contact log is kept") + ", or switch 'contactLog' off";
    for (const auto& collider : world.colliders) {
        if (collider->isThin())
            return cpu("a Mesh collider stops what the PBD solver moves") + ", or link a Collider";
        const auto* source = dynamic_cast<const sdk::world::LevelSetSource*>(collider.get());
        if (!source)
            return cpu("a collider without level sets is met");
        if (!source->shape().shape.data)
            return "a collider's level set is missing; give it a shape";
    }
    for (const auto& force : world.forces)
        if (!dynamic_cast<const sdk::world::RuleForce*>(force.get()))
            return cpu("forces of other plugins act on what the PBD solver moves");
    return {};
}

} // namespace floe::pbd
