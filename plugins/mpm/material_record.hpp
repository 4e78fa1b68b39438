/// Reads "material" records (floe/sdk/records.h) into the solver's materials.
#pragma once

#include "settings.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"

namespace floe::mpm {

/// @param cellSize  of the solver's grid [m]
/// @param device    the solver's
/// @throws sdk::Failure  an unknown law, a number out of range, a model that this build cannot call
SolverMaterial materialOf(const sdk::Value& record, double cellSize, const floe_device* device);

/// Returns a string that is equal for records of the same material.
std::string materialIdentity(const sdk::Value& record);

} // namespace floe::mpm
