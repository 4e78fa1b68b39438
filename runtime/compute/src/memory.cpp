#include "floe/compute/memory.hpp"

#include "control_group.hpp"
#include "floe/base/error.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace floe::compute {

namespace {

/// Before each block lies its size; one alignment unit long, so that the block stays aligned.
constexpr std::uint64_t kHeader = kHostAlignment;

/// How much is handed out between two questions to the system whether there is more: it promises
/// more than there is and kills who uses it. [bytes]
constexpr std::uint64_t kLarge = 16u << 20;
/// From here on large pages are asked for: fewer misses of the processor's translation buffers.
constexpr std::uint64_t kLargePage = 2u << 20;
/// Left free in a control group. [bytes]
constexpr std::uint64_t kReserve = 64u << 20;

std::atomic<std::uint64_t> used{0};
std::atomic<std::uint64_t> unasked{0}; ///< handed out since the system was asked
std::atomic<std::uint64_t> peak{0};
std::atomic<std::uint64_t> limit{0};

std::uint64_t machineMemory()
{
    const std::uint64_t bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return std::min(bytes, groupMemory().limit);
}

/// What the system and this process's control groups could still give without killing anyone
/// [bytes]; UINT64_MAX when unknown.
std::uint64_t availableMemory()
{
    std::ifstream file("/proc/meminfo");
    std::uint64_t kibibytes = 0;
    bool known = false;
    std::string name;
    for (std::uint64_t value = 0; file >> name >> value; file.ignore(256, '\n')) {
        if (name == "MemAvailable:" || name == "SwapFree:")
            kibibytes += value;
        known = known || name == "MemAvailable:";
    }
    // Libraries take memory too that nobody counts.
    const GroupMemory group = groupMemory();
    const std::uint64_t reserve = std::min(kReserve, group.limit / 16);
    const std::uint64_t granted = group.available - std::min(group.available, reserve);
    return std::min(known ? kibibytes << 10 : UINT64_MAX, granted);
}

std::string readable(std::uint64_t bytes)
{
    constexpr std::uint64_t kMiB = 1u << 20;
    return bytes < 10 * kMiB ? std::to_string(bytes >> 10) + " KiB"
                             : std::to_string(bytes >> 20) + " MiB";
}

} // namespace

std::uint64_t hostMemoryLimit()
{
    static const std::uint64_t machine = machineMemory();
    const std::uint64_t set = limit;
    return set == 0 ? machine : set;
}

void setHostMemoryLimit(std::uint64_t bytes)
{
    limit = bytes;
}

std::uint64_t hostBytes()
{
    return used;
}

std::uint64_t peakHostBytes()
{
    return peak;
}

void* allocateHost(std::uint64_t bytes)
{
    const std::uint64_t most = hostMemoryLimit();
    const std::uint64_t before = used.fetch_add(bytes);
    // Compared by subtraction: `bytes` may be anything up to 2^64 - 1.
    bool fits = bytes <= most && before <= most - bytes;
    std::uint64_t available = UINT64_MAX;
    if (fits && (bytes >= kLarge || unasked.fetch_add(bytes) + bytes >= kLarge)) {
        unasked = 0;
        available = availableMemory();
        fits = bytes <= available;
    }
    void* block = nullptr;
    if (fits) {
        const std::uint64_t alignment = bytes >= kLargePage ? kLargePage : kHostAlignment;
        const std::uint64_t rounded = (bytes + kHostAlignment) / kHostAlignment * kHostAlignment;
        if (::posix_memalign(&block, alignment, kHeader + rounded) != 0)
            block = nullptr;
        else if (bytes >= kLargePage)
            ::madvise(block, kHeader + rounded, MADV_HUGEPAGE); // a refusal costs speed only
    }
    if (!block) {
        used.fetch_sub(bytes);
        throw MemoryError(
            {}, "memory ran out: " + readable(bytes) + " asked for, " +
                    (bytes > available
                         ? "the machine or its control group has " + readable(available) + " left"
                         : readable(before) + " of " + readable(most) + " in use"));
    }
    std::uint64_t highest = peak;
    while (before + bytes > highest && !peak.compare_exchange_weak(highest, before + bytes)) {
    }
    *static_cast<std::uint64_t*>(block) = bytes;
    return static_cast<char*>(block) + kHeader;
}

void releaseHost(void* memory) noexcept
{
    if (!memory)
        return;
    void* block = static_cast<char*>(memory) - kHeader;
    used.fetch_sub(*static_cast<std::uint64_t*>(block));
    std::free(block);
}

} // namespace floe::compute
