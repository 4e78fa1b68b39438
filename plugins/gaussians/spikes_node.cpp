#include "nodes.hpp"
#include "set/spikes.hpp"
#include "set_value.hpp"

namespace floe::gaussians {

void BoundSpikes::cook(sdk::Context& context)
{
    GaussianSet set = setOf(context.input("gaussians"), "gaussians");
    SpikeSettings settings;
    settings.length = context.number("length");
    settings.size = context.number("size");
    settings.spikes = context.string("mode") == "clamp" ? Spikes::Clamp : Spikes::Split;
    const std::size_t before = set.count(), tooLong = boundSpikes(set, settings);
    context.statistic("spikes", static_cast<double>(tooLong));
    context.statistic("added", static_cast<double>(set.count() - before));
    context.setOutput("gaussians", valueOf(set));
}

} // namespace floe::gaussians
