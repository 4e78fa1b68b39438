#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace floe::app {

/// What a supervisor has to see to when its command does not come back.
struct Watched {
    std::filesystem::path report; ///< run.json, which is ended then; empty: there is none
    bool json = false;            ///< what happened is also a line of JSON on standard output
    bool bar = false;             ///< a progress bar may stand in the terminal's line
};

/// Starts this program once more, as a child process that does the command, and waits for it.
///
/// A plugin may end its process in any way (a crash, exit(), SIGKILL for want of memory) or hang. A
/// handler of signals in the process itself would see only some of that, and could do hardly
/// anything: it may neither format text nor write JSON. The parent does nothing but wait, so
/// nothing of the plugin's reaches it. It says what happened with node, plugin and frame, ends the
/// report, and returns kCrashed.
///
/// Signals that ask for the end (ending_signals.hpp) are passed on as SIGTERM. Where the child has
/// not ended a second later, what it waits for is said; it is killed by a second signal, or eight
/// seconds after the first. The child is killed when the parent ends.
///
/// In that child, and under a debugger (gdb, strace), the command is done in this process.
/// @param arguments  of main(), with the null at the end
/// @return  an exit code
int supervise(const std::function<int()>& command, const Watched& watched, char* const* arguments);

/// In the command: whether it has a supervisor, which then counts the signals.
bool supervised();
/// In the command, once its report is its own: the supervisor ends it if the command cannot.
void noteReport();
/// In the command: an error that it could not print. The supervisor says the first one.
void noteUnsaid(const std::string& text);
/// In the command, when it ends with this code: its end is its own.
void noteEnd(int code);

} // namespace floe::app
