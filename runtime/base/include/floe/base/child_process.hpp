#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// All other programs are started through this file. (The supervisor of the command line starts
/// this program once more, in its own group and with its own descriptors.)
///
/// Boost.Process 1.74 is not used: it leaks pipe ends into children that other threads start at the
/// same time, waits with a time limit by replacing the process's SIGCHLD handler, and cannot tie a
/// child's lifetime to its parent's.
namespace floe {

/// Settings of a child process.
struct ChildSettings {
    /// No descriptor: input is empty, output is discarded.
    static constexpr int kNone = -1;

    std::vector<std::string> command;     ///< program (a path) and arguments
    std::vector<std::string> environment; ///< "NAME=value", before this process's own
    int input = kNone;        ///< becomes descriptor 0 of the child; the caller keeps it
    int output = kNone;       ///< becomes 1
    int errors = kNone;       ///< becomes 2
    int report = kNone;       ///< becomes kReportDescriptor, which is closed otherwise
    std::uint64_t memory = 0; ///< limit of the address space [bytes]; 0: none
};

/// How a child process ended.
struct ChildEnd {
    int exitCode = 0; ///< if it exited by itself
    int signal = 0;   ///< the signal that ended it; 0: it exited by itself
    bool good() const { return exitCode == 0 && signal == 0; }
    /// Someone else ended it: a person, a queue, the system for want of memory. That says nothing
    /// of what it worked on.
    bool fromOutside() const;
    /// "was ended by SIGSEGV (invalid memory access)", "ended with exit code 3"
    std::string describe() const;
};

/// In a process whose crash would be blamed on what it reads or loads: a crash's signal that
/// another process sends ends it as SIGKILL does, so that its end is fromOutside().
void endAsKilledFromOutside();

/// A running child process.
///
/// It gets the descriptors of its settings and no others, no blocked or ignored signals, no core
/// dump, and its own process group, so that a Ctrl-C for this process does not reach it. It is
/// killed when the thread that started it ends, for whatever reason. One thread at a time may use
/// an object of this class.
class ChildProcess {
public:
    /// May be called from several threads at once.
    /// @throws IoError  the program cannot be started
    explicit ChildProcess(const ChildSettings& settings);
    /// Kills the group and waits for the end.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    bool hasEnded() const;
    bool isStopped() const; ///< by SIGSTOP or the like: it will do nothing until it is continued
    int id() const { return process_; }
    /// Asks it to end (SIGTERM).
    void terminate();
    /// Ends it and all that it started in its group (SIGKILL).
    void kill();
    /// Waits for the end, then kills the rest of its group. Later calls return the same result.
    ChildEnd wait();

private:
    int process_ = -1;
    std::optional<ChildEnd> end_;
};

/// Bounds on a child process.
struct ChildLimits {
    /// Without the time in which its threads wait for a processor, of which it gets at most nine
    /// times as much; with all processors to itself it gets no more.
    std::chrono::milliseconds time{20000};
    std::size_t bytes = 1 << 20; ///< of report and of output; the rest is read and dropped
};

/// Result and output of a child process of runChild.
struct ChildResult {
    ChildEnd end;
    bool inTime = true;   ///< false: killed at the time limit
    bool stopped = false; ///< it exceeded the limit because someone stopped it (SIGSTOP)
    std::string report;   ///< what it wrote to descriptor kReportDescriptor
    std::string output;   ///< what it wrote to standard output and standard error
    double seconds = 0;

    /// Returns ChildEnd::describe(), or "did not end within 10 s"; followed by the last line it
    /// printed, if any.
    std::string describe() const;
};

/// Descriptor on which a child writes its report.
inline constexpr int kReportDescriptor = 3;

/// Runs a program and waits for its end, within the limits. Thread-safe.
/// @param command, environment  as in ChildSettings
/// @throws IoError  the program cannot be started
ChildResult runChild(std::vector<std::string> command, const ChildLimits& limits = {},
                     std::vector<std::string> environment = {});

/// In the child: appends one line to the report; line breaks inside become spaces. Never throws.
void reportLine(const std::string& line) noexcept;

/// "SIGSEGV (invalid memory access)"
std::string signalName(int signal);

/// The number by which others know this process: that of its supervisor, where it has one.
int publicProcess();
void setPublicProcess(int process);

/// Finds a program in the folders of PATH; empty when there is none.
std::filesystem::path findProgram(const std::string& name);

} // namespace floe
