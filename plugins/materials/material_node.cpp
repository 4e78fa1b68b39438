#include "floe/sdk/node.hpp"
#include "floe/sdk/physics/material.hpp"
#include "floe/sdk/physics/parameters.hpp"

#include <string>

namespace floe::materials {

class MaterialNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.material";

    void cook(sdk::Context& context) override
    {
        const std::string chosen = context.string("law");
        const physics::LawDescription* law = physics::findLaw(chosen);
        if (!law)
            throw sdk::Failure("there is no law '" + chosen + "'", FLOE_BAD_ARGUMENT);

        sdk::Value numbers = sdk::makeRecord(("material." + chosen).c_str());
        for (const physics::LawParameter& parameter : law->parameters)
            numbers.set(parameter.name, sdk::makeNumber(context.number(parameter.ofNode)));

        std::string name = context.string("name");
        if (name.empty())
            name = context.nodeName();
        sdk::Value record = sdk::makeRecord("material");
        record.set("name", sdk::makeString(name));
        record.set("color", sdk::makeVector(context.vector("color")));
        record.set("opacity", sdk::makeNumber(context.number("opacity")));
        record.set("colorDepth", sdk::makeNumber(context.number("colorDepth")));
        for (const char* look : {"roughness", "grainSize", "sparkle"})
            record.set(look, sdk::makeNumber(context.number(look)));
        record.set("density", sdk::makeNumber(context.number("density")));
        record.set("law", sdk::makeString(chosen));
        record.set("parameters", numbers);
        if (context.boolean("staysWhole") && physics::mayStayWhole(law->kind))
            record.set("staysWhole", sdk::makeBoolean(true));
        if (context.boolean("ownFriction"))
            record.set("friction", sdk::makeNumber(context.number("friction")));
        context.setOutput("material", record);
    }
};

} // namespace floe::materials

FLOE_PLUGIN("floe.materials", "0.1.0", floe::materials::MaterialNode)
