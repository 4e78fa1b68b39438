#include "floe/compute/parallel.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace floe::compute {

namespace {

/// The threads of all parallelFor calls. Explicit, because TBB's own arena never has more threads
/// than the machine has cores, and a test of determinism needs more.
struct Pool {
    explicit Pool(int count)
        : threads(count),
          control(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count)),
          arena(count)
    {}
    int threads;
    tbb::global_control control;
    tbb::task_arena arena;
};

std::mutex poolMutex;
std::shared_ptr<Pool> currentPool;

std::shared_ptr<Pool> pool()
{
    const std::lock_guard lock(poolMutex);
    if (!currentPool)
        currentPool = std::make_shared<Pool>(std::max(1, tbb::info::default_concurrency()));
    return currentPool;
}

} // namespace

void setThreadCount(int count)
{
    const std::lock_guard lock(poolMutex);
    currentPool.reset();
    const int threads = count > 0 ? std::min(count, 1024) : tbb::info::default_concurrency();
    currentPool = std::make_shared<Pool>(std::max(1, threads));
}

int threadCount()
{
    return pool()->threads;
}

void parallelFor(std::uint64_t count, std::uint64_t grain,
                 const std::function<void(std::uint64_t, std::uint64_t)>& body)
{
    if (count == 0)
        return;
    constexpr std::uint64_t kRanges = 256;
    const std::uint64_t length =
        grain != 0 ? grain : count / kRanges + (count % kRanges != 0 ? 1 : 0);
    const std::uint64_t ranges = count / length + (count % length != 0 ? 1 : 0);
    const auto range = [&](std::uint64_t index) {
        const std::uint64_t begin = index * length;
        body(begin, begin + std::min(length, count - begin));
    };
    const std::shared_ptr<Pool> threads = pool();
    if (ranges == 1 || threads->threads == 1) {
        for (std::uint64_t i = 0; i < ranges; ++i)
            range(i);
        return;
    }
    threads->arena.execute([&] {
        tbb::this_task_arena::isolate(
            [&] { tbb::parallel_for(std::uint64_t{0}, ranges, range, tbb::auto_partitioner()); });
    });
}

void joinThreads(const std::function<void()>& body)
{
    const std::shared_ptr<Pool> threads = pool();
    threads->arena.execute(body);
}

} // namespace floe::compute
