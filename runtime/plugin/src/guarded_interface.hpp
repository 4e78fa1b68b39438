#pragma once

#include "floe/data/record.hpp"

#include <memory>
#include <string_view>

namespace floe::plugin {

/// A value that carries a plugin's interface. Those that Floe knows (floe/sdk/records.h) get
/// a table of the host's around the plugin's: it writes down who is called (CallScope), and lets no
/// C++ exception out. Others are passed on as they are.
/// @throws InputError  what InterfaceValue refuses, or the table lacks a function; `self` then
///                     stays the caller's
Ref<InterfaceValue> makeGuardedInterface(const char* id, const void* table, void* self,
                                         void (*destroy)(void*));

} // namespace floe::plugin
