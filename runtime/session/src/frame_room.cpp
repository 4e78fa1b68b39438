#include "frame_room.hpp"

#include "floe/compute/memory.hpp"

#include <algorithm>
#include <chrono>

namespace floe::session {

double waitForRoom(std::span<SinkQueue* const> queues, std::uint64_t frameBytes,
                   std::uint64_t bytes, const std::atomic<bool>& stop)
{
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    while (!stop) {
        std::uint64_t frames = 0;
        SinkQueue* longest = nullptr;
        for (SinkQueue* queue : queues) {
            const std::size_t here = queue->unfinished();
            if (here > 0 && (!longest || here > longest->unfinished()))
                longest = queue;
            frames += here;
        }
        if (!longest || compute::hostMemoryLeft() >= bytes + frames * writingBytes(frameBytes))
            break;
        longest->waitIdle(0.05);
    }
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

} // namespace floe::session
