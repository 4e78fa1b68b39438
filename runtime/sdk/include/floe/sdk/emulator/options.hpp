#pragma once

#include "floe/sdk/emulator/watch.hpp"

#include <cstddef>
#include <cstdint>

namespace floe::emulator {

/// How kernels are run; one per launching thread.
struct Options {
    std::uint64_t seed = 0; ///< 0: in order; otherwise the order of threads and blocks is shuffled
    std::size_t stackBytes = 256 * 1024; ///< per CUDA thread; committed only when touched
    unsigned spinLimit = 100'000;        ///< rounds of yields without progress before a fault
    Watch* watch = nullptr;              ///< or null
};

inline Options& options()
{
    static thread_local Options instance;
    return instance;
}

} // namespace floe::emulator
