#pragma once

#include <cstdint>
#include <functional>

namespace floe::compute {

/// Sets the number of threads that parallelFor uses; 0 restores the default, the machine's number
/// of cores. Call it while nothing runs.
void setThreadCount(int count);
int threadCount();

/// Calls body(begin, end) over disjoint ranges that cover [0, count), on several threads, and
/// returns when all are done.
///
/// Ranges start at multiples of their length and depend on `count` and `grain` alone, never on the
/// number of threads: sums kept per range and added in order are the same on every machine. Calls
/// may be nested. A waiting thread works only on ranges of its own call.
/// @param grain  longest range; 0 lets Floe choose (at most 256 ranges)
/// @throws what `body` throws (the first); remaining ranges may then be left out
void parallelFor(std::uint64_t count, std::uint64_t grain,
                 const std::function<void(std::uint64_t begin, std::uint64_t end)>& body);

/// Calls `body` as one of parallelFor's threads: while it waits for its (TBB) tasks, it takes part
/// in the loops of these tasks. @throws what `body` throws
void joinThreads(const std::function<void()>& body);

} // namespace floe::compute
