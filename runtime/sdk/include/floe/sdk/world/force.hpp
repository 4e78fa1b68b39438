/// What accelerates matter from outside.
#pragma once

#include "floe/sdk/world/collider.hpp"

namespace floe::sdk::world {

/// An acceleration field. Called from many threads at once.
class Force {
public:
    virtual ~Force() = default;
    /// Changes batch.v by what the force does from `time` to `time + dt`.
    virtual void apply(PointBatch& batch, double time, float dt) const = 0;
};

} // namespace floe::sdk::world
