#pragma once

#include "motion/deforming.hpp"
#include "set_view.hpp"

#include "floe/sdk/node.hpp"

#include <functional>
#include <span>

namespace floe::gaussians {

/// How Gaussians follow a motion: the parameters covariance, rotateColors and maxStretch of a node.
class FollowingSettings {
public:
    FollowingSettings(const sdk::Context& context, const SetView& set);

    Following covariance; ///< of the ellipsoids
    bool turning;         ///< whether colours turn
    float maxStretch;     ///< axes grow to at most so many times the longest at rest
    /// Whether deformation gradients make a difference.
    bool needsGradients() const { return covariance != Following::Fixed || turning; }
};

/// Where some Gaussians are now: to be filled.
struct Carried {
    std::size_t begin, end; ///< numbers in the list of those that are kept
    float* x;               ///< 3 of each [m]
    float* v;               ///< 3 of each [m/s]
    float* F;               ///< 9 of each, row by row; null: not needed
};

/// Makes particles of the kept Gaussians of a set at rest, moved. Their colours are not turned, but
/// told how to be by the attribute `shRotation`. Reports what it cost as `processorSeconds`, of all
/// threads together.
/// @param carried  fills in where Gaussians are, on several threads
/// @throws sdk::Failure  the run is being stopped
sdk::Value movedValue(sdk::Context& context, const SetView& set, std::span<const std::size_t> kept,
                      const FollowingSettings& settings,
                      const std::function<void(const Carried&)>& carried);

} // namespace floe::gaussians
