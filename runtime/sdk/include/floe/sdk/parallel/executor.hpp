/// Who runs a solver's loops: the host's threads in a plugin (host.hpp), oneTBB or none in tests.
#pragma once

#include <cstddef>
#include <functional>

namespace floe::sdk::parallel {

class Executor {
public:
    virtual ~Executor() = default;

    /// Calls body(begin, end) over disjoint ranges that cover [0, count), each at most `grain`
    /// long, perhaps at once and in any order; returns when all are done. `body` may throw: the
    /// first exception is thrown on.
    virtual void parallelFor(std::size_t count, std::size_t grain,
                             const std::function<void(std::size_t, std::size_t)>& body) = 0;
};

/// Everything on the calling thread.
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
