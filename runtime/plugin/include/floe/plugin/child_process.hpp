#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace floe::plugin {

/// How a child process ended and what it said.
struct ChildResult {
    enum class End {
        exited,  ///< by itself; see exitCode
        killed,  ///< by a signal; see signal
        timedOut ///< was stopped because the time limit passed
    };
    End end = End::exited;
    int exitCode = 0;
    int signal = 0;
    std::string report; ///< what it wrote to descriptor kReportDescriptor
    std::string output; ///< what it wrote to standard output and standard error
    double seconds = 0;

    /// "was ended by SIGSEGV (invalid memory access)", "ended with exit code 3", "did not end
    /// within 10 s"; followed by the last line it printed, if there is one.
    std::string describe() const;
};

/// Bounds on a child process.
struct ChildLimits {
    std::chrono::milliseconds time{20000};
    std::size_t bytes = 1 << 20; ///< of report and of output; what is beyond is read and dropped
};

/// Descriptor on which a child started by runChild writes its report.
inline constexpr int kReportDescriptor = 3;

/// Runs a program and waits for its end. It gets a process group of its own, which is killed
/// whole when the child ends or its time is over, so that nothing it started is left behind.
/// Standard input is empty. May be called from several threads at once.
/// @param command program (a path) and arguments
/// @throws PluginError the program cannot be started, or this process is such a child itself
ChildResult runChild(const std::vector<std::string>& command, const ChildLimits& limits = {});

/// Called first by the child: no core dump is written, and the child ends with its parent.
void enterChild();

/// Appends one line to the report; line breaks inside become spaces. Never throws.
void reportLine(const std::string& line) noexcept;

/// "SIGSEGV (invalid memory access)".
std::string signalName(int signal);

} // namespace floe::plugin
