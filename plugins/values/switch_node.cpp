#include "nodes.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace floe::values {

/// Passes on one of its inputs.
void SwitchNode::cook(sdk::Context& context)
{
    const auto count = static_cast<int64_t>(context.inputCount("values"));
    if (count == 0)
        throw sdk::Failure("nothing that is linked to 'values' has given a value");
    const int64_t stored = context.integer("which");
    const sdk::Value linked = context.input("which");
    const double wanted = linked ? std::floor(linked.number()) : static_cast<double>(stored);
    int64_t which = 0;
    if (context.string("beyond") == "repeat")
        which = static_cast<int64_t>(wanted - std::floor(wanted / static_cast<double>(count)) *
                                                  static_cast<double>(count));
    else
        which = static_cast<int64_t>(std::clamp(wanted, 0.0, static_cast<double>(count - 1)));
    which = std::clamp<int64_t>(which, 0, count - 1); // rounding of numbers beyond 2^53
    context.setOutput("value", context.input("values", static_cast<uint32_t>(which)));
}

} // namespace floe::values
