#include "isolated_read.hpp"

#include "memory_file.hpp"

#include "floe/base/child_process.hpp"
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/regular_file.hpp"
#include "floe/compute/memory.hpp"
#include "floe/data/value_stream.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace floe::io {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kProgram = "floe_read_vdb";
constexpr std::size_t kLongestMessage = 4000;
constexpr int kTries = 2; ///< of a process that is killed from outside

/// Finds it beside the running program, or in the programs of a build.
fs::path readerProgram()
{
    const fs::path folder = programFolder();
    for (const fs::path& place : {folder / kProgram, folder / "../bin" / kProgram}) {
        std::error_code ignored;
        if (fs::exists(place, ignored))
            return place;
    }
    throw IoError({}, std::string("the program ") + kProgram + " is missing in " + folder.string(),
                  "install Floe again");
}

/// What a process has done and holds.
struct Usage {
    std::uint64_t ticks = 0; ///< of processor time
    std::uint64_t bytes = 0; ///< of its own memory

    explicit Usage(int process)
    {
        const std::string folder = "/proc/" + std::to_string(process);
        std::ifstream stat(folder + "/stat");
        std::string line;
        std::getline(stat, line);
        unsigned long long user = 0, system = 0;
        const std::size_t name = line.rfind(')'); // the name may hold anything
        if (name != std::string::npos &&
            std::sscanf(line.c_str() + name + 1,
                        " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user,
                        &system) == 2)
            ticks = user + system;
        std::ifstream memory(folder + "/statm");
        std::uint64_t total = 0, resident = 0, shared = 0;
        if (memory >> total >> resident >> shared)
            bytes = (resident - std::min(resident, shared)) *
                    static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    }
};

/// One process and what it gives back.
class Reading {
public:
    Reading(const fs::path& path, const std::vector<std::string>& command,
            const IsolatedReadSettings& settings, std::uint64_t fileBytes)
        : place_{.file = path.string()}, settings_(settings),
          // A damaged file may ask for any amount of memory; packed data does not grow that much.
          // The first part is for threads' stacks and pools, reserved but hardly used.
          addressSpace_((8ull << 30) + 200 * fileBytes), child_({.command = command,
                                                                 .output = value_.get(),
                                                                 .errors = message_.get(),
                                                                 .memory = addressSpace_})
    {}

    /// Waits for the end. @throws as readIsolated
    ChildEnd wait()
    {
        const Clock::time_point begin = Clock::now();
        Clock::time_point moved = begin;
        std::uint64_t ticks = 0, written = 0;
        while (!child_.hasEnded()) {
            if (settings_.cancelled && settings_.cancelled())
                throw CancelledError(place_, "cancelled");
            const Usage usage(child_.id());
            const std::uint64_t given = value_.bytes();
            count(usage.bytes + given);
            const Clock::time_point now = Clock::now();
            if (usage.ticks != ticks || given != written)
                moved = now;
            if (now - moved >= settings_.patience)
                throw IoError(place_,
                              "the process that reads it made no progress for " +
                                  std::to_string(settings_.patience.count()) + " s" +
                                  (child_.isStopped() ? " (stopped from outside)" : ""),
                              "see whether the disk answers, and run again");
            ticks = usage.ticks;
            written = given;
            std::this_thread::sleep_for(std::clamp<Clock::duration>(
                (now - begin) / 8, std::chrono::microseconds(500), std::chrono::milliseconds(20)));
        }
        const ChildEnd end = child_.wait();
        count(value_.bytes());
        return end;
    }

    /// Whether a process that ended so was kept from reading: by someone else, or before it had
    /// even begun, of which it writes a byte.
    bool wasPrevented(const ChildEnd& end) const
    {
        return end.fromOutside() || (end.signal != 0 && value_.bytes() == 0);
    }

    ValueRef value() const
    {
        std::ifstream stream(value_.path(), std::ios::binary);
        return readValue(stream);
    }

    /// Why there is no value.
    [[noreturn]] void fail(const ChildEnd& end) const
    {
        if (end.exitCode == 1 || end.exitCode == 2) { // it said why: cause and cure, a line each
            const std::string text = message_.text(kLongestMessage);
            const std::size_t line = text.find('\n');
            const std::string cause = text.substr(0, line),
                              cure = line == std::string::npos ? "" : text.substr(line + 1);
            struct rlimit limit {};
            if (end.exitCode == 2 && ::getrlimit(RLIMIT_AS, &limit) == 0 &&
                limit.rlim_cur < addressSpace_)
                throw MemoryError(place_,
                                  "the address space is limited to " +
                                      std::to_string(limit.rlim_cur >> 20) +
                                      " MiB, which does not suffice to read it",
                                  "raise the limit (ulimit -v)");
            throw IoError(place_, cause, cure);
        }
        if (wasPrevented(end))
            throw IoError(place_, "could not be read: the process that reads it " + end.describe(),
                          "run again, with more memory if it was that");
        throw IoError(place_, "is damaged: OpenVDB could not make sense of it");
    }

private:
    void count(std::uint64_t bytes)
    {
        try {
            claim_.resize(bytes);
        } catch (const MemoryError& error) {
            throw MemoryError(place_, "reading it takes too much: " + error.cause(),
                              "give the run more memory, or use a smaller file");
        }
    }

    Place place_;
    const IsolatedReadSettings& settings_;
    std::uint64_t addressSpace_;
    MemoryFile value_, message_;
    compute::HostClaim claim_;
    ChildProcess child_; // ends before what it writes into
};

} // namespace

ValueRef readIsolated(const fs::path& path, std::vector<std::string> arguments,
                      const IsolatedReadSettings& settings)
{
    const std::uint64_t fileBytes = openRegularFile(path).bytes;
    const fs::path program = settings.program.empty() ? readerProgram() : settings.program;
    arguments.insert(arguments.begin(), program.string());
    for (int i = 1;; ++i) {
        Reading reading(path, arguments, settings, fileBytes);
        const ChildEnd end = reading.wait();
        if (end.good())
            return reading.value();
        if (!reading.wasPrevented(end) || i == kTries)
            reading.fail(end);
    }
}

} // namespace floe::io
