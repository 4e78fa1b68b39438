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

/// "1:05", "2:00:00", "3 days".
std::string duration(double seconds);
/// "950", "12 k", "1.25 M".
std::string count(double number);

} // namespace floe::app
