#include "friction_record.hpp"

#include "material_record.hpp"

#include <algorithm>
#include <string>

namespace floe::mpm {

void readFrictions(sdk::Context& context, std::span<const sdk::Value> records,
                   std::vector<SolverMaterial>& materials)
{
    std::vector<std::string> identities;
    const auto placeOf = [&](const std::string& identity) {
        const auto found = std::find(identities.begin(), identities.end(), identity);
        return static_cast<std::size_t>(found - identities.begin());
    };
    for (std::size_t m = 0; m < materials.size(); ++m) {
        const sdk::Value own = records[m].field("friction");
        materials[m].friction = own ? own.number() : context.number("bodyFriction");
        identities.push_back(materialIdentity(records[m]));
        materials[m].surface = static_cast<std::uint16_t>(placeOf(identities[m]));
    }
    for (const sdk::Value& pair : context.inputs("frictions")) {
        std::size_t surface[2];
        for (std::size_t i = 0; i < 2; ++i) {
            const sdk::Value material = pair.require(i == 0 ? "first" : "second");
            surface[i] = placeOf(materialIdentity(material));
            if (surface[i] == materials.size() && context.isStart())
                context.warn("input 'frictions' has material '" +
                             material.require("name").string() +
                             "', of which no emitter of this solver gives anything");
        }
        if (std::max(surface[0], surface[1]) < materials.size())
            setFriction(materials, static_cast<std::uint16_t>(surface[0]),
                        static_cast<std::uint16_t>(surface[1]), pair.require("friction").number());
    }
}

void FrictionNode::cook(sdk::Context& context)
{
    sdk::Value record = sdk::makeRecord("floe.friction");
    record.set("first", context.input("first"));
    record.set("second", context.input("second"));
    record.set("friction", sdk::makeNumber(context.number("friction")));
    context.setOutput("friction", record);
}

} // namespace floe::mpm
