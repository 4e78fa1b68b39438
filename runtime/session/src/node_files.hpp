#pragma once

namespace floe::session {

/// Offers floe/sdk/io.h to plugins. May be called more than once.
void offerFiles();

} // namespace floe::session
