#pragma once

#include "floe/session/library.hpp"

#include <memory>

namespace floe::app {

/// Opens the plugins of this machine in the standard folders; prints warnings to standard error.
std::unique_ptr<session::Library> openLibrary(bool rescan = false, bool quiet = false);

} // namespace floe::app
