/// Loops on a number of plain threads, which the thread sanitizer sees through, unlike a library's
/// pool: for tests that hold one number against another.
#pragma once

#include "floe/sdk/parallel/executor.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace floe::test {

class ThreadExecutor final : public sdk::parallel::Executor {
public:
    explicit ThreadExecutor(int threads) : threads_(threads) {}

    void parallelFor(std::size_t count, std::size_t grain,
                     const std::function<void(std::size_t, std::size_t)>& body) override
    {
        std::atomic<std::size_t> next = 0;
        const auto work = [&] {
            for (std::size_t begin; (begin = next.fetch_add(grain)) < count;)
                body(begin, std::min(begin + grain, count));
        };
        std::vector<std::jthread> others;
        for (int i = 1; i < threads_ && count > grain; ++i)
            others.emplace_back(work);
        work();
    }

private:
    int threads_;
};

} // namespace floe::test
