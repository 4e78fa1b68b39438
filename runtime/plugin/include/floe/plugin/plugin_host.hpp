#pragma once

#include "floe/sdk/floe.h"

#include <string>

namespace floe::plugin {

/// The host as plugins see it: one for the process, filled and ready from the start.
const floe_host* hostInterface();

/// The functions on values alone, for tables of extensions.
const floe_value_api* valueInterface();

/// Offers a table of functions to plugins under "floe.<name>/<revision>"; a later table of the same
/// id replaces the earlier one. Null takes it back.
/// @param table  must outlive every plugin
void registerExtension(const std::string& id, const void* table);

} // namespace floe::plugin
