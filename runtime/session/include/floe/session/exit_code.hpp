#pragma once

#include <exception>

namespace floe::session {

/// Exit codes of `floe`. Documented in the manual; the numbers do not change.
enum ExitCode : int {
    kSuccess = 0,
    kOther = 1,       ///< none of the below
    kUsage = 2,       ///< the command line
    kGraph = 3,       ///< the document has faults, or a value given by the user is unusable
    kPlugin = 4,      ///< a plugin is missing, broken, or one of its nodes failed
    kFiles = 5,       ///< a file could not be read or written
    kMemory = 6,      ///< host or device memory ran out
    kDiverged = 7,    ///< the simulation left the range of meaningful numbers
    kDevice = 8,      ///< the requested device is missing or failed
    kCrashed = 9,     ///< the process ended in the middle: a plugin crashed or ended it
    kRankLost = 10,   ///< of several ranks, one ended in the middle
    kRankSilent = 11, ///< of several ranks, one did not answer any more
    kCancelled = 130  ///< stopped by Ctrl-C or SIGTERM
};

/// Returns the exit code for an exception, for the program and `run.json`.
int exitCodeOf(const std::exception_ptr& error);

} // namespace floe::session
