/// Records "floe.friction" (floe/sdk/records.h): what bodies that meet have of friction.
#pragma once

#include "settings.hpp"

#include "floe/sdk/node.hpp"

#include <span>
#include <vector>

namespace floe::mpm {

/// Sets the friction of a solver's materials: their own, else the parameter 'bodyFriction', and
/// what is linked to 'frictions' for pairs of them.
/// @param records  of the materials, in their order
void readFrictions(sdk::Context& context, std::span<const sdk::Value> records,
                   std::vector<SolverMaterial>& materials);

/// Value node: the friction of two materials.
class FrictionNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.mpm.friction";

    void cook(sdk::Context& context) override;
};

} // namespace floe::mpm
