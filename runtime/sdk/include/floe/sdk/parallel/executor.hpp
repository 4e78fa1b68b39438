/// Runs a solver's loops: on the host's threads in a plugin (host.hpp), oneTBB's or none in tests.
#pragma once

#include <cstddef>
#include <functional>

namespace floe::sdk::parallel {

class Executor {
public:
    virtual ~Executor() = default;

    /// Calls body(begin, end) over disjoint ranges that cover [0, count), each at most `grain`
    /// long, possibly concurrently and in any order; returns when all are done. `body` may throw:
    /// the first exception is rethrown.
    virtual void parallelFor(std::size_t count, std::size_t grain,
                             const std::function<void(std::size_t, std::size_t)>& body) = 0;
};

/// Runs everything on the calling thread.
class SerialExecutor final : public Executor {
public:
    void parallelFor(std::size_t count, std::size_t,
                     const std::function<void(std::size_t, std::size_t)>& body) override
    {
        if (count > 0)
            body(0, count);
    }
};

} // namespace floe::sdk::parallel
