#include "floe/base/file.hpp"

#include "floe/base/descriptor.hpp"
#include "floe/base/error.hpp"
#include "floe/base/folder.hpp"
#include "floe/base/regular_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace floe {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, const char* action)
{
    const int reason = errno;
    throw IoError({.file = path.string()},
                  std::string("cannot ") + action + ": " + std::strerror(reason));
}

std::mutex temporariesMutex;
std::set<fs::path> temporaries; // of this process, in work

Descriptor open(const fs::path& path, int flags)
{
    return Descriptor(uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); }));
}

/// A file beside `target`; what is there in the end is removed. Its name is that of what a process
/// left that was killed while it wrote this target, so that nothing piles up; or one of this
/// process, where another writes the same.
class TemporaryFile {
public:
    explicit TemporaryFile(const fs::path& target)
    {
        const auto named = [&](const std::string& writer) {
            return target.parent_path() /
                   ("." + target.stem().string() + writer + ".part" + target.extension().string());
        };
        path_ = named("");
        if (!lock()) {
            static std::atomic<unsigned> counter{0};
            path_ = named("." + std::to_string(::getpid()) + "-" + std::to_string(counter++));
        }
        const std::lock_guard lock(temporariesMutex);
        temporaries.insert(path_);
    }
    ~TemporaryFile()
    {
        std::error_code ignored;
        if (!renamed_)
            fs::remove(path_, ignored);
        const std::lock_guard lock(temporariesMutex);
        temporaries.erase(path_);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const fs::path& path() const { return path_; }
    /// @return whether it is in its place; else errno is the reason
    bool rename(const fs::path& target)
    {
        renamed_ = ::rename(path_.c_str(), target.c_str()) == 0;
        return renamed_;
    }

private:
    /// Makes an empty file for this writer alone. @return false: another has it, or it cannot be
    bool lock()
    {
        lock_ = open(path_, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
        if (!lock_.valid())
            return false;
        if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
            std::error_code ignored;
            if (errno != EWOULDBLOCK) // the file system cannot: nobody has it
                fs::remove(path_, ignored);
            return false;
        }
        struct stat held = {}, named = {}; // another may have put it in its place meanwhile
        return ::fstat(lock_.get(), &held) == 0 && ::stat(path_.c_str(), &named) == 0 &&
               held.st_ino == named.st_ino && held.st_dev == named.st_dev &&
               S_ISREG(held.st_mode) && ::ftruncate(lock_.get(), 0) == 0;
    }

    fs::path path_;
    Descriptor lock_;
    bool renamed_ = false;
};

/// @param path  what it will be called
void synchronise(const fs::path& temporary, const fs::path& path)
{
    const Descriptor file = open(temporary, O_RDONLY);
    if (!file.valid() || uninterrupted([&] { return ::fsync(file.get()); }) != 0)
        throw cannotWrite(path);
}

/// Makes what was created, renamed or removed in a folder last, also when power fails. Nothing
/// where the file system cannot (folders that may not be read, some network shares).
/// @return whether it may last; else errno is the reason
bool synchroniseFolder(const fs::path& folder)
{
    const Descriptor opened(open(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY));
    return !opened.valid() || uninterrupted([&] { return ::fsync(opened.get()); }) == 0 ||
           (errno != EIO && errno != ENOSPC);
}

} // namespace

std::error_code createFolders(const fs::path& folder)
{
    std::error_code error;
    if (folder.empty() || fs::exists(folder, error))
        return {};
    // "out/" has the folder "out" around it, which is itself.
    const fs::path around =
        folder.has_filename() ? folder.parent_path() : folder.parent_path().parent_path();
    if (const std::error_code failed = createFolders(around))
        return failed;
    if (fs::create_directory(folder, error) && !synchroniseFolder(around))
        return {errno, std::system_category()};
    return error;
}

std::string readFile(const fs::path& path, std::uint64_t maxBytes)
{
    const RegularFile file = openRegularFile(path);
    const auto refuse = [&] {
        throw IoError({.file = path.string()},
                      "is larger than " + std::to_string(maxBytes) + " bytes");
    };
    if (file.bytes > maxBytes)
        refuse();
    std::string content;
    content.reserve(static_cast<std::size_t>(file.bytes));
    char buffer[1 << 16];
    for (;;) {
        const ssize_t count =
            uninterrupted([&] { return ::read(file.descriptor.get(), buffer, sizeof buffer); });
        if (count < 0)
            fail(path, "read");
        if (count == 0)
            break;
        content.append(buffer, static_cast<std::size_t>(count));
        if (content.size() > maxBytes)
            refuse();
    }
    return content;
}

void replaceFile(const fs::path& path, const std::function<void(const fs::path&)>& write)
{
    if (const std::error_code error = createFolders(path.parent_path())) {
        errno = error.value();
        throw cannotWrite(path);
    }
    TemporaryFile temporary(path);
    errno = 0; // for cannotWrite()
    write(temporary.path());
    synchronise(temporary.path(), path);
    if (!temporary.rename(path))
        throw cannotWrite(path);
    if (!synchroniseFolder(path.parent_path()))
        throw cannotWrite(path);
}

void removeTemporaryFiles()
{
    const std::lock_guard lock(temporariesMutex);
    std::error_code ignored;
    for (const fs::path& path : temporaries)
        fs::remove(path, ignored);
}

IoError cannotWrite(const fs::path& path)
{
    const int reason = errno;
    const char* cure = reason == ENOSPC || reason == EDQUOT  ? "free some or write to another disk"
                       : reason == EFBIG                     ? "raise the limit (ulimit -f)"
                       : reason == EACCES || reason == EROFS ? "choose a folder you may write to"
                                                             : "";
    return IoError({.file = path.string()},
                   std::string("cannot write") +
                       (reason != 0 ? std::string(": ") + std::strerror(reason) : ""),
                   cure);
}

std::ofstream openToWrite(const fs::path& path)
{
    for (;;) {
        errno = 0;
        std::ofstream stream(path, std::ios::binary | std::ios::trunc);
        if (stream || errno != EINTR)
            return stream;
    }
}

void writeFileAtomically(const fs::path& path, std::string_view content)
{
    replaceFile(path, [&](const fs::path& temporary) {
        const Descriptor file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC);
        if (!file.valid())
            throw cannotWrite(path);
        while (!content.empty()) {
            const ssize_t count =
                uninterrupted([&] { return ::write(file.get(), content.data(), content.size()); });
            if (count < 0)
                throw cannotWrite(path);
            content.remove_prefix(static_cast<std::size_t>(count));
        }
    });
}

FolderLock::FolderLock(const fs::path& folder, std::chrono::milliseconds patience)
    : descriptor_(open(folder, O_RDONLY | O_DIRECTORY))
{
    constexpr std::chrono::milliseconds kPause{10};
    for (auto left = patience;; left -= kPause) {
        if (!descriptor_.valid() || ::flock(descriptor_.get(), LOCK_EX | LOCK_NB) == 0 ||
            errno != EWOULDBLOCK)
            return;
        if (left < kPause)
            break;
        std::this_thread::sleep_for(kPause);
    }
    throw IoError({.file = folder.string()}, "another run is writing into this folder",
                  "wait until it is done, or choose another folder");
}

fs::path programFolder()
{
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::current_path() : program.parent_path();
}

} // namespace floe
