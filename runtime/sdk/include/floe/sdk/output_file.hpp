/// A file of a node's own that appears whole or not at all, and survives a power cut.
#pragma once

#include "floe/sdk/node.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace floe::sdk {

namespace detail {

/// What a system call gives once no signal interrupts it any more.
template <class Call>
auto uninterrupted(Call call)
{
    for (;;)
        if (const auto result = call(); result >= 0 || errno != EINTR)
            return result;
}

/// Makes what was made or renamed in a folder outlive a power cut, where the file system can.
/// @return whether it may; else errno is the reason
inline bool synchroniseFolder(const std::filesystem::path& folder)
{
    const int opened = uninterrupted([&] {
        return ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    });
    if (opened < 0)
        return true;
    const bool may =
        uninterrupted([&] { return ::fsync(opened); }) == 0 || (errno != EIO && errno != ENOSPC);
    const int reason = errno;
    ::close(opened);
    errno = reason;
    return may;
}

/// @return false: errno is the reason
inline bool createFolders(const std::filesystem::path& folder)
{
    std::error_code error;
    if (folder.empty() || std::filesystem::exists(folder, error))
        return true;
    if (!createFolders(folder.parent_path()))
        return false;
    if (std::filesystem::create_directory(folder, error) &&
        !synchroniseFolder(folder.parent_path()))
        return false;
    errno = error.value();
    return !error;
}

/// Makes an empty file that no other writer of this name has, or takes over what a process that was
/// killed left of it. @return its descriptor; -1: there is none
inline int openAlone(const std::string& path)
{
    const int file = uninterrupted([&] {
        return ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    });
    struct stat held = {}, named = {};
    if (file < 0 ||
        (::flock(file, LOCK_EX | LOCK_NB) == 0 && ::fstat(file, &held) == 0 &&
         ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev && S_ISREG(held.st_mode) && ::ftruncate(file, 0) == 0))
        return file;
    ::close(file);
    return -1;
}

} // namespace detail

/// A file that is written beside its place, ".name.part", synchronised, then renamed; so are the
/// folders that it needs. One thread.
class OutputFile {
public:
    /// Makes the folder if need be. @throws Failure  FLOE_IO_FAILED, as all functions
    explicit OutputFile(const std::string& path);
    ~OutputFile(); ///< removes what was not committed
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(const void* data, std::size_t bytes);
    void commit();

private:
    [[noreturn]] void fail(const char* what) const;

    std::string path_;
    std::string part_;
    int file_ = -1;
};

inline OutputFile::OutputFile(const std::string& path) : path_(path)
{
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (!detail::createFolders(folder))
        fail("cannot be written");
    part_ = (folder / ("." + std::filesystem::path(path).filename().string() + ".part")).string();
    file_ = detail::openAlone(part_);
    if (file_ >= 0)
        return;
    part_ += "." + std::to_string(::getpid());
    file_ = detail::uninterrupted(
        [this] { return ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); });
    if (file_ < 0)
        fail("cannot be written");
}

inline OutputFile::~OutputFile()
{
    if (file_ >= 0) {
        ::close(file_);
        ::unlink(part_.c_str());
    }
}

inline void OutputFile::write(const void* data, std::size_t bytes)
{
    const char* from = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t written = detail::uninterrupted([&] { return ::write(file_, from, bytes); });
        if (written <= 0)
            fail("cannot be written");
        from += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

inline void OutputFile::commit()
{
    if (detail::uninterrupted([this] { return ::fsync(file_); }) < 0)
        fail("cannot be written");
    if (::rename(part_.c_str(), path_.c_str()) != 0)
        fail("cannot be put in place"); // the destructor removes it
    ::close(file_);
    file_ = -1;
    if (!detail::synchroniseFolder(std::filesystem::path(path_).parent_path()))
        fail("cannot be written");
}

inline void OutputFile::fail(const char* what) const
{
    const std::string reason = std::strerror(errno);
    throw Failure(path_ + ": " + what + ": " + reason, FLOE_IO_FAILED);
}

} // namespace floe::sdk
