// What the solver moves: bodies, and materials of emitters.

#include "nodes.hpp"

#include "floe/sdk/node.hpp"

#include <string>

namespace floe::pbd {

namespace {

std::string nameOf(const sdk::Context& context)
{
    const std::string name = context.string("name");
    return name.empty() ? context.nodeName() : name;
}

/// A record of schema "material" with what all have.
sdk::Value makeMaterial(const sdk::Context& context, const char* law)
{
    sdk::Value record = sdk::makeRecord("material");
    record.set("name", sdk::makeString(nameOf(context)));
    record.set("color", sdk::makeVector(context.vector("color")));
    record.set("opacity", sdk::makeNumber(context.number("opacity")));
    record.set("colorDepth", sdk::makeNumber(context.number("colorDepth")));
    record.set("density", sdk::makeNumber(context.number("density")));
    record.set("law", sdk::makeString(law));
    return record;
}

void setNumbers(sdk::Value& record, const sdk::Context& context,
                std::initializer_list<const char*> names)
{
    for (const char* name : names)
        record.set(name, sdk::makeNumber(context.number(name)));
}

} // namespace

void BodyNode::cook(sdk::Context& context)
{
    const sdk::Value mesh = context.input("mesh");
    sdk::Value record = sdk::makeRecord("floe.pbd.body");
    record.set("name", sdk::makeString(nameOf(context)));
    record.set("mesh", mesh);
    if (const sdk::Value parts = context.input("parts"))
        record.set("parts", parts);
    record.set("soft", sdk::makeBoolean(context.string("type") == "soft"));
    setNumbers(record, context,
               {"voxel", "merge", "density", "friction", "slidingFriction", "restitution",
                "frequency", "damping", "strength"});
    for (const char* name : {"pieces", "generations", "seed", "regions"})
        record.set(name, sdk::makeNumber(static_cast<double>(context.integer(name))));
    for (const char* name : {"color", "position", "rotation", "velocity", "spin", "spacing"})
        record.set(name, sdk::makeVector(context.vector(name)));
    record.set("copies", sdk::makeVector({static_cast<double>(context.integer("copiesX")),
                                          static_cast<double>(context.integer("copiesY")),
                                          static_cast<double>(context.integer("copiesZ"))}));
    context.setOutput("body", record);
}

void GrainsNode::cook(sdk::Context& context)
{
    sdk::Value numbers = sdk::makeRecord("material.grains");
    setNumbers(numbers, context, {"friction", "slidingFriction", "restitution"});
    sdk::Value record = makeMaterial(context, "grains");
    record.set("parameters", numbers);
    context.setOutput("material", record);
}

void LiquidNode::cook(sdk::Context& context)
{
    sdk::Value numbers = sdk::makeRecord("material.positionLiquid");
    setNumbers(numbers, context,
               {"viscosity", "smoothing", "vorticity", "surfaceTension", "contactAngle"});
    sdk::Value record = makeMaterial(context, "positionLiquid");
    record.set("parameters", numbers);
    context.setOutput("material", record);
}

void JointNode::cook(sdk::Context& context)
{
    sdk::Value record = sdk::makeRecord("floe.pbd.joint");
    record.set("name", sdk::makeString(context.nodeName()));
    record.set("kind", sdk::makeString(context.string("kind")));
    record.set("a", context.input("a"));
    if (const sdk::Value b = context.input("b"))
        record.set("b", b);
    for (const char* name : {"copyA", "copyB"})
        record.set(name, sdk::makeNumber(static_cast<double>(context.integer(name))));
    record.set("anchor", sdk::makeVector(context.vector("anchor")));
    record.set("axis", sdk::makeVector(context.vector("axis")));
    record.set("motor", sdk::makeBoolean(context.boolean("motor")));
    setNumbers(record, context, {"speed", "torque", "strength"});
    context.setOutput("joint", record);
}

} // namespace floe::pbd
