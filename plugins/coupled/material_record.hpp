/// Reads a record "material" (floe/sdk/records.h).
#pragma once

#include "floe/sdk/node.hpp"

namespace floe::coupled {

/// Returns the density of a liquid [kg/m^3].
/// @throws Failure  the material is not one that this solver moves; says which
/// are
float densityOf(const sdk::Value& record);

} // namespace floe::coupled
