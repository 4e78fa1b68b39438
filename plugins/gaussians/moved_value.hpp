#pragma once

#include "motion/deforming.hpp"
#include "set_view.hpp"

#include "floe/sdk/node.hpp"

#include <functional>
#include <optional>
#include <span>

namespace floe::gaussians {

/// The Gaussians that a node moves, as they are at rest. Remembered from frame to frame, so that
/// what does not change is prepared once, and frames share the arrays of it.
class RestingGaussians {
public:
    /// Takes a set; nothing to do where it is the same value as last time.
    /// @param input  name of the socket, for the message
    /// @throws sdk::Failure  they are no Gaussians
    const SetView& take(const sdk::Value& gaussians, const char* input);

    /// Chooses those that are left, by rising numbers; without a call, all are.
    void keep(std::vector<std::size_t> numbers);
    void keepAll();

    /// Those that are left, with all attributes but x.
    const sdk::Value& left();
    int degree() const { return whole_->degree; }
    /// Names of further numbers of each.
    const std::vector<SetView::Property>& properties() const { return whole_->properties; }

private:
    sdk::Value gaussians_, left_;
    std::optional<SetView> whole_;
    std::optional<std::vector<std::size_t>> numbers_; ///< none: all are left
};

/// How Gaussians follow a motion: the parameters covariance, rotateColors and maxStretch of a node.
class FollowingSettings {
public:
    /// @param degree  of the harmonics
    FollowingSettings(const sdk::Context& context, int degree);

    Following covariance; ///< of the ellipsoids
    bool turning;         ///< whether colours turn
    float maxStretch;     ///< axes grow to at most so many times the longest at rest
    /// Whether deformation gradients make a difference.
    bool needsGradients() const { return covariance != Following::Fixed || turning; }
};

/// Where some Gaussians are now: to be filled.
struct Carried {
    std::size_t begin, end; ///< numbers among those that are left
    float* x;               ///< 3 of each [m]
    float* v;               ///< 3 of each [m/s]
    float* F;               ///< 9 of each, row by row; null: not needed
};

/// Processor time of the calling thread [ns].
int64_t threadNanoseconds();

/// Makes particles of the Gaussians that are left, moved. Their colours are not turned, but told
/// how to be by the attribute `shRotation`. Reports what the node cost as `processorSeconds`, of
/// all threads together.
/// @param began    threadNanoseconds() at the node's start
/// @param carried  fills in where Gaussians are, on several threads
/// @throws sdk::Failure  the run is being stopped
sdk::Value movedValue(sdk::Context& context, RestingGaussians& rest,
                      const FollowingSettings& settings, int64_t began,
                      const std::function<void(const Carried&)>& carried);

} // namespace floe::gaussians
