#pragma once

#include <cstddef>
#include <cstdint>

namespace floe::compute {

/// Allocates every large block of host memory (attributes, meshes, grids, pixels), so that a run
/// that grows too large ends with a message instead of being killed by the system. All functions
/// may be called from any thread.

/// Alignment of host memory [bytes]: a cache line, and the widest SIMD load.
inline constexpr std::size_t kHostAlignment = 64;

/// Returns uninitialised memory, aligned to kHostAlignment; never null, even for 0 bytes.
/// @throws MemoryError beyond the limit or the system's memory, checked for each block of 16 MiB or
/// more, and periodically for smaller ones
void* allocateHost(std::uint64_t bytes);

/// Frees memory of allocateHost; null is allowed.
void releaseHost(void* memory) noexcept;

/// Announces memory that does not come from allocateHost: the C++ library's, a driver's. It is not
/// counted in hostBytes(), but checked against the system's available memory, as above.
/// @return false: allocating it would get this process killed
bool claimHost(std::uint64_t bytes) noexcept;

/// Makes the system commit new memory now rather than on the first write; overwrites the contents.
/// Only where little is left; elsewhere the user of the memory does it better.
void takeHost(void* memory, std::uint64_t bytes) noexcept;

/// Counts memory allocated elsewhere, such as a parser's or a child process's, as if by
/// allocateHost. Used by one thread at a time.
class HostClaim {
public:
    HostClaim() = default;
    /// @throws MemoryError like allocateHost
    explicit HostClaim(std::uint64_t bytes) { resize(bytes); }
    ~HostClaim();
    HostClaim(const HostClaim&) = delete;
    HostClaim& operator=(const HostClaim&) = delete;
    /// @throws MemoryError like allocateHost; the claim is then unchanged
    void resize(std::uint64_t bytes);

private:
    std::uint64_t bytes_ = 0;
};

/// Returns the bytes allocated by allocateHost and not yet released.
std::uint64_t hostBytes();
/// Returns the peak of hostBytes().
std::uint64_t peakHostBytes();

/// Sets the limit of hostBytes(); 0 restores the default: the machine's memory, or the control
/// group's if that is less.
void setHostMemoryLimit(std::uint64_t bytes);
std::uint64_t hostMemoryLimit();
/// Returns the available memory [bytes]: minimum of the limit, the machine and control groups.
std::uint64_t hostMemoryLeft();
/// What a limit on the address space (ulimit -v, a queue's h_vmem) leaves; UINT64_MAX where there
/// is none. [bytes]
std::uint64_t addressSpaceLeft();

} // namespace floe::compute
