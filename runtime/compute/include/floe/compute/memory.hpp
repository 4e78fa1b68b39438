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
/// @throws MemoryError the limit would be passed, or the system has no more: it is asked for each
/// block of 16 MiB or more, and now and then for smaller ones
void* allocateHost(std::uint64_t bytes);

/// Gives back memory of allocateHost; null is allowed.
void releaseHost(void* memory) noexcept;

/// Announces memory that does not come from allocateHost: the C++ library's, a driver's. It is not
/// counted in hostBytes(), but held against what the system has available, as above.
/// @return false: taking it would have this process killed
bool claimHost(std::uint64_t bytes) noexcept;

/// Makes the system count memory that is new, which it does when its pages are first written to.
/// Only where little is left; elsewhere that is better done by who uses it. Spoils the contents.
void takeHost(void* memory, std::uint64_t bytes) noexcept;

/// Bytes handed out by allocateHost and not yet given back.
std::uint64_t hostBytes();
/// The largest hostBytes() so far.
std::uint64_t peakHostBytes();

/// Limit on hostBytes(); 0 restores the default: the machine's memory, or the control group's where
/// that is less.
void setHostMemoryLimit(std::uint64_t bytes);
std::uint64_t hostMemoryLimit();
/// What can still be taken: of the limit, of the machine and of this process's control groups,
/// whichever has least. [bytes]
std::uint64_t hostMemoryLeft();

} // namespace floe::compute
