#include "child_process.hpp"

#include "floe/base/error.hpp"

#include <cerrno>
#include <cstring>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace floe::io {

void Descriptor::close()
{
    if (value_ >= 0)
        ::close(value_);
    value_ = -1;
}

MemoryFile::MemoryFile() : descriptor_(::memfd_create("floe", MFD_CLOEXEC))
{
    if (descriptor_.get() < 0)
        throw IoError({}, std::string("cannot make a file in memory: ") + std::strerror(errno));
}

std::string MemoryFile::path() const
{
    return "/proc/self/fd/" + std::to_string(descriptor_.get());
}

std::string MemoryFile::text(std::size_t longest) const
{
    std::string text(longest, '\0');
    const ssize_t count = ::pread(descriptor_.get(), text.data(), longest, 0);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
}

ChildProcess::ChildProcess(const std::string& program, std::vector<std::string> arguments,
                           int input, int output, int errors)
{
    arguments.insert(arguments.begin(), program);
    std::vector<char*> pointers;
    for (std::string& argument : arguments)
        pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, errors, 2);
    const int result =
        ::posix_spawnp(&process_, program.c_str(), &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (result == 0)
        return;
    process_ = -1;
    if (result != ENOENT)
        throw IoError({}, "cannot start " + program + ": " + std::strerror(result));
}

ChildProcess::~ChildProcess()
{
    if (started())
        wait();
}

int ChildProcess::wait()
{
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace floe::io
