#pragma once

/// A server (runtime/serve) in this process, with the plugin floe_values, and its client.

#include <string>
#include <string_view>

namespace floe::fuzz {

/// Sends lines to the server and waits until it has answered; what an earlier call has left there
/// (a document, a run, frames) is taken away before.
///
/// Lines that would end the server, write where they say, or read other plugins' files are left out
/// with all the rest: shutdown, export, sinks, types.rescan, and whatever hides a word by escapes.
/// @return whether every answer was a result
/// @throws std::logic_error  an answer without a sentence, one of an internal fault, none at all
bool serveLines(std::string_view lines);

} // namespace floe::fuzz
