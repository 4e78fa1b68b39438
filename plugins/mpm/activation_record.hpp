/// The activation record (floe/sdk/records.h) and the evaluation of its strategy.
#pragma once

#include "stepper.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"

#include <optional>
#include <string>
#include <vector>

namespace floe::mpm {

struct ActivationRecord {
    sdk::Value strategy; ///< holds the interface
    const floe_activation_interface* table = nullptr;
    void* self = nullptr;
    int evaluationsPerFrame = 1;     ///< or one of the two below
    std::optional<double> restSpeed; ///< negative: relative to the domain's scale
    double wakeSpeed = 0;            ///< likewise
    double stiffSpeed = 0;
    std::vector<std::string> neverSleeps;
    bool startsPassive = false;

    static constexpr int kEveryStep = -1, kAutomatic = -2;
    static constexpr int kMaxPerFrame = 1000; ///< evaluations, except with kEveryStep
};

/// Reads a record; empty when its strategy is never evaluated. @throws sdk::Failure
std::optional<ActivationRecord> activationOf(const sdk::Value& record);

/// Returns how long blocks may keep their states [s]: until the next evaluation, or 0 for one step.
/// @param frame  length of a frame of the simulation [s]
double evaluationInterval(const ActivationRecord& record, Stepper& solver,
                          std::span<const std::shared_ptr<Collider>> colliders, double frame);

/// Evaluates the strategy; returns a request with the states that it chose.
/// @param domain  the solver's domain
/// @param fps, horizon  in simulated time; horizon: until the next evaluation; 0: one step [s]
/// @param timeScale  simulated seconds per second of the picture
ActivationRequest askStrategy(const sdk::Context& context, const ActivationRecord& record,
                              Stepper& solver, const Domain& domain, double fps, double timeScale,
                              double horizon);

/// Decides when to evaluate less often than the record says, so that evaluations do not cost more
/// than sleep saves. Where nothing sleeps there is nothing to wake: after every two evaluations
/// that keep all blocks active the next is due a frame later, up to four. Where most blocks are
/// active and the guard is on, at least some steps lie between two evaluations.
class ActivationPace {
public:
    bool due(double time) const { return time >= next_ && steps_ >= wanted_; }
    void stepped() { ++steps_; }
    /// @param asked  the request after its evaluation at `time` [s]
    /// @param frame  length of a frame of the simulation [s]
    void answered(const ActivationRecord& record, const ActivationRequest& asked, double time,
                  double frame);

private:
    double next_ = 0;                     ///< [s]
    std::int64_t awake_ = 0;              ///< consecutive evaluations without sleep
    std::int64_t steps_ = 0, wanted_ = 0; ///< since the last evaluation
};

} // namespace floe::mpm
