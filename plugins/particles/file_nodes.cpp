#include "nodes.hpp"

#include "floe/sdk/file_pattern.hpp"
#include "floe/sdk/file_sequence.hpp"
#include "floe/sdk/io.h"

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
    const sdk::SequenceFile file = sdk::sequenceFile(context);
    if (file.outside && context.string("outside") == "empty") {
        sdk::Value none = sdk::makeParticles(0);
        none.addAttribute<float>("x", 3);
        none.addAttribute<float>("v", 3);
        context.setOutput("particles", none);
        return;
    }
    context.setOutput("particles",
                      read(context, sdk::numberedPath(context.string("path"), file.number)));
}

} // namespace floe::particles
