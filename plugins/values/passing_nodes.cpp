#include "nodes.hpp"

namespace floe::values {

/// The host keeps what it gives: `keepsFrames` of its manifest.
void CacheNode::cook(sdk::Context& context)
{
    context.setOutput("value", context.input("value"));
}

/// The host gives it the value of another frame: `shiftsFrame` of its manifest.
void TimeShiftNode::cook(sdk::Context& context)
{
    context.setOutput("value", context.input("value"));
}

} // namespace floe::values
