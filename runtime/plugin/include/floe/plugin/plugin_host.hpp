#pragma once

#include "floe/sdk/floe.h"
#include "floe/sdk/sharing.h"

#include <string>

namespace floe::plugin {

/// Returns the host interface for plugins: one per process, always ready.
const floe_host* hostInterface();

/// Returns the functions on values alone, for tables of extensions.
const floe_value_api* valueInterface();

/// Returns the table of FLOE_SHARING_EXTENSION, which every host has.
const floe_sharing* sharingInterface();

/// Offers a table of functions to plugins under "floe.<name>/<revision>"; a later table with the
/// same id replaces it. Null removes it.
/// @param table  must outlive every plugin
void registerExtension(const std::string& id, const void* table);

} // namespace floe::plugin
