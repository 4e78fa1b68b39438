/// Strategies without a network: a rule for sleep, and an oracle.
#pragma once

#include "activation_record.hpp"

#include <algorithm>

namespace floe::activation {

/// Sleeps when slow for long enough; wakes when a neighbour pushes.
struct SleepRule {
    enum class Wake : uint8_t {
        byPush,       ///< by contact only
        byPushOrSpeed ///< also when it moves by itself, like emitted particles
    };
    double sleepSpeed; ///< [m/s]; 0: the domain's
    double wakeSpeed;  ///< [m/s]; 0: the domain's
    double delay;      ///< [s]
    Wake wake;

    static floe_status evaluate(void* self, const floe_context* context,
                                const floe_activation_request* request, uint8_t* state)
    {
        return sdk::detail::guarded(context, [&] {
            const auto& rule = *static_cast<const SleepRule*>(self);
            const bool contactOnly = rule.wake == Wake::byPush;
            // For the threshold rule, a sleep speed of 0 is meant literally.
            const double sleep =
                contactOnly ? thresholdOf(rule.sleepSpeed, *request) : rule.sleepSpeed;
            const double wake =
                contactOnly ? thresholdOf(rule.wakeSpeed, *request) : rule.wakeSpeed;
            for (uint32_t block = 0; block < request->block_count; ++block) {
                const bool pushed = request->push_known[block] && request->push_speed[block] > wake;
                const float speed = request->max_speed[block];
                if (state[block] == FLOE_ACTIVE) {
                    const bool rests = speed < sleep && request->rest_time[block] >= rule.delay;
                    state[block] = rests && !pushed ? FLOE_PASSIVE : FLOE_ACTIVE;
                } else {
                    const bool moves = !contactOnly && speed > wake;
                    state[block] = pushed || moves ? FLOE_ACTIVE : FLOE_PASSIVE;
                }
            }
        });
    }
};

inline constexpr floe_activation_interface kSleepTable = {sizeof(floe_activation_interface), 0,
                                                          &SleepRule::evaluate};

/// Activates what moves now, and what would move if everything were active (Sirois-Vigneux 2023,
/// equation 3.2 and algorithm 1).
struct Oracle {
    double speed; ///< speed that counts as moving [m/s]; 0: the domain's

    /// Returns whether block `i` moves. Strictly above, for worlds without scale.
    static bool moves(const floe_activation_request& request, uint32_t i, double threshold)
    {
        return std::max(request.max_speed[i], request.future_speed[i]) > threshold;
    }
    static void requireFuture(const floe_activation_request& request)
    {
        if (!request.future_speed && request.block_count > 0)
            throw sdk::Failure("the solver cannot look ahead, as an oracle must", FLOE_UNSUPPORTED);
    }

    static floe_status evaluate(void* self, const floe_context* context,
                                const floe_activation_request* request, uint8_t* state)
    {
        return sdk::detail::guarded(context, [&] {
            requireFuture(*request);
            const double threshold = thresholdOf(static_cast<const Oracle*>(self)->speed, *request);
            for (uint32_t block = 0; block < request->block_count; ++block)
                state[block] = moves(*request, block, threshold) ? FLOE_ACTIVE : FLOE_PASSIVE;
        });
    }
};

inline constexpr floe_activation_interface kStepOracleTable = {
    sizeof(floe_activation_interface), FLOE_NEXT_STEP_SPEED, &Oracle::evaluate};
inline constexpr floe_activation_interface kEvaluationOracleTable = {
    sizeof(floe_activation_interface), FLOE_EVALUATION_SPEED, &Oracle::evaluate};

} // namespace floe::activation
