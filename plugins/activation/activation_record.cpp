#include "activation_record.hpp"

#include <string>

namespace floe::activation {

namespace {

/// Returns `evaluationsPerFrame` of the record.
double evaluationRate(sdk::Context& context)
{
    const std::string rate = context.string("evaluate");
    if (rate == "automatic")
        return -2;
    if (rate == "step")
        return -1;
    return rate == "several" ? static_cast<double>(context.integer("evaluationsPerFrame")) : 1;
}

} // namespace

sdk::Value makeActivation(sdk::Context& context, const sdk::Value& strategy)
{
    sdk::Value record = sdk::makeRecord("activation");
    record.set("strategy", strategy);
    record.set("evaluationsPerFrame", sdk::makeNumber(evaluationRate(context)));
    record.set("stiffSpeed", sdk::makeNumber(context.number("stiffFrom")));
    record.set("neverSleeps", sdk::makeString(context.string("neverSleeps")));
    record.set("startsPassive", sdk::makeBoolean(context.boolean("startsPassive")));
    return record;
}

} // namespace floe::activation
