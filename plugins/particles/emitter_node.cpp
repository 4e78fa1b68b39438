#include "nodes.hpp"

#include "particle_source.hpp"

#include <utility>

namespace floe::particles {

void EmitterNode::cook(sdk::Context& context)
{
    constexpr double kNever = 1e12; // [frames]
    EmissionSettings settings;
    settings.everyFrame = context.string("mode") == "everyFrame";
    settings.startFrame = context.number("startFrame");
    settings.endFrame = context.number("endFrame");
    if (!context.boolean("emit"))
        settings.startFrame = kNever;
    settings.particlesPerCell = static_cast<int>(context.integer("particlesPerCell"));
    settings.velocityScale = context.number("velocityScale");
    settings.velocity = context.vector("velocity");

    const sdk::Value material = context.input("material");
    const double density = material.require("density").number();
    if (!(density > 0))
        throw sdk::Failure("input 'material' has no density above 0", FLOE_BAD_ARGUMENT);
    sdk::Value record = sdk::makeRecord("emitter");
    record.set("material", material);
    record.set("avoidOverlap", sdk::makeBoolean(context.boolean("avoidOverlap")));
    record.set("settled", sdk::makeBoolean(context.boolean("settled")));
    auto source = std::make_unique<ParticleSource>(settings, context.input("particles"),
                                                   context.input("transform"), density);
    record.set("source", sdk::makeInterface(FLOE_EMITTER_INTERFACE, ParticleSource::kTable,
                                            std::move(source)));
    context.setOutput("emitter", record);
}

} // namespace floe::particles
