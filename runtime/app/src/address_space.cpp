// A limit on the address space (ulimit -v, a queue's h_vmem) may be so low that libraries abort
// while they are loaded. This runs before they start.
#include "exit_code.hpp"

#include <sys/resource.h>
#include <unistd.h>

namespace floe::app {
namespace {

/// For loading the program and starting its threads, nothing more. [bytes]
constexpr rlim_t kMinimum = rlim_t{192} << 20;

void checkAddressSpace()
{
    struct rlimit limit {};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 ||
        limit.rlim_cur >= kMinimum) // no limit is the largest
        return;
    static constexpr char kText[] =
        "error: the address space is limited to less than 192 MiB, and floe needs that much to "
        "start; raise the limit (ulimit -v)\n";
    if (::write(STDERR_FILENO, kText, sizeof kText - 1) < 0) {
        // nobody listens
    }
    ::_exit(kMemory);
}

[[gnu::used, gnu::section(".preinit_array")]] void (*const beforeLibraries)() = checkAddressSpace;

} // namespace
} // namespace floe::app
