#pragma once

#include "floe/session/sink_queue.hpp"

#include <atomic>
#include <cstdint>
#include <span>

namespace floe::session {

/// Where memory is short, fewer frames are under way at a time, down to one: a frame that waits to
/// be written holds its values, and writing makes more of them (a tree of OpenVDB, a picture's
/// buffers).
///
/// Waits until what is left suffices for `bytes` and for writing what is in the queues, or until
/// they are empty: whoever then takes too much is told so.
/// @param queues     of one frame after another, of about `frameBytes` each
/// @param frameBytes values of a frame
/// @param bytes      about to be taken
/// @param stop       ends the wait
/// @return seconds spent waiting
double waitForRoom(std::span<SinkQueue* const> queues, std::uint64_t frameBytes,
                   std::uint64_t bytes, const std::atomic<bool>& stop);

/// What a sink takes while it writes a frame of so many bytes, at most as a rule.
inline std::uint64_t writingBytes(std::uint64_t frameBytes)
{
    return 3 * frameBytes;
}

} // namespace floe::session
