#pragma once

#include <string>

namespace floe::app {

/// Starts this command once more as `count` ranks, through the launcher of MPI that is installed,
/// in place of this process. Returns at once where one is wanted, and in a process that a launcher
/// has started.
/// @param arguments  of main(), with the null at the end
/// @throws InputError  no launcher is installed, or it cannot be started
void launchRanks(int count, char* const* arguments);

/// The most ranks that one command may start.
inline constexpr int kMaxRanks = 4096;

} // namespace floe::app
