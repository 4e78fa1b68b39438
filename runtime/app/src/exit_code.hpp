#pragma once

#include "floe/session/exit_code.hpp"

namespace floe::app {

using session::exitCodeOf;
using enum session::ExitCode;

/// Ends the process with @p code, whatever its other threads have in work; destructors do not run.
///
/// A driver may keep a thread of the lowest priority (Mesa's shader cache does). With _exit() such
/// a thread can be the last to leave, and then it alone gives the memory back: ten seconds on a
/// busy machine. So this thread becomes another program, which ends with the code: that way it
/// gives the memory back itself.
[[noreturn]] void endNow(int code);

} // namespace floe::app
