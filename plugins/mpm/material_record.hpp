/// Reading "material" records (floe/sdk/records.h) into the solver's materials.
#pragma once

#include "settings.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"

namespace floe::mpm {

/// @param node  the emitter's place, for messages
/// @throws sdk::Failure  a law that does not exist, a number out of its range, a model that this
/// build
///         cannot call
SolverMaterial materialOf(const sdk::Value& record, const floe_device* device);

/// Everything that makes two material records the same material, as one string.
std::string materialIdentity(const sdk::Value& record);

} // namespace floe::mpm
