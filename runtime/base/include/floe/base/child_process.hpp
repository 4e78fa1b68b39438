#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// The one way in which Floe starts other programs.
///
/// Our own code, because Boost.Process 1.74 leaves the ends of its pipes open in children that
/// other threads start meanwhile, waits with a time limit by exchanging the process's SIGCHLD
/// handler, and knows no end of a child with its parent.
namespace floe {

/// What a child process is started with.
struct ChildSettings {
    /// No descriptor: input is empty, what is written to the others is lost.
    static constexpr int kNone = -1;

    std::vector<std::string> command;     ///< program (a path) and arguments
    std::vector<std::string> environment; ///< "NAME=value", before this process's own
    int input = kNone;                    ///< becomes descriptor 0 of the child; stays the caller's
    int output = kNone;                   ///< becomes 1
    int errors = kNone;                   ///< becomes 2
    int report = kNone;                   ///< becomes kReportDescriptor, which is closed otherwise
    std::uint64_t memory = 0;             ///< most address space [bytes]; 0: no limit
};

/// How a child process ended.
struct ChildEnd {
    int exitCode = 0; ///< if it ended by itself
    int signal = 0;   ///< the signal that ended it; 0: it ended by itself
    bool good() const { return exitCode == 0 && signal == 0; }
};

/// A program at work beside this one.
///
/// It gets the descriptors of its settings and no others, no signal blocked or ignored, no core
/// dump, and a process group of its own: a Ctrl-C for this process does not reach it. It is killed
/// when the thread that started it ends, however that happens. One thread at a time may use an
/// object of this class.
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
    /// Asks it to end (SIGTERM).
    void terminate();
    /// Ends it and all that it started in its group (SIGKILL).
    void kill();
    /// Waits for the end, after which what it left behind in its group is killed. Called again, it
    /// says the same again.
    ChildEnd wait();

private:
    int process_ = -1;
    std::optional<ChildEnd> end_;
};

/// Bounds on a child process.
struct ChildLimits {
    std::chrono::milliseconds time{20000};
    std::size_t bytes = 1 << 20; ///< of report and of output; what is beyond is read and dropped
};

/// How a child process of runChild ended and what it said.
struct ChildResult {
    ChildEnd end;
    bool inTime = true; ///< false: it was killed because the time limit passed
    std::string report; ///< what it wrote to descriptor kReportDescriptor
    std::string output; ///< what it wrote to standard output and standard error
    double seconds = 0;

    /// "was ended by SIGSEGV (invalid memory access)", "ended with exit code 3", "did not end
    /// within 10 s"; followed by the last line it printed, if there is one.
    std::string describe() const;
};

/// Descriptor on which a child writes its report.
inline constexpr int kReportDescriptor = 3;

/// Runs a program and waits for its end, at most as long as the limits say. May be called from
/// several threads at once.
/// @param command, environment  as in ChildSettings
/// @throws IoError  the program cannot be started
ChildResult runChild(std::vector<std::string> command, const ChildLimits& limits = {},
                     std::vector<std::string> environment = {});

/// For the child: appends one line to the report; line breaks inside become spaces. Never throws.
void reportLine(const std::string& line) noexcept;

/// Looks a program up in the folders of PATH; empty if it is in none.
std::filesystem::path findProgram(const std::string& name);

} // namespace floe
