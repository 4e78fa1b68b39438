#include "floe/session/sink_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace floe::session {
namespace {

TEST(SinkQueue, RunsFramesInOrder)
{
    std::vector<int> done;
    SinkQueue queue(2);
    for (int frame = 1; frame <= 50; ++frame)
        queue.push(frame, [&done, frame] { done.push_back(frame); });
    queue.drain();
    ASSERT_EQ(done.size(), 50u);
    for (int i = 0; i < 50; ++i)
        EXPECT_EQ(done[static_cast<std::size_t>(i)], i + 1);
}

// With one frame in work and `capacity` waiting, the next push waits until a place is free.
TEST(SinkQueue, IsBounded)
{
    std::atomic<bool> release{false};
    std::atomic<int> started{0};
    SinkQueue queue(2);
    const auto work = [&] {
        ++started;
        while (!release)
            std::this_thread::yield();
    };
    queue.push(1, work);
    while (started == 0)
        std::this_thread::yield();
    queue.push(2, work);
    queue.push(3, work);
    EXPECT_EQ(queue.waiting(), 2u);

    std::atomic<bool> pushed{false};
    std::thread fourth([&] {
        queue.push(4, [] {});
        pushed = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(pushed);
    release = true;
    fourth.join();
    EXPECT_TRUE(pushed);
    queue.drain();
}

TEST(SinkQueue, AStopEndsTheWaitForAPlace)
{
    std::atomic<bool> release{false}, stop{false}, pushed{false}, done{false};
    SinkQueue queue(1, &stop);
    queue.push(1, [&] {
        while (!release)
            std::this_thread::yield();
    });
    while (queue.waiting() > 0)
        std::this_thread::yield();
    queue.push(2, [] {});
    std::thread third([&] {
        queue.push(3, [&] { done = true; });
        pushed = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    EXPECT_FALSE(pushed);
    stop = true;
    third.join(); // while the first is still in work
    release = true;
    queue.drain();
    EXPECT_FALSE(done);
}

TEST(SinkQueue, AFailureDropsWhatFollowsAndNeverBlocks)
{
    std::atomic<int> done{0};
    SinkQueue queue(1);
    queue.push(1, [] { throw std::runtime_error("disk full"); });
    queue.drain();
    for (int frame = 2; frame < 10; ++frame)
        queue.push(frame, [&] { ++done; });
    queue.drain();
    EXPECT_EQ(done, 0);
    ASSERT_TRUE(queue.failure());
    EXPECT_THROW(std::rethrow_exception(queue.failure()), std::runtime_error);
}

TEST(SinkQueue, WaitForLetsLaterFramesWait)
{
    std::atomic<bool> release{false};
    SinkQueue queue(4);
    queue.push(1, [] {});
    queue.push(2, [&] {
        while (!release)
            std::this_thread::yield();
    });
    queue.waitFor(1);
    EXPECT_FALSE(queue.waitIdle(0.01));
    release = true;
    queue.waitFor(2);
    EXPECT_TRUE(queue.waitIdle(1));
}

} // namespace
} // namespace floe::session
