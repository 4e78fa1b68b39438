/// Reads a record "material" (floe/sdk/records.h).
#pragma once

#include "solid/solid.hpp"

#include "floe/sdk/node.hpp"

namespace floe::coupled {

/// What an emitter's particles are.
struct Matter {
    float density = 1000; ///< [kg/m^3]
    bool isSolid = false;
    SolidMaterial solid; ///< of a solid
};

/// @throws Failure  the material is not one that this solver moves; says which are
Matter matterOf(const sdk::Value& record);

} // namespace floe::coupled
