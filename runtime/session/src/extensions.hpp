#pragma once

namespace floe::session {

/// Offers floe/sdk/io.h and floe/sdk/render.h to plugins. May be called more than once.
void registerExtensions();

} // namespace floe::session
