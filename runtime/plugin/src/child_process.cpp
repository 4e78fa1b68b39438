#include "floe/plugin/child_process.hpp"

#include "floe/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace floe::plugin {
namespace {

using Clock = std::chrono::steady_clock;

/// Set in every child: a child that starts children of its own could go on doing so for ever.
constexpr const char* kMark = "FLOE_CHILD_PROCESS";

[[noreturn]] void cannotStart(const std::string& program, int reason)
{
    throw PluginError({.file = program},
                      std::string("cannot be started: ") + std::strerror(reason));
}

/// A pipe whose reading end does not block; both ends close by themselves.
class Pipe {
public:
    Pipe()
    {
        if (::pipe2(ends_, O_CLOEXEC) != 0)
            cannotStart("a child process", errno);
        ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
        // The child's own copies are made on descriptors 0 to 3; keep the originals clear of them.
        for (int& end : ends_) {
            if (end > kReportDescriptor)
                continue;
            const int moved = ::fcntl(end, F_DUPFD_CLOEXEC, kReportDescriptor + 1);
            if (moved < 0)
                cannotStart("a child process", errno);
            ::close(end);
            end = moved;
        }
    }
    ~Pipe()
    {
        closeEnd(0);
        closeEnd(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    int reading() const { return ends_[0]; }
    int writing() const { return ends_[1]; }
    void closeWriting() { closeEnd(1); }

    /// Reads what is there; keeps at most `limit` bytes of it. A flood is left for the next call.
    void drainInto(std::string& text, std::size_t limit)
    {
        char buffer[1 << 14];
        for (int round = 0; round < 64 && ends_[0] >= 0; ++round) {
            const ssize_t count = ::read(ends_[0], buffer, sizeof buffer);
            if (count == 0) {
                closeEnd(0);
                return;
            }
            if (count < 0)
                return;
            const std::size_t room = limit - std::min(limit, text.size());
            text.append(buffer, std::min(room, static_cast<std::size_t>(count)));
        }
    }

private:
    void closeEnd(int which)
    {
        if (ends_[which] >= 0)
            ::close(ends_[which]);
        ends_[which] = -1;
    }
    int ends_[2] = {-1, -1};
};

/// posix_spawn's two attribute objects.
struct SpawnSettings {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    SpawnSettings()
    {
        posix_spawn_file_actions_init(&files);
        posix_spawnattr_init(&attributes);
    }
    ~SpawnSettings()
    {
        posix_spawn_file_actions_destroy(&files);
        posix_spawnattr_destroy(&attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
};

pid_t spawn(const std::vector<std::string>& command, const Pipe& report, const Pipe& output)
{
    SpawnSettings settings;
    posix_spawn_file_actions_addopen(&settings.files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&settings.files, output.writing(), 1);
    posix_spawn_file_actions_adddup2(&settings.files, output.writing(), 2);
    posix_spawn_file_actions_adddup2(&settings.files, report.writing(), kReportDescriptor);

    // Signals that this process blocks or ignores must work in the child.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&settings.attributes, &none);
    posix_spawnattr_setsigdefault(&settings.attributes, &all);
    posix_spawnattr_setpgroup(&settings.attributes, 0);
    posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                       POSIX_SPAWN_SETSIGDEF);

    std::vector<char*> arguments;
    for (const std::string& argument : command)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    std::string mark = std::string(kMark) + "=1";
    std::vector<char*> environment = {mark.data()};
    for (char** entry = environ; *entry; ++entry)
        environment.push_back(*entry);
    environment.push_back(nullptr);
    pid_t child = 0;
    const int failed = ::posix_spawn(&child, arguments[0], &settings.files, &settings.attributes,
                                     arguments.data(), environment.data());
    if (failed != 0)
        cannotStart(command[0], failed);
    return child;
}

/// Whether the child has ended; it stays a zombie, so that its number cannot be taken by another.
bool hasEnded(pid_t child)
{
    siginfo_t info{};
    const int result =
        ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
    return (result == 0 && info.si_pid == child) || (result != 0 && errno == ECHILD);
}

std::string lastPrintedLine(const std::string& output)
{
    constexpr std::size_t kLongest = 200;
    std::size_t end = output.size();
    while (end > 0) {
        const std::size_t begin = output.rfind('\n', end - 1);
        const std::size_t first = begin == std::string::npos ? 0 : begin + 1;
        std::string line;
        for (std::size_t i = first; i < end && line.size() < kLongest; ++i)
            line += static_cast<unsigned char>(output[i]) >= 32 ? output[i] : ' ';
        if (line.find_first_not_of(' ') != std::string::npos)
            return line;
        end = first == 0 ? 0 : first - 1;
    }
    return {};
}

} // namespace

ChildResult runChild(const std::vector<std::string>& command, const ChildLimits& limits)
{
    if (command.empty())
        cannotStart("a child process", EINVAL);
    if (std::getenv(kMark))
        throw PluginError({}, "a process that tries out a plugin must not try out others");
    Pipe report, output;
    const Clock::time_point start = Clock::now();
    const pid_t child = spawn(command, report, output);
    report.closeWriting();
    output.closeWriting();

    ChildResult result;
    // The end is asked for, not read from the pipes' closing: a process that the child left behind
    // may hold them open.
    const auto drain = [&] {
        report.drainInto(result.report, limits.bytes);
        output.drainInto(result.output, limits.bytes);
    };
    bool inTime = true;
    while (!hasEnded(child)) {
        if (Clock::now() - start >= limits.time) {
            inTime = false;
            break;
        }
        pollfd waits[] = {{report.reading(), POLLIN, 0}, {output.reading(), POLLIN, 0}};
        ::poll(waits, 2, 5);
        drain();
    }
    ::kill(-child, SIGKILL);
    ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    drain();

    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (!inTime) {
        result.end = ChildResult::End::timedOut;
    } else if (WIFSIGNALED(status)) {
        result.end = ChildResult::End::killed;
        result.signal = WTERMSIG(status);
    } else {
        result.exitCode = WEXITSTATUS(status);
    }
    return result;
}

std::string ChildResult::describe() const
{
    std::string text;
    switch (end) {
    case End::exited:
        text = "ended with exit code " + std::to_string(exitCode);
        break;
    case End::killed:
        text = "was ended by " + signalName(signal);
        break;
    case End::timedOut: {
        char number[32];
        std::snprintf(number, sizeof number, "%.3g", seconds);
        text = std::string("did not end within ") + number + " s";
        break;
    }
    }
    const std::string line = lastPrintedLine(output);
    if (!line.empty())
        text += "; it last printed: " + line;
    return text;
}

void enterChild()
{
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::fcntl(kReportDescriptor, F_SETFD, FD_CLOEXEC); // what it starts has no business there
}

void reportLine(const std::string& line) noexcept
{
    constexpr std::size_t kLongest = 4096; // a line is written whole or, at worst, in one go
    char buffer[kLongest];
    std::size_t size = std::min(line.size(), kLongest - 1);
    for (std::size_t i = 0; i < size; ++i)
        buffer[i] = line[i] == '\n' || line[i] == '\r' ? ' ' : line[i];
    buffer[size++] = '\n';
    std::size_t written = 0;
    while (written < size) {
        const ssize_t count = ::write(kReportDescriptor, buffer + written, size - written);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return;
        written += static_cast<std::size_t>(count);
    }
}

std::string signalName(int signal)
{
    const char* abbreviation = ::sigabbrev_np(signal);
    std::string name =
        abbreviation ? std::string("SIG") + abbreviation : "signal " + std::to_string(signal);
    switch (signal) {
    case SIGSEGV:
        return name + " (invalid memory access)";
    case SIGBUS:
        return name + " (invalid memory access)";
    case SIGFPE:
        return name + " (invalid arithmetic)";
    case SIGILL:
        return name + " (instruction this processor does not have)";
    case SIGABRT:
        return name + " (it gave up by itself)";
    case SIGKILL:
        return name + " (stopped from outside, perhaps for want of memory)";
    default:
        return name;
    }
}

} // namespace floe::plugin
