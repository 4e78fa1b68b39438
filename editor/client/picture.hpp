#pragma once

#include "client/messages.hpp"

namespace floe::client {

/// Largest width or height that is accepted from a runtime.
inline constexpr int kLargestPicture = 16384;

/// Copies the picture that a `view.picture` message announces: out of the shared memory segment it
/// names, or out of the message itself (`data`: base64 of a PNG, as a runtime on another machine
/// sends it).
///
/// Everything in the message is checked against the segment's true size and owner before a byte is
/// read, and a segment that shrinks meanwhile gives an error, not a crash. Any thread.
/// @throws InputError what is wrong with it
Picture readPicture(const Json& params);

} // namespace floe::client
