#include "floe/sdk/node.hpp"

#include <span>
#include <string>

namespace floe::materials {

namespace {

/// A number of a law and the node's parameter that it comes from. Laws use some words for different
/// things ("hardening"), the node has one name for each.
struct Field {
    const char* field;
    const char* parameter;
};

constexpr Field kElastic[] = {
    {"youngModulus", "youngModulus"}, {"poissonRatio", "poissonRatio"}, {"damping", "damping"}};
constexpr Field kLiquid[] = {{"bulkModulus", "bulkModulus"},
                             {"exponent", "exponent"},
                             {"viscosity", "viscosity"},
                             {"tensileStrength", "tensileStrength"}};
constexpr Field kSnow[] = {{"youngModulus", "youngModulus"},
                           {"poissonRatio", "poissonRatio"},
                           {"criticalCompression", "criticalCompression"},
                           {"criticalStretch", "criticalStretch"},
                           {"hardening", "snowHardening"},
                           {"minHardening", "minHardening"},
                           {"maxHardening", "maxHardening"}};
constexpr Field kDruckerPrager[] = {{"youngModulus", "youngModulus"},
                                    {"poissonRatio", "poissonRatio"},
                                    {"frictionAngle", "frictionAngle"},
                                    {"cohesion", "cohesion"},
                                    {"coulombShare", "coulombShare"}};
constexpr Field kVonMises[] = {{"youngModulus", "youngModulus"},
                               {"poissonRatio", "poissonRatio"},
                               {"yieldStress", "yieldStress"},
                               {"hardening", "hardeningModulus"},
                               {"failureStrain", "failureStrain"}};
constexpr Field kHerschelBulkley[] = {{"youngModulus", "youngModulus"},
                                      {"poissonRatio", "poissonRatio"},
                                      {"yieldStress", "yieldStress"},
                                      {"viscosity", "viscosity"},
                                      {"flowIndex", "flowIndex"}};
constexpr Field kCamClay[] = {{"youngModulus", "youngModulus"},   {"poissonRatio", "poissonRatio"},
                              {"frictionAngle", "frictionAngle"}, {"cohesion", "tensionShare"},
                              {"hardening", "crushHardening"},    {"initialState", "initialState"}};

struct Law {
    const char* name;
    std::span<const Field> fields;
};

constexpr Law kLaws[] = {{"fixedCorotated", kElastic},
                         {"neoHookean", kElastic},
                         {"hencky", kElastic},
                         {"liquid", kLiquid},
                         {"snow", kSnow},
                         {"druckerPrager", kDruckerPrager},
                         {"vonMises", kVonMises},
                         {"herschelBulkley", kHerschelBulkley},
                         {"camClay", kCamClay}};

} // namespace

class MaterialNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.material";

    void cook(sdk::Context& context) override
    {
        const std::string chosen = context.string("law");
        const Law* law = nullptr;
        for (const Law& candidate : kLaws)
            if (chosen == candidate.name)
                law = &candidate;
        if (!law)
            throw sdk::Failure("there is no law '" + chosen + "'", FLOE_BAD_ARGUMENT);

        sdk::Value numbers = sdk::makeRecord(("material." + chosen).c_str());
        for (const Field& field : law->fields)
            numbers.set(field.field, sdk::makeNumber(context.number(field.parameter)));

        std::string name = context.string("name");
        if (name.empty())
            name = context.nodeName();
        sdk::Value record = sdk::makeRecord("material");
        record.set("name", sdk::makeString(name));
        record.set("color", sdk::makeVector(context.vector("color")));
        record.set("opacity", sdk::makeNumber(context.number("opacity")));
        record.set("colorDepth", sdk::makeNumber(context.number("colorDepth")));
        record.set("density", sdk::makeNumber(context.number("density")));
        record.set("law", sdk::makeString(chosen));
        record.set("parameters", numbers);
        context.setOutput("material", record);
    }
};

} // namespace floe::materials

FLOE_PLUGIN("floe.materials", "0.1.0", floe::materials::MaterialNode)
