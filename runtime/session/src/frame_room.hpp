#pragma once

#include "floe/session/sink_queue.hpp"

#include <atomic>
#include <cstdint>
#include <span>

namespace floe::session {

/// Limits the frames in progress when memory is short, down to one: a frame waiting to be written
/// holds its values, and writing allocates more (an OpenVDB tree, a picture's buffers).
///
/// Waits until the remaining memory suffices for `bytes` and for writing what is in the queues, or
/// until they are empty; a later allocation then fails with an error.
/// @param queues     one frame after another, about `frameBytes` each
/// @param frameBytes size of the values of a frame
/// @param bytes      size of the next allocation
/// @param stop       ends the wait
/// @return seconds spent waiting
double waitForRoom(std::span<SinkQueue* const> queues, std::uint64_t frameBytes,
                   std::uint64_t bytes, const std::atomic<bool>& stop);

/// Returns the memory a sink usually needs at most to write a frame of so many bytes.
inline std::uint64_t writingBytes(std::uint64_t frameBytes)
{
    return 3 * frameBytes;
}

} // namespace floe::session
