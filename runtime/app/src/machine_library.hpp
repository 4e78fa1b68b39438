#pragma once

#include "floe/session/library.hpp"

#include <memory>

namespace floe::app {

/// The plugins of this machine, from the standard folders; says its warnings on standard error.
std::unique_ptr<session::Library> openLibrary(bool rescan = false, bool quiet = false);

} // namespace floe::app
