#pragma once

/// How the solver's host code launches kernels on its device_.

#include "matter.cuh"

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

inline std::uint32_t blocksFor(std::size_t count)
{
    return static_cast<std::uint32_t>((count + kThreads - 1) / kThreads);
}

/// A launch with a thread for each of `count`, unless there are none.
#define FLOE_PBD_LAUNCH(kernel, count, ...)                                                        \
    do {                                                                                           \
        if ((count) > 0) {                                                                         \
            FLOE_LAUNCH(kernel, blocksFor(count), kThreads, 0, device_.stream(), __VA_ARGS__);     \
            device_.checkLaunch(#kernel);                                                          \
        }                                                                                          \
    } while (false)
/// The same with a block for each.
#define FLOE_PBD_LAUNCH_BLOCKS(kernel, count, ...)                                                 \
    do {                                                                                           \
        if ((count) > 0) {                                                                         \
            FLOE_LAUNCH(kernel, static_cast<std::uint32_t>(count), kThreads, 0, device_.stream(),  \
                        __VA_ARGS__);                                                              \
            device_.checkLaunch(#kernel);                                                          \
        }                                                                                          \
    } while (false)

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
