#pragma once

#include "motion/deforming.hpp"
#include "set/gaussian_set.hpp"

#include "floe/sdk/node.hpp"

#include <functional>
#include <span>

namespace floe::gaussians {

/// How Gaussians follow a motion: the parameters covariance, rotateColors and maxStretch of a node.
class FollowingSettings {
public:
    FollowingSettings(const sdk::Context& context, const GaussianSet& set);

    Following covariance; ///< of the ellipsoids
    bool turning;         ///< whether colours turn
    float maxStretch;     ///< axes grow to at most so many times the longest at rest
    /// Whether deformation gradients make a difference.
    bool needsGradients() const { return covariance != Following::Fixed || turning; }
};

/// Where a Gaussian is now.
struct Carried {
    const float* x; ///< 3 [m]
    const float* v; ///< 3 [m/s]; null: at rest
    physics::Mat3<float> F;
};

/// Makes particles of the kept Gaussians of a set at rest, moved. Their colours are not turned, but
/// told how to be by the attribute `shRotation`.
/// @param carried  where Gaussian `kept[n]` is, asked with n, on several threads
/// @throws sdk::Failure  the run is being stopped
sdk::Value movedValue(const sdk::Context& context, const GaussianSet& set,
                      std::span<const std::size_t> kept, const FollowingSettings& settings,
                      const std::function<Carried(std::size_t n)>& carried);

} // namespace floe::gaussians
