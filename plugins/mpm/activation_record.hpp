/// The activation record (floe/sdk/records.h) and the asking of its strategy.
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
    std::optional<double> restSpeed; ///< negative: of the domain's scale, at every evaluation
    double wakeSpeed = 0;            ///< likewise
    double stiffSpeed = 0;
    std::vector<std::string> neverSleeps;
    bool startsPassive = false;

    static constexpr int kEveryStep = -1, kAutomatic = -2;
    static constexpr int kMaxPerFrame = 1000; ///< evaluations, those of every step excepted
};

/// Empty when the record's strategy is never asked. @throws sdk::Failure
std::optional<ActivationRecord> activationOf(const sdk::Value& record);

/// How long blocks may keep their states [s]: until the next evaluation, or 0 for one step.
/// @param frame  length of a frame of the simulation [s]
double evaluationInterval(const ActivationRecord& record, Stepper& solver,
                          std::span<const std::shared_ptr<Collider>> colliders, double frame);

/// Asks the strategy. What it says is the states of what is returned.
/// @param domain  the solver's
/// @param fps, horizon  of simulated time; horizon: until the next evaluation; 0: one step [s]
/// @param timeScale  simulated seconds in a second of the picture
ActivationRequest askStrategy(const sdk::Context& context, const ActivationRecord& record,
                              Stepper& solver, const Domain& domain, double fps, double timeScale,
                              double horizon);

/// When to ask less often than a record says, lest asking costs more than sleep saves. Where
/// nothing sleeps there is nothing to wake: after every two answers that all should stay awake the
/// next is due a frame later, up to four. And where most is awake and the guard wakes what must, at
/// least some steps lie between two questions.
class ActivationPace {
public:
    bool due(double time) const { return time >= next_ && steps_ >= wanted_; }
    void stepped() { ++steps_; }
    /// @param asked  as answered at `time` [s]
    /// @param frame  length of a frame of the simulation [s]
    void answered(const ActivationRecord& record, const ActivationRequest& asked, double time,
                  double frame);

private:
    double next_ = 0;                     ///< [s]
    std::int64_t awake_ = 0;              ///< answers in a row
    std::int64_t steps_ = 0, wanted_ = 0; ///< since the last question
};

} // namespace floe::mpm
