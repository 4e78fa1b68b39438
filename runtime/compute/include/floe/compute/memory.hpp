#pragma once

#include <cstddef>
#include <cstdint>

namespace floe::compute {

/// Every large block of host memory (attributes, meshes, grids, pixels) comes from here, so that a
/// run that grows too large ends with a message instead of being killed by the system.
/// All functions may be called from any thread.

/// Alignment of host memory [bytes]: a cache line, and the widest SIMD load.
inline constexpr std::size_t kHostAlignment = 64;

/// Uninitialised memory, aligned to kHostAlignment; never null, also for 0 bytes.
/// @throws MemoryError the limit would be passed, or the system has no more: every 16 MiB are held
/// against what it has available at the time
void* allocateHost(std::uint64_t bytes);

/// Gives back memory of allocateHost; null is allowed.
void releaseHost(void* memory) noexcept;

/// Bytes handed out by allocateHost and not yet given back.
std::uint64_t hostBytes();
/// The largest hostBytes() so far.
std::uint64_t peakHostBytes();

/// Limit on hostBytes(); 0 restores the default: the machine's memory, or the control group's where
/// that is less.
void setHostMemoryLimit(std::uint64_t bytes);
std::uint64_t hostMemoryLimit();

} // namespace floe::compute
