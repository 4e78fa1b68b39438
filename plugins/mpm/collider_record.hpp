/// Colliders, domain and forces: their records (floe/sdk/records.h) as the solver sees them.
#pragma once

#include "boundary.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"

#include <memory>

namespace floe::mpm {

/// Time of the solver and frame of the graph: frame(t) = first + (t - begin) fps.
struct FrameClock {
    double begin = 0; ///< solver time at which this frame's step begins [s]
    double first = 0; ///< frame number at that time
    double fps = 24;
    double frameAt(double time) const { return first + (time - begin) * fps; }
};

/// @param before  the same one is given again where it rests as before
/// @throws sdk::Failure
std::shared_ptr<Collider> colliderOf(const sdk::Value& record, const FrameClock& clock,
                                     std::span<const std::shared_ptr<Collider>> before);
Domain domainOf(const sdk::Value& record);
/// A gravity force's vector is added to `gravity`, and null is returned.
std::shared_ptr<const Force> forceOf(const sdk::Value& record, Vec3d& gravity);

} // namespace floe::mpm
