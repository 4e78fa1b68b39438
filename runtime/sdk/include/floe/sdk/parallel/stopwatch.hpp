/// Timing of the parts of a step, for statistics.
#pragma once

#include <chrono>

namespace floe::sdk::parallel {

/// Adds its lifetime to a sum [s], which must outlive it.
class Stopwatch {
public:
    explicit Stopwatch(double& sum) : sum_(sum) {}
    ~Stopwatch()
    {
        sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

private:
    double& sum_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace floe::sdk::parallel
