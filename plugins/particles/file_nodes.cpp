#include "nodes.hpp"

#include "floe/sdk/file_pattern.hpp"
#include "floe/sdk/io.h"

#include <cmath>

namespace floe::particles {

namespace {

sdk::Value read(sdk::Context& context, const std::string& path)
{
    const auto& io = context.extension<floe_io>(FLOE_IO_EXTENSION);
    floe_value* given = nullptr;
    sdk::Context::require(io.read_particles(context.raw(), path.c_str(), &given));
    sdk::Value particles = sdk::Value::own(given);
    context.statistic("particles", static_cast<double>(particles.particleCount()));
    return particles;
}

} // namespace

void FileNode::cook(sdk::Context& context)
{
    context.setOutput("particles", read(context, context.string("path")));
}

void SequenceNode::cook(sdk::Context& context)
{
    const double wanted = context.frame() * context.number("speed") + context.number("frameOffset");
    if (!(std::fabs(wanted) < 1e9))
        throw sdk::Failure("'speed' and 'frameOffset' lead to a file number beyond 1e9",
                           FLOE_BAD_ARGUMENT);
    auto number = static_cast<int64_t>(std::floor(wanted + 0.5));
    const int64_t first = context.integer("first"), last = context.integer("last");
    const bool ends = last >= first;
    if (context.string("outside") == "empty" && (number < first || (ends && number > last))) {
        sdk::Value none = sdk::makeParticles(0);
        none.addAttribute<float>("x", 3);
        none.addAttribute<float>("v", 3);
        context.setOutput("particles", none);
        return;
    }
    if (number < first)
        number = first;
    if (ends && number > last)
        number = last;
    context.setOutput("particles",
                      read(context, sdk::numberedPath(context.string("path"), number)));
}

} // namespace floe::particles
