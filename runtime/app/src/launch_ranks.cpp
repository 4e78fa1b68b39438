#include "launch_ranks.hpp"

#include "floe/base/child_process.hpp"
#include "floe/base/error.hpp"
#include "floe/ranks/ranks.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace floe::app {

namespace {

/// Options of Open MPI's launcher, versions 4 and 5: ranks may be more than cores, none is bound to
/// one, those that are asked to end have time for it, and 4 does not comment on their codes (its
/// --quiet is an error in 5, which always does).
std::vector<std::string> optionsOf(const std::filesystem::path& launcher)
{
    if (runChild({launcher.string(), "--version"}).output.find("Open MPI") == std::string::npos)
        return {};
    std::vector<std::string> options{"--oversubscribe", "--bind-to", "none"};
    for (const auto& [name, value] :
         {std::pair{"odls_base_sigkill_timeout", "2"}, {"orte_execute_quiet", "1"}})
        options.insert(options.end(), {"--mca", name, value});
    if (::geteuid() == 0) // in a container
        options.emplace_back("--allow-run-as-root");
    return options;
}

} // namespace

void launchRanks(int count, char* const* arguments)
{
    if (count < 2 || ranks::launched())
        return;
    const std::filesystem::path launcher = findProgram("mpirun");
    if (launcher.empty())
        throw InputError({}, "--ranks needs a launcher of MPI, and mpirun is not installed",
                         "install it (apt-get install openmpi-bin), or leave out --ranks");
    std::error_code error;
    std::vector<std::string> command{launcher.string(), "-n", std::to_string(count)};
    for (std::string& option : optionsOf(launcher))
        command.push_back(std::move(option));
    command.push_back(std::filesystem::read_symlink("/proc/self/exe", error).string());
    for (char* const* argument = arguments + 1; *argument; ++argument)
        command.emplace_back(*argument);
    std::vector<char*> pointers;
    for (std::string& part : command)
        pointers.push_back(part.data());
    pointers.push_back(nullptr);
    ::execv(launcher.c_str(), pointers.data());
    throw InputError({.file = launcher.string()},
                     std::string("cannot be started: ") + std::strerror(errno));
}

} // namespace floe::app
