#include "floe/base/regular_file.hpp"

#include "floe/base/error.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

namespace floe {

RegularFile openRegularFile(const std::filesystem::path& path)
{
    const Place place{.file = path.string()};
    // Opening a named pipe would wait for someone to write into it.
    RegularFile file{Descriptor(uninterrupted([&] {
                         return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
                     })),
                     0};
    struct stat info {};
    if (!file.descriptor.valid() || ::fstat(file.descriptor.get(), &info) != 0)
        throw IoError(place, std::string("cannot open: ") + std::strerror(errno));
    if (S_ISDIR(info.st_mode))
        throw IoError(place, "is a folder", "give a file");
    if (!S_ISREG(info.st_mode))
        throw IoError(place, "is not a regular file but a pipe, a device or a socket",
                      "give a file");
    file.bytes = static_cast<std::uint64_t>(info.st_size);
    return file;
}

} // namespace floe
