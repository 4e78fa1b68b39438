#include "files/output_file.hpp"

#include "floe/sdk/node.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace floe::gaussians {

namespace fs = std::filesystem;

namespace {

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
bool synchroniseFolder(const fs::path& folder)
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
bool createFolders(const fs::path& folder)
{
    std::error_code error;
    if (folder.empty() || fs::exists(folder, error))
        return true;
    if (!createFolders(folder.parent_path()))
        return false;
    if (fs::create_directory(folder, error) && !synchroniseFolder(folder.parent_path()))
        return false;
    errno = error.value();
    return !error;
}

} // namespace

OutputFile::OutputFile(const std::string& path) : path_(path)
{
    const fs::path folder = fs::path(path).parent_path();
    if (!createFolders(folder))
        fail("cannot be written");
    part_ = (folder /
             ("." + fs::path(path).filename().string() + ".part." + std::to_string(::getpid())))
                .string();
    file_ = uninterrupted(
        [this] { return ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); });
    if (file_ < 0)
        fail("cannot be written");
}

OutputFile::~OutputFile()
{
    if (file_ >= 0) {
        ::close(file_);
        ::unlink(part_.c_str());
    }
}

void OutputFile::write(const void* data, std::size_t bytes)
{
    const char* from = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t written = uninterrupted([&] { return ::write(file_, from, bytes); });
        if (written <= 0)
            fail("cannot be written");
        from += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

void OutputFile::commit()
{
    if (uninterrupted([this] { return ::fsync(file_); }) < 0)
        fail("cannot be written");
    ::close(file_);
    file_ = -1;
    if (::rename(part_.c_str(), path_.c_str()) != 0) {
        const int reason = errno;
        ::unlink(part_.c_str());
        errno = reason;
        fail("cannot be put in place");
    }
    if (!synchroniseFolder(fs::path(path_).parent_path()))
        fail("cannot be written");
}

void OutputFile::fail(const char* what) const
{
    const std::string reason = std::strerror(errno);
    throw sdk::Failure(path_ + ": " + what + ": " + reason, FLOE_IO_FAILED);
}

} // namespace floe::gaussians
