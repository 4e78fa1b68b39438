#include "material_record.hpp"

#include "floe/sdk/world/records.hpp"

#include <cstdio>
#include <string>

namespace floe::coupled {

namespace {

/// Above this, viscosity would be seen [Pa s]: a thousand times that of water.
constexpr double kMaxViscosity = 1;

std::string shortNumber(double a)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", a);
    return text;
}

} // namespace

float densityOf(const sdk::Value& record)
{
    const std::string name = record.require("name").string();
    const auto refuse = [&](const std::string& why) {
        throw sdk::Failure("material '" + name + "': " + why, FLOE_BAD_ARGUMENT);
    };
    const double density = record.require("density").number();
    if (!(density > 1e-3 && density < 1e6))
        refuse("density is " + shortNumber(density) + ", must be between 0.001 and 1e6 kg/m^3");
    const std::string law = record.require("law").string();
    if (law != "liquid")
        refuse("the coupled solver moves liquids (law 'liquid') only, not the law '" + law +
               "'; give this material to the MPM or PBD solver");
    const double viscosity = sdk::world::numberOf(record.require("parameters"), "viscosity", 0);
    if (viscosity > kMaxViscosity)
        refuse("viscosity is " + shortNumber(viscosity) +
               " Pa s, and the coupled solver moves liquids as if they had none; "
               "above " +
               shortNumber(kMaxViscosity) + " Pa s use the MPM solver");
    return static_cast<float>(density);
}

} // namespace floe::coupled
