#include "material_record.hpp"

#include "floe/sdk/physics/parameters.hpp"
#include "floe/sdk/world/records.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <type_traits>

namespace floe::coupled {

namespace {

/// Above this, viscosity would be seen [Pa s]: a thousand times that of water.
constexpr double kMaxViscosity = 1;
/// A solid's lambda is at least this share of mu, so that its pressure can hold its volume.
constexpr float kLeastLambda = 0.01f;

std::string shortNumber(double a)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", a);
    return text;
}

} // namespace

Matter matterOf(const sdk::Value& record)
{
    const std::string name = record.require("name").string();
    const auto refuse = [&](const std::string& why) {
        throw sdk::Failure("material '" + name + "': " + why, FLOE_BAD_ARGUMENT);
    };
    Matter matter;
    const double density = record.require("density").number();
    if (!(density > 1e-3 && density < 1e6))
        refuse("density is " + shortNumber(density) + ", must be between 0.001 and 1e6 kg/m^3");
    matter.density = static_cast<float>(density);
    const std::string law = record.require("law").string();
    if (law == "liquid") {
        const double viscosity = sdk::world::numberOf(record.require("parameters"), "viscosity", 0);
        if (viscosity > kMaxViscosity)
            refuse("viscosity is " + shortNumber(viscosity) +
                   " Pa s, and the coupled solver moves liquids as if they had none; above " +
                   shortNumber(kMaxViscosity) + " Pa s use the MPM solver");
        return matter;
    }
    if (law != "fixedCorotated" && law != "neoHookean" && law != "hencky")
        refuse("the coupled solver moves liquids (law 'liquid') and elastic solids "
               "('fixedCorotated', 'neoHookean', 'hencky'), not the law '" +
               law + "'; give this material to the MPM or PBD solver");
    const physics::LawDescription* description = physics::findLaw(law);
    const sdk::Value numbers = record.require("parameters");
    matter.isSolid = true;
    matter.solid.law = physics::makeMaterial(
        description->kind, matter.density, [&](const physics::LawParameter& parameter) {
            const double value = sdk::world::numberOf(numbers, parameter.name, parameter.value);
            if (!(value >= parameter.minimum && value <= parameter.maximum))
                refuse(std::string(parameter.name) + " is " + shortNumber(value) +
                       ", must be between " + shortNumber(parameter.minimum) + " and " +
                       shortNumber(parameter.maximum) + " " + parameter.unit);
            return value;
        });
    const auto split = [&](auto& elastic) {
        matter.solid.mu = elastic.mu;
        matter.solid.lambda = std::max(elastic.lambda, kLeastLambda * elastic.mu);
        matter.solid.damping = elastic.damping;
        elastic.lambda = 0;
    };
    if (law == "fixedCorotated")
        split(matter.solid.law.fixedCorotated);
    else if (law == "neoHookean")
        split(matter.solid.law.neoHookean);
    else
        split(matter.solid.law.hencky);
    return matter;
}

} // namespace floe::coupled
