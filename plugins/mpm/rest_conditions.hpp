/// Conditions under which sleeping matter came to rest, and when they no longer hold.
#pragma once

#include "stepper.hpp"

#include "floe/sdk/node.hpp"

#include <memory>
#include <span>
#include <vector>

namespace floe::mpm {

/// The guard of activation detects the effect of active neighbours. Where all blocks sleep there
/// are none, yet two outside changes can unsettle matter: a turning gravity or force (a slope that
/// steepens), and a collider too slow to count as moving (a tray being tilted). Small changes are
/// tolerated during sleep, as strain that is recovered on waking.
class RestConditions {
public:
    /// Limits: relative change of a block's acceleration, creep of a collider beside it [cells].
    static constexpr float kTurn = 0.01f, kCreep = 0.05f;

    /// Sets blocks that no longer rest to active; records the blocks that have just become passive.
    /// Works once a frame, however often it is called.
    /// @param asked      its states are about to be applied
    /// @param colliders  are moved to the solver's time
    /// @param frame      length of a frame of the simulation [s]
    void wake(ActivationRequest& asked, Stepper& solver,
              std::span<const std::shared_ptr<Collider>> colliders,
              std::span<const std::shared_ptr<const Force>> forces, double frame);

    void save(sdk::Writer& writer) const;
    void load(sdk::Reader& reader);

private:
    struct Rest {
        BlockCoordinate block;
        float acceleration[3]; ///< by gravity and forces, at the block's centre [m/s^2]
        float crept;           ///< distance covered by the fastest collider beside it [m]
    };
    std::vector<Rest> rests_; ///< of sleeping blocks, ascending by block
    double looked_ = -1;      ///< time of the last check [s]; negative: never
};

} // namespace floe::mpm
