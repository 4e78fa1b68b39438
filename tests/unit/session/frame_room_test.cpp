// Where memory is short, frames are written before more of it is taken.
#include "frame_room.hpp"

#include "floe/compute/memory.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace floe::session {
namespace {

constexpr std::uint64_t kMiB = 1u << 20;

/// A queue with a frame in work that lasts until `release`, where 10 MiB are left.
class FrameRoom : public testing::Test {
protected:
    FrameRoom()
    {
        compute::setHostMemoryLimit(compute::hostBytes() + 10 * kMiB);
        queue.push(1, [this] {
            while (!release)
                std::this_thread::yield();
        });
    }
    ~FrameRoom() override
    {
        release = true;
        queue.drain();
        compute::setHostMemoryLimit(0);
    }
    double wait(std::uint64_t frameBytes, std::uint64_t bytes)
    {
        SinkQueue* const queues[] = {&queue};
        return waitForRoom(queues, frameBytes, bytes, stop);
    }

    std::atomic<bool> release{false}, stop{false};
    SinkQueue queue{4};
};

TEST_F(FrameRoom, FramesThatFitBesideEachOtherDoNotWait)
{
    wait(kMiB, writingBytes(kMiB)); // 3 MiB and 3 MiB
    EXPECT_EQ(queue.unfinished(), 1u);
}

TEST_F(FrameRoom, OthersWaitUntilWhatIsUnderWayIsWritten)
{
    std::atomic<bool> went{false};
    std::thread next([&] {
        wait(2 * kMiB, writingBytes(2 * kMiB)); // 6 MiB and 6 MiB
        went = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    EXPECT_FALSE(went);
    release = true;
    next.join();
    EXPECT_EQ(queue.unfinished(), 0u);
}

TEST_F(FrameRoom, AloneAFrameNeverWaits)
{
    release = true;
    queue.drain();
    wait(100 * kMiB, UINT64_MAX); // whoever takes that is told
}

TEST_F(FrameRoom, AStopEndsTheWait)
{
    std::thread next([&] { wait(2 * kMiB, UINT64_MAX); });
    stop = true;
    next.join();
    EXPECT_EQ(queue.unfinished(), 1u);
}

} // namespace
} // namespace floe::session
