#include "nodes.hpp"

#include "rules.hpp"

namespace floe::activation {

namespace {

struct Always {};

constexpr floe_activation_interface kAlwaysTable = {
    sizeof(floe_activation_interface), 0,
    [](void*, const floe_context*, const floe_activation_request* request,
       uint8_t* state) -> floe_status {
        for (uint32_t block = 0; block < request->block_count; ++block)
            state[block] = FLOE_ACTIVE;
        return FLOE_OK;
    }};

} // namespace

void AlwaysNode::cook(sdk::Context& context)
{
    sdk::Value record = sdk::makeRecord("activation");
    record.set("strategy", sdk::makeInterface(FLOE_ACTIVATION_INTERFACE, kAlwaysTable,
                                              std::make_unique<Always>()));
    record.set("evaluationsPerFrame", sdk::makeNumber(0));
    context.setOutput("activation", record);
}

void ThresholdNode::cook(sdk::Context& context)
{
    const double speed = context.number("speed");
    const SleepRule rule{speed, speed * context.number("wakeFactor"), context.number("delay"),
                         SleepRule::Wake::byPushOrSpeed};
    sdk::Value record = makeActivation(context, kSleepTable, std::make_unique<SleepRule>(rule));
    record.set("restSpeed", sdk::makeNumber(rule.sleepSpeed));
    record.set("wakeSpeed", sdk::makeNumber(rule.wakeSpeed));
    context.setOutput("activation", record);
}

void ImpactNode::cook(sdk::Context& context)
{
    const double speed = context.number("threshold");
    const SleepRule rule{speed, speed, context.number("delay"), SleepRule::Wake::byPush};
    sdk::Value record = makeActivation(context, kSleepTable, std::make_unique<SleepRule>(rule));
    record.set("restSpeed", sdk::makeNumber(speed > 0 ? speed : kDomainSpeed));
    record.set("wakeSpeed", sdk::makeNumber(speed > 0 ? speed : kDomainSpeed));
    context.setOutput("activation", record);
}

void OracleNode::cook(sdk::Context& context)
{
    const double speed = context.number("threshold");
    const bool step = context.string("lookAhead") == "step";
    sdk::Value record = makeActivation(context, step ? kStepOracleTable : kEvaluationOracleTable,
                                       std::make_unique<Oracle>(Oracle{speed}));
    record.set("restSpeed", sdk::makeNumber(speed > 0 ? speed : kDomainSpeed));
    record.set("wakeSpeed", sdk::makeNumber(0));
    context.setOutput("activation", record);
}

} // namespace floe::activation

FLOE_PLUGIN("floe.activation", "0.2.0", floe::activation::AlwaysNode,
            floe::activation::ThresholdNode, floe::activation::ImpactNode,
            floe::activation::NetworkNode, floe::activation::OracleNode,
            floe::activation::RecordNode)
