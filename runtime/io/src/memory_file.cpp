#include "memory_file.hpp"

#include "floe/base/error.hpp"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace floe::io {

MemoryFile::MemoryFile() : descriptor_(::memfd_create("floe", MFD_CLOEXEC))
{
    if (!descriptor_.valid())
        throw IoError({}, std::string("cannot make a file in memory: ") + std::strerror(errno));
}

std::string MemoryFile::path() const
{
    return "/proc/self/fd/" + std::to_string(descriptor_.get());
}

std::uint64_t MemoryFile::bytes() const
{
    struct stat info {};
    return ::fstat(descriptor_.get(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

std::string MemoryFile::text(std::size_t longest) const
{
    std::string text(longest, '\0');
    const ssize_t count = ::pread(descriptor_.get(), text.data(), longest, 0);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
}

} // namespace floe::io
