#include "nodes.hpp"

#include "floe/sdk/sampling.hpp"

#include <cstddef>
#include <string>

namespace floe::values {

/// Fractal gradient noise over the time since the graph's first frame.
void NoiseNode::cook(sdk::Context& context)
{
    const double time = (context.frame() - context.raw()->range_start) / context.fps();
    const double phase = context.number("frequency") * time + context.number("phase");
    const auto octaves = static_cast<int>(context.integer("octaves"));
    const double roughness = context.number("roughness");
    const double amplitude = context.number("amplitude"), middle = context.number("middle");
    const auto seed = sdk::mixBits(static_cast<uint64_t>(context.integer("seed")));

    // Gradient noise is zero on whole-number planes: each component follows a line off all of them.
    const auto component = [&](uint64_t n) {
        return middle + amplitude * sdk::fractalNoise(phase, 0.37 * phase + 0.29, 0.53,
                                                      seed + 64 * n, octaves, roughness);
    };
    if (context.string("gives") == "vector")
        context.setOutput("value", sdk::makeVector({component(0), component(1), component(2)}));
    else
        context.setOutput("value", sdk::makeNumber(component(0)));
}

} // namespace floe::values
