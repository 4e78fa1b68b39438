// Loops over ranges: every index once, the same ranges for any number of threads.
#include "floe/compute/parallel.hpp"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <oneapi/tbb/task_group.h>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace floe::compute {

class Loops : public testing::TestWithParam<int> {
protected:
    void SetUp() override { setThreadCount(GetParam()); }
    void TearDown() override { setThreadCount(0); }
};

TEST_P(Loops, VisitEveryIndexOnce)
{
    for (const std::uint64_t count : {0u, 1u, 255u, 256u, 257u, 10000u}) {
        for (const std::uint64_t grain : {0u, 1u, 7u, 20000u}) {
            std::vector<std::atomic<int>> visits(count);
            parallelFor(count, grain, [&](std::uint64_t begin, std::uint64_t end) {
                EXPECT_LT(begin, end);
                EXPECT_TRUE(grain == 0 || end - begin <= grain);
                for (std::uint64_t i = begin; i < end; ++i)
                    ++visits[i];
            });
            for (const auto& visit : visits)
                ASSERT_EQ(visit, 1) << count << " " << grain;
        }
    }
}

TEST_P(Loops, RangesDoNotDependOnTheThreads)
{
    std::set<std::pair<std::uint64_t, std::uint64_t>> ranges;
    std::mutex mutex;
    parallelFor(1000, 300, [&](std::uint64_t begin, std::uint64_t end) {
        const std::lock_guard lock(mutex);
        ranges.emplace(begin, end);
    });
    const decltype(ranges) expected{{0, 300}, {300, 600}, {600, 900}, {900, 1000}};
    EXPECT_EQ(ranges, expected);
}

TEST_P(Loops, NestWithoutEnd)
{
    std::atomic<int> count{0};
    parallelFor(20, 1, [&](std::uint64_t, std::uint64_t) {
        parallelFor(20, 1, [&](std::uint64_t, std::uint64_t) { ++count; });
    });
    EXPECT_EQ(count, 400);
}

TEST_P(Loops, PassOnExceptions)
{
    EXPECT_THROW(parallelFor(100, 1,
                             [](std::uint64_t begin, std::uint64_t) {
                                 if (begin == 31)
                                     throw std::runtime_error("stop");
                             }),
                 std::runtime_error);
}

TEST_P(Loops, RunFromSeveralThreadsAtOnce)
{
    std::atomic<std::uint64_t> sum{0};
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i)
        callers.emplace_back([&] {
            parallelFor(1000, 1, [&](std::uint64_t begin, std::uint64_t) { sum += begin; });
        });
    callers.clear();
    EXPECT_EQ(sum, 4 * 499500u);
}

INSTANTIATE_TEST_SUITE_P(Threads, Loops, testing::Values(1, 2, 5));

// One thread is busy with a task's loop, the other waits for that task: it helps.
TEST(Threads, HelpWithLoopsOfTasksTheyWaitFor)
{
    setThreadCount(2);
    const auto waitFor = [](const std::atomic<int>& count, int wanted) {
        for (int i = 0; count < wanted && i < 2000; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    joinThreads([&] {
        tbb::task_group tasks;
        std::atomic<int> begun{0}, arrived{0};
        const std::thread::id waits = std::this_thread::get_id();
        std::set<std::thread::id> seen;
        std::mutex mutex;
        tasks.run([&] {
            ++begun;
            parallelFor(2, 1, [&](std::uint64_t, std::uint64_t) {
                {
                    const std::lock_guard lock(mutex);
                    seen.insert(std::this_thread::get_id());
                }
                ++arrived;
                waitFor(arrived, 2);
            });
        });
        waitFor(begun, 1); // the other thread has the task
        EXPECT_EQ(begun, 1);
        tasks.wait();
        EXPECT_EQ(seen.size(), 2u);
        EXPECT_TRUE(seen.contains(waits));
    });
    setThreadCount(0);
}

// More threads than cores are allowed: determinism is tested with them.
TEST(Threads, AreAsManyAsAskedFor)
{
    setThreadCount(5);
    EXPECT_EQ(threadCount(), 5);
    std::mutex mutex;
    std::set<std::thread::id> seen;
    std::atomic<int> arrived{0};
    parallelFor(5, 1, [&](std::uint64_t, std::uint64_t) {
        {
            const std::lock_guard lock(mutex);
            seen.insert(std::this_thread::get_id());
        }
        ++arrived;
        // Wait for the others, so that one thread cannot take all ranges; not for ever.
        for (int i = 0; arrived < 5 && i < 2000; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    EXPECT_EQ(seen.size(), 5u);
    setThreadCount(0);
    EXPECT_GE(threadCount(), 1);
}

} // namespace floe::compute
