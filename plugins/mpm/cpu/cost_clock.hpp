#pragma once

#include <ctime>
#include <utility>

namespace floe::mpm {

/// Measures what blocks take one after the other, in this thread's processor time: others that run
/// on the same core do not count.
class CostClock {
public:
    /// Returns the time since the last call, or since the clock was made [s].
    float lap()
    {
        const double before = std::exchange(last_, now());
        return static_cast<float>(last_ - before);
    }

private:
    static double now()
    {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    }
    double last_ = now();
};

} // namespace floe::mpm
