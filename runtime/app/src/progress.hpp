#pragma once

#include "floe/session/session.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

namespace floe::app {

enum class ProgressStyle { Auto, Bar, Lines, Json, Quiet };

/// Shows a run on standard output (messages on standard error): a bar with the time left on a
/// terminal, one line per frame elsewhere, or JSON lines for other programs.
std::unique_ptr<session::Observer> makeProgress(ProgressStyle style);

} // namespace floe::app
