#pragma once

#include "floe/session/exit_code.hpp"

namespace floe::app {

using session::exitCodeOf;
using enum session::ExitCode;

} // namespace floe::app
