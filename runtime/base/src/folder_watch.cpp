#include "floe/base/folder_watch.hpp"

#include "floe/base/error.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <utility>

namespace floe {
namespace fs = std::filesystem;

FolderWatch::FolderWatch(fs::path folder)
    : folder_(std::move(folder)), descriptor_(uninterrupted([this] {
          return ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      }))
{
    if (!descriptor_.valid())
        throw IoError({.file = folder_.string()},
                      std::string("cannot open: ") + std::strerror(errno));
}

void FolderWatch::check() const
{
    // An open folder keeps its number, so that no later one can be taken for it.
    struct stat opened {
    }, found{};
    const bool open = ::fstat(descriptor_.get(), &opened) == 0;
    if (!open && errno == EBADF)
        throw IoError({.file = folder_.string()},
                      "is no longer open in this process: something in it closed descriptors that "
                      "are not its own, a plugin for example",
                      "run again without that plugin, or with --isolate");
    if (open && ::stat(folder_.c_str(), &found) == 0 && opened.st_dev == found.st_dev &&
        opened.st_ino == found.st_ino)
        return;
    throw IoError({.file = folder_.string()}, "was removed or moved away while it was written into",
                  "leave the folder in its place until the run has ended, and run again");
}

} // namespace floe
