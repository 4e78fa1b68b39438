#pragma once

#include "floe/session/exit_code.hpp"

namespace floe::app {

using session::exitCodeOf;
using enum session::ExitCode;

/// Ends the process with @p code, whatever its other threads are doing; destructors do not run.
///
/// A driver may keep a thread of the lowest priority (Mesa's shader cache does). With _exit() such
/// a thread can be the last to leave, and then frees the memory alone: ten seconds on a busy
/// machine. So this thread executes another program, which frees the memory and ends with the code.
[[noreturn]] void endNow(int code);

} // namespace floe::app
