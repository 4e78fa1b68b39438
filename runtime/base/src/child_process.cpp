#include "floe/base/child_process.hpp"

#include "floe/base/descriptor.hpp"
#include "floe/base/error.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace floe {
namespace {

/// Signals by which the system ends a process that did something wrong.
constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};

using Clock = std::chrono::steady_clock;

[[noreturn]] void cannotStart(const std::string& program, int reason)
{
    throw IoError({.file = program}, std::string("cannot be started: ") + std::strerror(reason));
}

struct Pipe {
    Descriptor reading, writing;
};

Pipe makePipe(const std::string& program)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        cannotStart(program, errno);
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// All that the child needs before it becomes another program.
struct Start {
    char* const* arguments;
    char* const* environment;
    std::array<int, 4> streams; ///< become 0 to 3
    int failure;                ///< pipe for the reason why it could not be started
    std::uint64_t memory;
    pid_t parent;
};

/// Between vfork and exec. The memory is the parent's, where other threads may hold any lock: only
/// system calls are allowed.
[[noreturn]] void becomeProgram(const Start& start) noexcept
{
    constexpr int kFailure = kReportDescriptor + 1;
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != start.parent) // it ended before it could be said that the child ends with it
        ::_exit(EXIT_FAILURE);

    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they reserve terabytes
    if (start.memory > 0) {
        const rlimit memory{start.memory, start.memory};
        ::setrlimit(RLIMIT_AS, &memory);
    }
#endif

    // First all of them to numbers above those they will have, so that none overwrites another.
    std::array<int, 4> streams{};
    const int failure = ::fcntl(start.failure, F_DUPFD_CLOEXEC, kFailure + 1);
    bool good = failure >= 0;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const int source =
            start.streams[i] >= 0 ? start.streams[i] : ::open("/dev/null", O_RDWR | O_CLOEXEC);
        streams[i] = ::fcntl(source, F_DUPFD_CLOEXEC, kFailure + 1);
        good = good && streams[i] >= 0;
    }
    good = good && ::dup3(failure, kFailure, O_CLOEXEC) >= 0;
    for (std::size_t i = 0; i < streams.size(); ++i)
        good = good && ::dup2(streams[i], static_cast<int>(i)) >= 0;

    if (good) {
        if (start.streams[kReportDescriptor] < 0)
            ::close(kReportDescriptor);
        ::closefrom(kFailure + 1);
        struct sigaction byDefault {};
        byDefault.sa_handler = SIG_DFL;
        for (int signal = 1; signal < NSIG; ++signal)
            ::sigaction(signal, &byDefault, nullptr);
        sigset_t empty;
        sigemptyset(&empty);
        ::sigprocmask(SIG_SETMASK, &empty, nullptr);
        ::execve(start.arguments[0], start.arguments, start.environment);
    }
    const int reason = errno;
    [[maybe_unused]] const ssize_t told =
        ::write(good ? kFailure : start.failure, &reason, sizeof reason);
    ::_exit(EXIT_FAILURE);
}

/// vfork copies no page tables: with the memory of a simulation, fork takes long or is refused. The
/// calling thread waits until the child is another program.
pid_t launch(const Start& start) noexcept
{
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before); // no handler of this process runs in the child
    const pid_t child = ::vfork();
    if (child == 0)
        becomeProgram(start);
    const int reason = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = reason;
    return child;
}

std::vector<char*> pointersTo(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    return pointers;
}

/// "SIGSEGV (invalid memory access)".
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

/// What comes out of a pipe, without ever waiting for more.
class Listener {
public:
    Listener(Descriptor pipe, std::string& text, std::size_t limit)
        : pipe_(std::move(pipe)), text_(text), limit_(limit)
    {
        ::fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
    }
    int descriptor() const { return pipe_.get(); } ///< negative: nothing will come any more

    /// Reads what is there; keeps what is within the limit. A flood is left for the next call.
    void drain()
    {
        char buffer[1 << 14];
        for (int round = 0; round < 64 && pipe_.valid(); ++round) {
            const ssize_t count = ::read(pipe_.get(), buffer, sizeof buffer);
            if (count < 0)
                return;
            if (count == 0)
                pipe_.close();
            const std::size_t room = limit_ - std::min(limit_, text_.size());
            text_.append(buffer, std::min(room, static_cast<std::size_t>(count)));
        }
    }

private:
    Descriptor pipe_;
    std::string& text_;
    std::size_t limit_;
};

} // namespace

ChildProcess::ChildProcess(const ChildSettings& settings)
{
    std::vector<std::string> command = settings.command, added = settings.environment;
    if (command.empty())
        cannotStart("a child process", EINVAL);
    std::vector<char*> arguments = pointersTo(command), environment = pointersTo(added);
    arguments.push_back(nullptr);
    for (char** entry = environ; *entry; ++entry)
        environment.push_back(*entry);
    environment.push_back(nullptr);

    Pipe failure = makePipe(command[0]);
    process_ =
        launch({.arguments = arguments.data(),
                .environment = environment.data(),
                .streams = {settings.input, settings.output, settings.errors, settings.report},
                .failure = failure.writing.get(),
                .memory = settings.memory,
                .parent = ::getpid()});
    if (process_ < 0)
        cannotStart(command[0], errno);
    failure.writing.close();
    int reason = 0;
    ssize_t count = 0;
    while ((count = ::read(failure.reading.get(), &reason, sizeof reason)) < 0 && errno == EINTR)
        continue;
    if (count > 0) {
        wait();
        cannotStart(command[0], reason);
    }
}

ChildProcess::~ChildProcess()
{
    kill();
    wait();
}

bool ChildProcess::hasEnded() const
{
    if (end_)
        return true;
    // It stays a zombie, so that its number cannot be taken by another.
    siginfo_t info{};
    const int result =
        ::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT);
    return (result == 0 && info.si_pid == process_) || (result != 0 && errno == ECHILD);
}

bool ChildProcess::isStopped() const
{
    if (end_)
        return false;
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(process_), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == process_;
}

void ChildProcess::terminate()
{
    if (!end_)
        ::kill(process_, SIGTERM);
}

void ChildProcess::kill()
{
    if (!end_)
        ::kill(-process_, SIGKILL);
}

ChildEnd ChildProcess::wait()
{
    if (end_)
        return *end_;
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR)
        continue;
    kill();
    int status = 0;
    pid_t known = 0;
    while ((known = ::waitpid(process_, &status, 0)) < 0 && errno == EINTR)
        continue;
    if (known < 0) // where SIGCHLD is ignored, nobody learns how a child ended
        end_ = ChildEnd{.exitCode = EXIT_FAILURE};
    else if (WIFSIGNALED(status))
        end_ = ChildEnd{.signal = WTERMSIG(status)};
    else
        end_ = ChildEnd{.exitCode = WEXITSTATUS(status)};
    return *end_;
}

namespace {

/// Of all threads of a process together.
struct ProcessorTime {
    Clock::duration used{0}, waited{0}; ///< on processors; for one
};

ProcessorTime processorTime(int process)
{
    std::chrono::nanoseconds used{0}, waited{0};
    std::error_code gone;
    const std::filesystem::path threads = "/proc/" + std::to_string(process) + "/task";
    for (std::filesystem::directory_iterator thread(threads, gone), end; !gone && thread != end;
         thread.increment(gone)) {
        std::int64_t ran = 0, stood = 0; // [ns]
        std::ifstream file(thread->path() / "schedstat");
        if (file >> ran >> stood) {
            used += std::chrono::nanoseconds(ran);
            waited += std::chrono::nanoseconds(stood);
        }
    }
    return {used, waited};
}

/// How long a child process may still take.
class Deadline {
public:
    explicit Deadline(std::chrono::milliseconds time) : time_(time) {}

    /// Looks at what the child waited for only when it makes a difference.
    bool isOver(const ChildProcess& child)
    {
        const Clock::duration passed = Clock::now() - start_;
        if (passed < time_ + waited_)
            return false;
        const ProcessorTime spent = processorTime(child.id());
        waited_ = std::max(waited_, spent.waited);
        // Threads that are in each other's way wait too, but use all processors.
        return spent.used >= time_ * std::max(1u, std::thread::hardware_concurrency()) ||
               passed >= time_ + std::min<Clock::duration>(waited_, time_ * kMaxWaiting);
    }
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

private:
    static constexpr int kMaxWaiting = 9; ///< times the limit
    const Clock::time_point start_ = Clock::now();
    const std::chrono::milliseconds time_;
    Clock::duration waited_{0};
};

} // namespace

ChildResult runChild(std::vector<std::string> command, const ChildLimits& limits,
                     std::vector<std::string> environment)
{
    const std::string program = command.empty() ? "" : command[0];
    Pipe report = makePipe(program), output = makePipe(program);
    Deadline deadline(limits.time);
    ChildProcess child({.command = std::move(command),
                        .environment = std::move(environment),
                        .output = output.writing.get(),
                        .errors = output.writing.get(),
                        .report = report.writing.get()});
    report.writing.close();
    output.writing.close();

    ChildResult result;
    Listener reported(std::move(report.reading), result.report, limits.bytes);
    Listener printed(std::move(output.reading), result.output, limits.bytes);
    // The end is asked for, not read from the pipes' closing: a process that the child left behind
    // may hold them open.
    while (!child.hasEnded()) {
        if (deadline.isOver(child)) {
            result.inTime = false;
            result.stopped = child.isStopped();
            child.kill();
            break;
        }
        pollfd waits[] = {{reported.descriptor(), POLLIN, 0}, {printed.descriptor(), POLLIN, 0}};
        ::poll(waits, 2, 5);
        reported.drain();
        printed.drain();
    }
    result.end = child.wait();
    reported.drain();
    printed.drain();
    result.seconds = deadline.seconds();
    return result;
}

bool ChildEnd::fromOutside() const
{
    switch (signal) {
    case 0: // it exited by itself
    case SIGPIPE:
    case SIGXFSZ: // what it wrote was not taken
        return false;
    default:
        return std::ranges::find(kCrashes, signal) == std::end(kCrashes);
    }
}

void endAsKilledFromOutside()
{
    struct sigaction action {};
    action.sa_sigaction = [](int signal, siginfo_t* about, void*) {
        if (about->si_code <= 0 && about->si_pid != ::getpid()) // sent by another process
            ::kill(::getpid(), SIGKILL);
        std::signal(signal, SIG_DFL);
        ::raise(signal);
    };
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    for (const int signal : kCrashes)
        ::sigaction(signal, &action, nullptr);
}

std::string ChildEnd::describe() const
{
    return signal != 0 ? "was ended by " + signalName(signal)
                       : "ended with exit code " + std::to_string(exitCode);
}

std::string ChildResult::describe() const
{
    std::string text;
    if (!inTime) {
        char number[32];
        std::snprintf(number, sizeof number, "%.3g", seconds);
        text = std::string("did not end within ") + number + " s";
        if (stopped)
            text += " (stopped from outside)";
    } else {
        text = end.describe();
    }
    const std::string line = lastPrintedLine(output);
    if (!line.empty())
        text += "; it last printed: " + line;
    return text;
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

namespace {
std::atomic<int> known{0};
}

int publicProcess()
{
    const int process = known;
    return process != 0 ? process : ::getpid();
}

void setPublicProcess(int process)
{
    known = process;
}

std::filesystem::path findProgram(const std::string& name)
{
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::filesystem::path program = std::filesystem::path(folder) / name;
        if (::access(program.c_str(), X_OK) == 0)
            return program;
    }
    return {};
}

} // namespace floe
