#include "standard_output.hpp"

#include "supervisor.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace floe::app {

namespace {

constexpr int kHigh = 1000; ///< the usual limit is 1024

constexpr int kNothing = -1;
std::atomic<int> lostBecause{kNothing}; ///< errno of the first failure; 0: not known

void remember(int reason)
{
    int nothing = kNothing;
    if (reason != EPIPE)
        lostBecause.compare_exchange_strong(nothing, reason);
}

} // namespace

std::FILE* copyOf(std::FILE* file)
{
    int copy = ::fcntl(::fileno(file), F_DUPFD_CLOEXEC, kHigh);
    if (copy < 0)
        copy = ::fcntl(::fileno(file), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return copy < 0 ? nullptr : ::fdopen(copy, "w");
}

void moveOutput()
{
    if (std::FILE* moved = copyOf(stdout))
        stdout = moved;
    if (std::FILE* moved = copyOf(stderr)) {
        std::setvbuf(moved, nullptr, _IONBF, 0);
        stderr = moved;
    }
}

void sayError(const std::string& text)
{
    if (std::fprintf(stderr, "error: %s\n", text.c_str()) < 0)
        noteUnsaid(text);
    std::clearerr(stderr);
}

bool flushOutput(std::FILE* file)
{
    errno = 0;
    const bool arrived = std::fflush(file) == 0 && !std::ferror(file);
    if (!arrived)
        remember(errno);
    std::clearerr(file);
    return arrived;
}

void closeOutput(std::FILE* file)
{
    flushOutput(file);
    if (std::fclose(file) != 0)
        remember(errno);
}

void finishOutput()
{
    flushOutput();
    if (lostBecause == kNothing)
        return;
    errno = lostBecause;
    throw cannotWrite("standard output");
}

} // namespace floe::app
