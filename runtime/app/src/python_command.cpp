#include "python_command.hpp"

#include "exit_code.hpp"

#include "floe/base/child_process.hpp"
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace floe::app {

namespace {

namespace fs = std::filesystem;

// What is imported never comes from the current folder, whose files are the user's.
constexpr const char* kOwnPath = "import sys\nsys.path[:] = [p for p in sys.path if p]\n";

/// Exits with 0, or says what is missing.
constexpr const char* kProbe = R"(
if sys.version_info < (3, 9):
    sys.exit("is Python %d.%d, and 3.9 or later is needed" % sys.version_info[:2])
try:
    import numpy
except ImportError:
    sys.exit("has no NumPy")
import importlib.util
if importlib.util.find_spec("floe") is None:
    sys.exit("has no package 'floe'")
)";

/// Where `import floe` finds the package: of an installation, or of the sources of a build tree.
/// Empty: neither, so it must be installed.
fs::path packageFolder()
{
    const fs::path program = programFolder();
    std::error_code error;
    for (const fs::path& folder :
         {program / "../share/floe/python", program / "../../runtime/python"})
        if (fs::is_regular_file(folder / "floe/__init__.py", error))
            return fs::weakly_canonical(folder, error);
    return {};
}

/// The interpreters to try, best first.
std::vector<std::string> interpreters()
{
    if (const char* chosen = std::getenv("FLOE_PYTHON"); chosen != nullptr && *chosen != '\0')
        return {chosen};
    std::vector<std::string> found;
    if (const fs::path first = findProgram("python3"); !first.empty())
        found.push_back(first.string());
    std::error_code error;
    if (const fs::path debian = "/usr/bin/python3";
        fs::exists(debian, error) && (found.empty() || found.front() != debian))
        found.push_back(debian.string());
    return found;
}

/// Returns what prevents it from running the package; empty: nothing.
std::string shortcoming(const std::string& python, const std::vector<std::string>& environment)
{
    try {
        const ChildResult result =
            runChild({python, "-c", std::string(kOwnPath) + kProbe},
                     ChildLimits{.time = std::chrono::seconds(60)}, environment);
        if (result.end.good() && result.inTime)
            return {};
        const std::string said = result.output.substr(0, result.output.find('\n'));
        return python + " " +
               (result.end.exitCode == 1 && !said.empty() ? said : result.describe());
    } catch (const Error& error) {
        return error.what();
    }
}

} // namespace

int pythonCommand(char* const* arguments)
{
    const std::string name = arguments[1];
    std::vector<std::string> environment;
    if (const fs::path folder = packageFolder(); !folder.empty()) {
        const char* before = std::getenv("PYTHONPATH");
        environment.push_back(
            "PYTHONPATH=" + folder.string() +
            (before != nullptr && *before != '\0' ? ":" + std::string(before) : ""));
    }
    environment.push_back("FLOE_PROGRAM=" + (programFolder() / "floe").string());

    std::string complaints;
    for (const std::string& python : interpreters()) {
        const std::string complaint = shortcoming(python, environment);
        if (!complaint.empty()) {
            complaints += (complaints.empty() ? "" : "; ") + complaint;
            continue;
        }
        const std::string script = std::string(kOwnPath) + "from floe." + name +
                                   " import main\nsys.exit(main(sys.argv[1:]))";
        std::vector<const char*> command{python.c_str(), "-c", script.c_str()};
        for (char* const* argument = arguments + 2; *argument != nullptr; ++argument)
            command.push_back(*argument);
        command.push_back(nullptr);
        for (const std::string& variable : environment) {
            const std::size_t equals = variable.find('=');
            ::setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
        }
        ::execv(python.c_str(), const_cast<char* const*>(command.data()));
        complaints += (complaints.empty() ? "" : "; ") + python + ": " +
                      std::generic_category().message(errno);
    }
    std::fprintf(stderr,
                 "error: 'floe %s' needs Python 3.9 or later with NumPy: %s; install python3 and "
                 "python3-numpy, or set FLOE_PYTHON to a Python that has them\n",
                 name.c_str(), complaints.empty() ? "python3 was not found" : complaints.c_str());
    return kOther;
}

} // namespace floe::app
