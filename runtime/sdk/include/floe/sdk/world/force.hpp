/// External forces on matter.
#pragma once

#include "floe/sdk/world/collider.hpp"

namespace floe::sdk::world {

/// An acceleration field. May be called from many threads at once.
class Force {
public:
    virtual ~Force() = default;
    /// Adds the force's effect from `time` to `time + dt` to batch.v.
    virtual void apply(PointBatch& batch, double time, float dt) const = 0;
};

} // namespace floe::sdk::world
