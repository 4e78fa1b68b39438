#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"

namespace floe::activation {

namespace {

template <class Strategy>
sdk::Value recordOf(const floe_activation_interface& table, std::unique_ptr<Strategy> strategy,
                    double evaluationsPerFrame)
{
    sdk::Value record = sdk::makeRecord("activation");
    record.set("evaluationsPerFrame", sdk::makeNumber(evaluationsPerFrame));
    record.set("strategy",
               sdk::makeInterface(FLOE_ACTIVATION_INTERFACE, table, std::move(strategy)));
    return record;
}

struct Always {};

/// Sleep when slow for long enough, wake when a neighbour pushes.
struct SpeedThreshold {
    double sleepSpeed; ///< [m/s]
    double wakeSpeed;  ///< [m/s] >= sleepSpeed
    double delay;      ///< [s]

    static floe_status evaluate(void* self, const floe_context* context,
                                const floe_activation_request* request, uint8_t* state)
    {
        return sdk::detail::guarded(context, [&] {
            const auto& rule = *static_cast<const SpeedThreshold*>(self);
            for (uint32_t block = 0; block < request->block_count; ++block) {
                const bool pushed =
                    request->push_known[block] && request->push_speed[block] > rule.wakeSpeed;
                const float speed = request->max_speed[block];
                if (state[block] == FLOE_ACTIVE) {
                    const bool rests =
                        speed < rule.sleepSpeed && request->rest_time[block] >= rule.delay;
                    state[block] = rests && !pushed ? FLOE_PASSIVE : FLOE_ACTIVE;
                } else {
                    state[block] = pushed || speed > rule.wakeSpeed ? FLOE_ACTIVE : FLOE_PASSIVE;
                }
            }
        });
    }
};

constexpr floe_activation_interface kThresholdTable = {sizeof(floe_activation_interface), 0,
                                                       &SpeedThreshold::evaluate};

constexpr floe_activation_interface kAlwaysTable = {
    sizeof(floe_activation_interface), 0,
    [](void*, const floe_context*, const floe_activation_request* request,
       uint8_t* state) -> floe_status {
        for (uint32_t block = 0; block < request->block_count; ++block)
            state[block] = FLOE_ACTIVE;
        return FLOE_OK;
    }};

} // namespace

class AlwaysNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.activation.always";

    void cook(sdk::Context& context) override
    {
        context.setOutput("activation", recordOf(kAlwaysTable, std::make_unique<Always>(), 0));
    }
};

class ThresholdNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.activation.threshold";

    void cook(sdk::Context& context) override
    {
        const double speed = context.number("speed");
        const auto evaluations = static_cast<double>(context.integer("evaluationsPerFrame"));
        const SpeedThreshold rule{speed, speed * context.number("wakeFactor"),
                                  context.number("delay")};
        sdk::Value record =
            recordOf(kThresholdTable, std::make_unique<SpeedThreshold>(rule), evaluations);
        record.set("restSpeed", sdk::makeNumber(rule.sleepSpeed));
        record.set("wakeSpeed", sdk::makeNumber(rule.wakeSpeed));
        context.setOutput("activation", record);
    }
};

} // namespace floe::activation

FLOE_PLUGIN("floe.activation", "0.1.0", floe::activation::AlwaysNode,
            floe::activation::ThresholdNode)
