#include "supervisor.hpp"

#include "ending_signals.hpp"
#include "exit_code.hpp"

#include "floe/base/child_process.hpp"
#include "floe/base/descriptor.hpp"
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/json.hpp"
#include "floe/plugin/call_site.hpp"
#include "floe/ranks/ranks.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace floe::app {
namespace {

using Clock = std::chrono::steady_clock;
using plugin::CallSite;

constexpr std::chrono::milliseconds kPatience{1000};   ///< before it is said what is waited for
constexpr std::chrono::milliseconds kLastMoment{8000}; ///< then the command is killed
constexpr unsigned kFarewell = 3'000'000; ///< for the other ranks to end by themselves [us]
/// Two signals nearer than this are one: some programs send theirs to the process and its group.
constexpr std::chrono::milliseconds kOneSignal{100};

/// What the command tells its supervisor.
struct Shared {
    static constexpr int kUnknown = -1;
    std::atomic<bool> report{false};
    std::atomic<int> code{kUnknown};
    std::atomic<unsigned> unsaid{0}; ///< texts; the first one is kept
    std::atomic<bool> kept{false};
    char text[1024]; ///< with a null at the end
};

Shared* shared = nullptr;
bool inChild = false;

/// In the shared memory: Shared, and from kCalls on what plugin::callBytes() says.
constexpr std::size_t kCalls = 2048;
static_assert(sizeof(Shared) <= kCalls);
const std::size_t kBytes = kCalls + plugin::callBytes();

/// "DESCRIPTOR PARENT" for the child: the memory, and who has started it.
constexpr const char* kVariable = "FLOE_SUPERVISED";

std::byte* map(int descriptor)
{
    void* memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

/// Whether this process was started by start(); then it is supervised from now on.
bool join()
{
    const char* value = std::getenv(kVariable);
    if (!value)
        return false;
    int descriptor = -1, parent = 0;
    const bool told = std::sscanf(value, "%d %d", &descriptor, &parent) == 2;
    ::unsetenv(kVariable); // not for what this process starts
    struct stat info {};
    if (!told || parent != ::getppid() || ::fstat(descriptor, &info) != 0 ||
        info.st_size != static_cast<off_t>(kBytes))
        return true; // not ours: without a supervisor
    std::byte* const memory = map(descriptor);
    ::close(descriptor);
    if (!memory)
        return true;
    inChild = true;
    shared = reinterpret_cast<Shared*>(memory);
    plugin::joinCalls(memory + kCalls);
    setPublicProcess(parent);
    plugin::watchCalls();
    return true;
}

/// This program once more.
/// @param mask  of signals that it blocks
pid_t start(char* const* arguments, int memory, const sigset_t& mask)
{
    const pid_t parent = ::getpid();
    std::string own(4096, '\0');
    const ssize_t length = ::readlink("/proc/self/exe", own.data(), own.size());
    own.resize(length > 0 && static_cast<std::size_t>(length) < own.size()
                   ? static_cast<std::size_t>(length)
                   : 0);
    const std::string variable =
        std::string(kVariable) + "=" + std::to_string(memory) + " " + std::to_string(parent);
    std::vector<char*> environment;
    for (char** entry = environ; *entry; ++entry)
        environment.push_back(*entry);
    environment.push_back(const_cast<char*>(variable.c_str()));
    environment.push_back(nullptr);
    const pid_t child = ::fork();
    if (child < 0)
        throw IoError({}, "no process can be started for the command",
                      "raise the limit of processes (ulimit -u)");
    if (child > 0)
        return child;
    // Other threads may have held locks: nothing but system calls from here on.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() == parent) { // else it ended before it could be said that the child ends too
        ::sigprocmask(SIG_SETMASK, &mask, nullptr);
        ::fcntl(memory, F_SETFD, 0);
        ::execve(own.c_str(), arguments, environment.data());
        ::execve("/proc/self/exe", arguments, environment.data()); // the file was replaced
    }
    ::_exit(kOther);
}

bool underDebugger()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("TracerPid:"))
            return std::atoi(line.c_str() + sizeof "TracerPid:" - 1) != 0;
    return false;
}

/// "node 'a' (plugin studio.waves) in cook at frame 3"
std::string placeOf(const CallSite& site)
{
    std::string text = site.node[0]
                           ? "node '" + std::string(site.node) + "' (plugin " + site.plugin + ")"
                           : "plugin " + std::string(site.plugin);
    text += " in " + std::string(site.call);
    if (std::isfinite(site.frame))
        text += " at frame " + std::to_string(std::lround(site.frame));
    return text;
}

std::string placesOf(const std::vector<CallSite>& sites)
{
    constexpr std::size_t kMaxNamed = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(sites.size(), kMaxNamed); ++i)
        text += (i > 0 ? ", " : "") + placeOf(sites[i]);
    if (sites.size() > kMaxNamed)
        text += " and " + std::to_string(sites.size() - kMaxNamed) + " more";
    return text;
}

/// What is told of a command that did not come back.
struct Said {
    std::string text;
    const char* level = "error";
    std::string node, plugin;
    int frame = Place::kNoFrame;

    void at(const CallSite& site)
    {
        node = site.node;
        plugin = site.plugin;
        if (std::isfinite(site.frame))
            frame = static_cast<int>(std::lround(site.frame));
    }
    Json json() const
    {
        Json line = {{"level", level}, {"text", text}};
        if (!node.empty())
            line["node"] = node;
        if (!plugin.empty())
            line["plugin"] = plugin;
        if (frame != Place::kNoFrame)
            line["frame"] = frame;
        return line;
    }
};

/// Whether a child that was waited for had no processor time left under the limit for one process.
bool usedUpTime()
{
    struct rlimit limit {};
    struct rusage used {};
    return ::getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
           ::getrusage(RUSAGE_CHILDREN, &used) == 0 &&
           static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1 >= limit.rlim_cur;
}

/// How a signal that no plugin has to do with ended the command.
std::string endFromOutside(int signal)
{
    if (signal == SIGXCPU || usedUpTime())
        return "the process used up the processor time that it may have; raise the limit (ulimit "
               "-t)";
    return signal == SIGKILL ? "the process was killed from outside, perhaps for want of memory"
                             : "the process was ended from outside by " + signalName(signal);
}

/// Why a command ended that had more to do.
Said explain(int status)
{
    Said said;
    const bool bySignal = WIFSIGNALED(status);
    const std::string how = bySignal ? signalName(WTERMSIG(status))
                                     : "exit code " + std::to_string(WEXITSTATUS(status));
    const auto word = plugin::whoseEnd();
    std::vector<CallSite> sites = plugin::callsInWork();
    if (word && word->site)
        sites = {*word->site};
    const bool outside = bySignal && ChildEnd{.signal = WTERMSIG(status)}.fromOutside();
    if (sites.size() == 1 && !outside) {
        const CallSite& site = sites.front();
        said.at(site);
        const std::string ended =
            word && word->byExit ? "ended the process by calling exit(), which no plugin may"
            : bySignal           ? "crashed by " + how
                                 : "ended the process with " + how + ", which no plugin may";
        std::string remedy = "tell its maker; `floe plugin check` may show it too";
        const auto guests = bySignal ? plugin::guestsOf(site.plugin) : std::vector<CallSite>();
        if (!guests.empty())
            remedy = "tell its maker, unless `floe plugin check` finds that a function which it "
                     "called writes where it must not: " +
                     placesOf(guests);
        said.text = PluginError({.node = site.node, .frame = said.frame},
                                "the plugin '" + std::string(site.plugin) + "' " + ended + ", in " +
                                    site.call,
                                remedy)
                        .what();
        return said;
    }
    said.text = outside ? endFromOutside(WTERMSIG(status)) : "the process ended with " + how;
    if (!sites.empty()) {
        if (sites.size() == 1)
            said.at(sites.front());
        said.text += "; at work was " + placesOf(sites);
    } else {
        said.text += "; no plugin was at work";
    }
    return said;
}

class Supervisor {
public:
    Supervisor(pid_t child, const sigset_t& signals, const Watched& watched)
        : child_(child), signals_(signals), watched_(watched)
    {}

    int run()
    {
        const int status = wait();
        const int code = shared->code;
        if (WIFEXITED(status) && code != Shared::kUnknown) {
            if (shared->kept)
                say({shared->text});
            if (code != kSuccess) // it may have been kept from writing, by a limit for example
                endReport(code == kCancelled ? "cancelled" : "failed", code,
                          {"the run could not write its own end", "warning"});
            return WEXITSTATUS(status);
        }
        if (code != Shared::kUnknown) {
            say({lingers_ ? "the process did not end after its work was done, and was ended; a "
                            "plugin may have left something behind that waits"
                          : "the process ended with " + signalName(WTERMSIG(status)) +
                                " after its work was done",
                 "warning"});
            return code;
        }
        const bool stopped =
            asked_ > 0 && WIFSIGNALED(status) && (killed_ || asksToEnd(WTERMSIG(status)));
        Said said;
        if (stopped) {
            said.level = "warning";
            said.text = killed_ ? "The run was ended before it answered" : "The run was ended";
            if (killed_ && !waitedFor_.empty())
                said.text += ": " + waitedFor_;
        } else {
            said = explain(status);
        }
        if (ranks::launched() && !stopped)
            return loseRank(said);
        say(said);
        const int result = stopped ? kCancelled : kCrashed;
        endReport(stopped ? "cancelled" : "failed", result, said);
        return result;
    }

private:
    /// One of several ranks did not come back: tells the others, which then end, and the report.
    int loseRank(Said said) const
    {
        if (!watched_.report.empty())
            ranks::noteLoss(watched_.report.parent_path(), said.text);
        said.text = ranks::ownName() + " is lost: " + said.text;
        say(said);
        endReport("failed", kRankLost, said);
        // A launcher kills the others when this process ends. They may end by themselves first.
        if (ranks::launchedRank() > 0)
            ::usleep(kFarewell);
        return kRankLost;
    }

    int wait()
    {
        int status = 0;
        for (;;) {
            const pid_t ended = ::waitpid(child_, &status, WNOHANG);
            if (ended == child_ || (ended < 0 && errno != EINTR))
                return status;
            const timespec pause = {asked_ > 0 ? 0 : 1, asked_ > 0 ? 100'000'000 : 0};
            const int signal = ::sigtimedwait(&signals_, nullptr, &pause);
            if (asksToEnd(signal))
                stop();
            if (asked_ > 0)
                beImpatient();
            if (shared->code != Shared::kUnknown)
                dismiss();
        }
    }

    /// The command has done its work: what plugins do at the end of a process may not keep it.
    void dismiss()
    {
        const auto now = Clock::now();
        if (!done_)
            done_ = now;
        else if (now - *done_ > kLastMoment) {
            lingers_ = true;
            ::kill(child_, SIGKILL);
        }
    }

    void stop()
    {
        const auto now = Clock::now();
        if (asked_ == 0)
            first_ = now;
        else if (now - last_ < kOneSignal)
            return;
        last_ = now;
        if (++asked_ == 1)
            ::kill(child_, SIGTERM);
        else
            kill();
    }

    void beImpatient()
    {
        const auto waited = Clock::now() - first_;
        if (waited > kPatience && !std::exchange(impatient_, true)) {
            const std::vector<CallSite> sites = plugin::callsInWork();
            waitedFor_ = sites.empty() ? "the rest of its work" : placesOf(sites);
            Said said{"Stopping; waiting for " + waitedFor_ +
                          ". A second Ctrl-C or signal ends the program at once; after " +
                          std::to_string(kLastMoment.count() / 1000) + " s it ends by itself.",
                      "warning"};
            if (sites.size() == 1)
                said.at(sites.front());
            say(said);
        }
        if (waited > kLastMoment)
            kill();
    }

    void kill()
    {
        killed_ = true;
        ::kill(child_, SIGKILL);
    }

    void say(const Said& said) const
    {
        if (watched_.bar && ::isatty(STDOUT_FILENO))
            std::printf("\r\033[K");
        if (watched_.json) {
            Json line = said.json();
            line["event"] = "message";
            std::printf("%s\n", dumpJson(line).c_str());
        }
        std::fflush(stdout);
        if (!watched_.json)
            std::fprintf(stderr, "%s: %s\n", said.level, said.text.c_str());
    }

    void endReport(const char* result, int code, const Said& said) const
    {
        if (watched_.report.empty() || !shared->report)
            return;
        try {
            Json report = loadJson(watched_.report.string());
            if (report.at("result") != "running")
                return;
            report["result"] = result;
            report["exitCode"] = code;
            report["messages"].push_back(said.json());
            writeFileAtomically(watched_.report, formatJson(report));
        } catch (const std::exception& error) {
            std::fprintf(stderr, "error: %s\n", error.what());
        }
    }

    pid_t child_;
    const sigset_t& signals_;
    const Watched& watched_;
    int asked_ = 0; ///< signals that ask for the end
    bool killed_ = false, impatient_ = false, lingers_ = false;
    std::optional<Clock::time_point> done_; ///< when it was seen that the work is done
    std::string waitedFor_;
    Clock::time_point first_, last_;
};

} // namespace

bool supervised()
{
    return inChild;
}

void noteReport()
{
    if (shared)
        shared->report = true;
}

void noteUnsaid(const std::string& text)
{
    if (!shared || shared->unsaid++ > 0)
        return;
    const std::size_t length = text.copy(shared->text, sizeof shared->text - 1);
    shared->text[length] = '\0';
    shared->kept = true;
}

void noteEnd(int code)
{
    if (shared)
        shared->code = code;
}

int supervise(const std::function<int()>& command, const Watched& watched, char* const* arguments)
{
    if (join() || underDebugger()) {
        const int code = command();
        noteEnd(code);
        return code;
    }
    const Descriptor memory(::memfd_create("floe", MFD_CLOEXEC));
    std::byte* const mapped =
        memory.valid() && ::ftruncate(memory.get(), static_cast<off_t>(kBytes)) == 0
            ? map(memory.get())
            : nullptr;
    if (!mapped) // a limit, on the size of files for example: without a supervisor
        return command();
    shared = new (mapped) Shared;
    plugin::prepareCalls(mapped + kCalls);
    std::fflush(nullptr);

    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    forEachEndingSignal([&signals](int signal) { sigaddset(&signals, signal); });
    for (const int signal : {SIGINT, SIGTERM}) // a shell's job in the background ignores one
        std::signal(signal, SIG_DFL);
    ::sigprocmask(SIG_BLOCK, &signals, &before);
    const pid_t child = start(arguments, memory.get(), before);
    return Supervisor(child, signals, watched).run();
}

} // namespace floe::app
