#include "floe/compute/memory.hpp"

#include "control_group.hpp"
#include "floe/base/error.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace floe::compute {

namespace {

/// The size of each block is stored before it; one alignment unit long, so the block stays aligned.
constexpr std::uint64_t kHeader = kHostAlignment;

/// The system overcommits memory and kills processes that use it, so the available memory is
/// checked: for each block of this size, and after so much in smaller ones, or a 64th of the last
/// result if that is more [bytes].
constexpr std::uint64_t kLarge = 16u << 20;
/// Amount a thread may take through claimHost before it is added to the total [bytes].
constexpr std::uint64_t kBatch = 64u << 10;
/// From this size on large pages are requested: fewer misses of the translation buffers.
constexpr std::uint64_t kLargePage = 2u << 20;
/// With less left than this, or than 16 times a block, pages are committed on allocation: the
/// system counts them only then, and might promise the same memory twice.
constexpr std::uint64_t kScarce = 2ull << 30;
constexpr std::uint64_t kPage = 4096;
/// Left free in a control group. [bytes]
constexpr std::uint64_t kReserve = 64u << 20;

std::atomic<std::uint64_t> used{0};
std::atomic<std::uint64_t> unasked{0};           ///< allocated since the last check
std::atomic<std::uint64_t> patience{kLarge};     ///< how much that may become
std::atomic<std::uint64_t> lastLeft{UINT64_MAX}; ///< result of the last check
std::atomic<std::uint64_t> peak{0};
std::atomic<std::uint64_t> limit{0};

std::filesystem::path& systemRoot()
{
    static std::filesystem::path root = "/";
    return root;
}

std::uint64_t machineMemory()
{
    const std::uint64_t bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return std::min(bytes, groupMemory().limit);
}

/// Returns what the system and this process's control groups can still provide without killing a
/// process [bytes]; UINT64_MAX when unknown.
std::uint64_t availableMemory()
{
    std::ifstream file(systemRoot() / "proc/meminfo");
    std::uint64_t kibibytes = 0;
    bool known = false;
    std::string name;
    for (std::uint64_t value = 0; file >> name >> value; file.ignore(256, '\n')) {
        if (name == "MemAvailable:" || name == "SwapFree:")
            kibibytes += value;
        known = known || name == "MemAvailable:";
    }
    // Libraries take memory too, which is not counted.
    const GroupMemory group = groupMemory(systemRoot());
    const std::uint64_t reserve = std::min(kReserve, group.limit / 16);
    const std::uint64_t granted = group.available - std::min(group.available, reserve);
    return std::min(known ? kibibytes << 10 : UINT64_MAX, granted);
}

/// @return the system's available memory if less than `bytes`; UINT64_MAX: enough, or unchecked
std::uint64_t shortage(std::uint64_t bytes)
{
    if (bytes < kLarge && unasked.fetch_add(bytes) + bytes < patience)
        return UINT64_MAX;
    thread_local bool asking = false; // the check takes memory, too
    if (asking)
        return UINT64_MAX;
    asking = true;
    const struct End {
        ~End() { asking = false; }
    } end;
    unasked = 0;
    std::uint64_t available = availableMemory();
    if (bytes > available) {
        ::malloc_trim(0); // memory returned to the C library may lie idle there
        available = availableMemory();
    }
    patience = std::max(kLarge, available / 64);
    lastLeft = available;
    return bytes > available ? available : UINT64_MAX;
}

std::string readable(std::uint64_t bytes)
{
    constexpr std::uint64_t kMiB = 1u << 20;
    return bytes < 10 * kMiB ? std::to_string(bytes >> 10) + " KiB"
                             : std::to_string(bytes >> 20) + " MiB";
}

} // namespace

void readSystemFrom(const std::filesystem::path& root)
{
    systemRoot() = root;
    patience = 0;
    lastLeft = UINT64_MAX;
}

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

std::uint64_t hostMemoryLeft()
{
    const std::uint64_t most = hostMemoryLimit();
    return std::min(most - std::min(most, used.load()), availableMemory());
}

std::uint64_t addressSpaceLeft()
{
    struct rlimit given {};
    if (::getrlimit(RLIMIT_AS, &given) != 0 || given.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const std::uint64_t taken = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return given.rlim_cur - std::min<std::uint64_t>(given.rlim_cur, taken);
}

bool claimHost(std::uint64_t bytes) noexcept
{
    thread_local std::uint64_t claimed = 0;
    claimed += bytes;
    if (claimed < kBatch)
        return true;
    try {
        return shortage(std::exchange(claimed, 0)) == UINT64_MAX;
    } catch (...) { // the system's files could not be read
        return true;
    }
}

void takeHost(void* memory, std::uint64_t bytes) noexcept
{
    const std::uint64_t left = lastLeft;
    if (left >= kScarce && bytes <= left / 16)
        return;
    auto* pages = static_cast<volatile char*>(memory);
    for (std::uint64_t at = 0; at < bytes; at += kPage)
        pages[at] = 0;
}

namespace {

/// Adds to what is in use.
/// @throws MemoryError the limit would be passed, or the system has no more
void count(std::uint64_t bytes)
{
    const std::uint64_t most = hostMemoryLimit();
    const std::uint64_t before = used.fetch_add(bytes);
    // Compared by subtraction: `bytes` may be anything up to 2^64 - 1.
    const bool fits = bytes <= most && before <= most - bytes;
    const std::uint64_t available = fits ? shortage(bytes) : UINT64_MAX;
    if (!fits || available != UINT64_MAX) {
        used.fetch_sub(bytes);
        throw MemoryError(
            {}, "memory ran out: " + readable(bytes) + " asked for, " +
                    (available != UINT64_MAX
                         ? "the machine or its control group has " + readable(available) + " left"
                         : readable(before) + " of " + readable(most) + " in use"));
    }
    std::uint64_t highest = peak;
    while (before + bytes > highest && !peak.compare_exchange_weak(highest, before + bytes)) {
    }
}

} // namespace

void* allocateHost(std::uint64_t bytes)
{
    count(bytes);
    const std::uint64_t alignment = bytes >= kLargePage ? kLargePage : kHostAlignment;
    const std::uint64_t rounded = (bytes + kHostAlignment) / kHostAlignment * kHostAlignment;
    void* block = nullptr;
    if (::posix_memalign(&block, alignment, kHeader + rounded) != 0) {
        used.fetch_sub(bytes);
        throw MemoryError({}, "memory ran out: " + readable(bytes) +
                                  " asked for, and the address space has no room for it");
    }
    if (bytes >= kLargePage)
        ::madvise(block, kHeader + rounded, MADV_HUGEPAGE); // a refusal costs speed only
    takeHost(block, kHeader + bytes);
    *static_cast<std::uint64_t*>(block) = bytes;
    return static_cast<char*>(block) + kHeader;
}

HostClaim::~HostClaim()
{
    used.fetch_sub(bytes_);
}

void HostClaim::resize(std::uint64_t bytes)
{
    if (bytes > bytes_)
        count(bytes - bytes_);
    else
        used.fetch_sub(bytes_ - bytes);
    bytes_ = bytes;
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
