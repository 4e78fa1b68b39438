#include "standard_output.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"

#include <atomic>
#include <cerrno>

namespace floe::app {

namespace {

constexpr int kNothing = -1;
std::atomic<int> lostBecause{kNothing}; ///< errno of the first failure; 0: not known

void remember(int reason)
{
    int nothing = kNothing;
    if (reason != EPIPE)
        lostBecause.compare_exchange_strong(nothing, reason);
}

} // namespace

void flushOutput(std::FILE* file)
{
    errno = 0;
    if (std::fflush(file) != 0 || std::ferror(file))
        remember(errno);
    std::clearerr(file);
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
