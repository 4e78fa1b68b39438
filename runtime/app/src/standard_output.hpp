#pragma once

#include <cstdio>

namespace floe::app {

// Whether all that is printed for standard output arrives there. A reader that has gone (EPIPE)
// wants no more, so nothing is lost then.

/// Hands on what was printed to `file`, and remembers a failure for finishOutput(). Any thread.
void flushOutput(std::FILE* file = stdout);
/// Closes `file`, which was standard output under another number, and remembers a failure.
void closeOutput(std::FILE* file);
/// At the end of a command. @throws IoError  something of what was printed is lost
void finishOutput();

} // namespace floe::app
