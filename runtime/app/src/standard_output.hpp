#pragma once

#include <cstdio>
#include <string>

namespace floe::app {

/// Gives stdout and stderr descriptors with high numbers, before a command that runs plugins prints
/// anything; std::cout stays where it is. A plugin that closes what is not its own counts from 0
/// on, and a file that is opened next would get the number, and the words. Where the limit of open
/// files is low (ulimit -n), they stay what they are.
void moveOutput();
/// Another stream to where `file` writes, with a high number. Null: there is none.
std::FILE* copyOf(std::FILE* file);

/// Prints "error: TEXT" for standard error; if that cannot be, a supervisor says it. Any thread.
void sayError(const std::string& text);

// Whether all that is printed for standard output arrives there. A reader that has gone (EPIPE)
// wants no more, so nothing is lost then.

/// Hands on what was printed to `file`, and remembers a failure for finishOutput(). Any thread.
/// @return whether it arrived
bool flushOutput(std::FILE* file = stdout);
/// Closes `file`, which was standard output under another number, and remembers a failure.
void closeOutput(std::FILE* file);
/// At the end of a command. @throws IoError  something of what was printed is lost
void finishOutput();

} // namespace floe::app
