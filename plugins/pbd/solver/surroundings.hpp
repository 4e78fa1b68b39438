/// What is solid around a scene and does not belong to it.
#pragma once

#include "liquid_planes.hpp"

#include "floe/sdk/world/collider.hpp"
#include "floe/sdk/world/domain.hpp"

#include <algorithm>
#include <memory>
#include <span>

namespace floe::pbd {

/// Solid surroundings of a substep. Borrowed.
struct Surroundings {
    std::span<const std::shared_ptr<sdk::world::Collider>> colliders;
    const sdk::world::Domain* domain = nullptr; ///< may be null
    std::span<const LiquidPlanes> planes;       ///< of the colliders, for liquid

    /// No collider moves.
    bool rest() const
    {
        return std::all_of(colliders.begin(), colliders.end(),
                           [](const auto& collider) { return collider->rests(); });
    }
};

} // namespace floe::pbd
