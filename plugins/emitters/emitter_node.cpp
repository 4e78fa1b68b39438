#include "level_set_source.hpp"

#include <cmath>
#include <memory>

namespace floe::emitters {

class EmitterNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.emitter";

    void cook(sdk::Context& context) override
    {
        constexpr double kRadian = 3.14159265358979323846 / 180;
        constexpr double kNever = 1e12; // [frames]
        EmissionSettings settings;
        settings.particlesPerCell = static_cast<int>(context.integer("particlesPerCell"));
        settings.rate = context.number("rate");
        settings.startFrame = context.number("startFrame");
        settings.endFrame = context.number("endFrame");
        if (!context.boolean("emit"))
            settings.startFrame = kNever;
        settings.jitter = context.number("jitter");
        settings.seed = static_cast<uint64_t>(context.integer("seed"));
        settings.shell = context.boolean("surfaceOnly") ? context.number("thickness") : 0;
        settings.velocity = context.vector("velocity");
        settings.radialSpeed = context.number("radialSpeed");
        settings.spin = context.vector("spin");
        for (double& part : settings.spin)
            part *= kRadian;
        settings.fieldScale = context.number("fieldScale");
        settings.inheritance = context.number("inheritMotion");
        settings.stiffnessVariation = context.number("stiffnessVariation");
        settings.densityVariation = context.number("densityVariation");
        settings.variationWavelength = context.number("variationWavelength");
        const std::string pattern = context.string("variationPattern");
        settings.variationPattern = pattern == "patches" ? Pattern::Patches
                                    : pattern == "cells" ? Pattern::Cells
                                                         : Pattern::Smooth;

        bool avoidOverlap = context.boolean("avoidOverlap");
        if (context.string("mode") == "continuous") {
            const sdk::Vector& v = settings.velocity;
            const bool flows = v[0] != 0 || v[1] != 0 || v[2] != 0;
            if (settings.rate > 0 || !flows) {
                settings.mode = Mode::Refill;
                avoidOverlap = avoidOverlap || settings.rate == 0;
            } else {
                settings.mode = Mode::Flow;
            }
        }

        sdk::Value record = sdk::makeRecord("emitter");
        record.set("material", context.input("material"));
        record.set("avoidOverlap", sdk::makeBoolean(avoidOverlap));
        record.set("settled", sdk::makeBoolean(context.boolean("settled")));
        auto source = std::make_unique<LevelSetSource>(settings, context.input("shape"),
                                                       context.input("transform"),
                                                       context.input("velocityField"));
        record.set("source", sdk::makeInterface(FLOE_EMITTER_INTERFACE, LevelSetSource::kTable,
                                                std::move(source)));
        context.setOutput("emitter", record);
    }
};

} // namespace floe::emitters

FLOE_PLUGIN("floe.emitters", "0.1.0", floe::emitters::EmitterNode)
