#pragma once

#include <floe/sdk/parallel/executor.hpp>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <cstddef>
#include <functional>

namespace floe::mpm {

/// The loops of a measurement on so many threads of oneTBB; everything else of this process has no
/// more while it lives.
class TbbExecutor final : public sdk::parallel::Executor {
public:
    explicit TbbExecutor(std::size_t threads)
        : limit_(tbb::global_control::max_allowed_parallelism, threads)
    {}

    void parallelFor(std::size_t count, std::size_t grain,
                     const std::function<void(std::size_t, std::size_t)>& body) override
    {
        tbb::parallel_for(
            tbb::blocked_range<std::size_t>(0, count, grain),
            [&](const auto& range) { body(range.begin(), range.end()); },
            tbb::simple_partitioner{});
    }

private:
    tbb::global_control limit_;
};

} // namespace floe::mpm
