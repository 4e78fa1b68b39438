/// What sleeping matter fell asleep under, and when that no longer holds.
#pragma once

#include "stepper.hpp"

#include "floe/sdk/node.hpp"

#include <memory>
#include <span>
#include <vector>

namespace floe::mpm {

/// The guard of activation feels what active neighbours do. Where all sleep there are none, and two
/// things still unsettle matter from outside: gravity or a force that turns (a slope that steepens)
/// and a collider so slow that it does not count as moving (a tray that is tilted). Of both a
/// little is borne asleep, as strain that is made up for on waking.
class RestConditions {
public:
    /// The share of its acceleration by which that of a block may change, and how far a collider
    /// may creep beside it [cells].
    static constexpr float kTurn = 0.01f, kCreep = 0.05f;

    /// Sets to active what no longer rests; remembers what has newly fallen asleep. Looks once a
    /// frame, however often it is called.
    /// @param asked      its states are those to be applied
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
        float crept;           ///< way of the fastest collider beside it [m]
    };
    std::vector<Rest> rests_; ///< of sleeping blocks, ascending by block
    double looked_ = -1;      ///< when [s]; negative: never
};

} // namespace floe::mpm
