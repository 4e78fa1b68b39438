#include "floe/compute/memory.hpp"

#include "floe/base/error.hpp"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>

namespace floe::compute {

namespace {

/// Before each block lies its size; one alignment unit long, so that the block stays aligned.
constexpr std::uint64_t kHeader = kHostAlignment;

std::atomic<std::uint64_t> used{0};
std::atomic<std::uint64_t> peak{0};
std::atomic<std::uint64_t> limit{0};

std::uint64_t machineMemory()
{
    std::uint64_t bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                          static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    for (const char* path :
         {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::ifstream file(path);
        std::uint64_t group = 0; // "max" leaves it 0
        if (file >> group && group > 0 && group < bytes)
            bytes = group;
    }
    return bytes;
}

/// What the system could still give without killing anyone [bytes]; all there is when unknown.
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
    return known ? kibibytes << 10 : UINT64_MAX;
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
    // Linux promises more memory than there is and kills who uses it; ask first where it matters.
    constexpr std::uint64_t kLarge = 64u << 20;
    std::uint64_t available = UINT64_MAX;
    if (fits && bytes >= kLarge) {
        available = availableMemory();
        fits = bytes <= available;
    }
    void* block = nullptr;
    if (fits) {
        const std::uint64_t rounded = (bytes + kHostAlignment) / kHostAlignment * kHostAlignment;
        block = std::aligned_alloc(kHostAlignment, kHeader + rounded);
    }
    if (!block) {
        used.fetch_sub(bytes);
        throw MemoryError({}, "memory ran out: " + readable(bytes) + " asked for, " +
                                  (bytes > available
                                       ? "the system has " + readable(available) + " left"
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
