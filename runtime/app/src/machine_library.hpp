#pragma once

#include "floe/session/library.hpp"

#include <memory>
#include <string>
#include <vector>

namespace floe::app {

/// Opens the plugins of this machine in the standard folders; prints warnings to standard error.
/// @param isolated  ids of those that get a process of their own
std::unique_ptr<session::Library> openLibrary(bool rescan = false, bool quiet = false,
                                              const std::vector<std::string>& isolated = {});

} // namespace floe::app
