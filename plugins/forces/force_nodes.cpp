#include "domain_node.hpp"

#include "floe/sdk/level_set.hpp"

#include <initializer_list>

namespace floe::forces {

namespace {

sdk::Value forceRecord(const char* type)
{
    sdk::Value record = sdk::makeRecord("force");
    record.set("type", sdk::makeString(type));
    return record;
}

/// @throws Failure  the input `field` holds something else
void requireVectors(const sdk::Value& field)
{
    if (!sdk::VectorField(field.volume()).valid())
        throw sdk::Failure("input 'field' is not a grid of vectors", FLOE_WRONG_KIND);
}

/// Copies parameters into fields of the same name.
void setNumbers(sdk::Value& record, const sdk::Context& context,
                std::initializer_list<const char*> names)
{
    for (const char* name : names)
        record.set(name, sdk::makeNumber(context.number(name)));
}

} // namespace

class GravityNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.force.gravity";

    void cook(sdk::Context& context) override
    {
        sdk::Value record = forceRecord("gravity");
        record.set("vector", sdk::makeVector(context.vector("acceleration")));
        context.setOutput("force", record);
    }
};

class DragNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.force.drag";

    void cook(sdk::Context& context) override
    {
        sdk::Value record = forceRecord("drag");
        setNumbers(record, context, {"strength"});
        context.setOutput("force", record);
    }
};

class WindNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.force.wind";

    void cook(sdk::Context& context) override
    {
        sdk::Value record = forceRecord("wind");
        record.set("vector", sdk::makeVector(context.vector("velocity")));
        setNumbers(record, context, {"strength", "turbulence", "frequency"});
        record.set("seed", sdk::makeNumber(static_cast<double>(context.integer("seed"))));
        if (const sdk::Value field = context.input("field")) {
            requireVectors(field);
            record.set("field", field);
        }
        context.setOutput("force", record);
    }
};

class AttractorNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.force.attractor";

    void cook(sdk::Context& context) override
    {
        sdk::Value record = forceRecord("attractor");
        record.set("center", sdk::makeVector(context.vector("center")));
        setNumbers(record, context, {"strength", "radius", "falloff"});
        context.setOutput("force", record);
    }
};

class FieldNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.force.field";

    void cook(sdk::Context& context) override
    {
        const sdk::Value field = context.input("field");
        requireVectors(field);
        sdk::Value record = forceRecord("field");
        record.set("field", field);
        setNumbers(record, context, {"strength"});
        context.setOutput("force", record);
    }
};

} // namespace floe::forces

FLOE_PLUGIN("floe.forces", "0.1.0", floe::forces::GravityNode, floe::forces::DragNode,
            floe::forces::WindNode, floe::forces::AttractorNode, floe::forces::FieldNode,
            floe::forces::DomainNode)
