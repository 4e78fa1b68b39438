#include "files/output_file.hpp"

#include "floe/sdk/node.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace floe::gaussians {

namespace fs = std::filesystem;

OutputFile::OutputFile(const std::string& path) : path_(path)
{
    const fs::path folder = fs::path(path).parent_path();
    std::error_code error;
    fs::create_directories(folder, error);
    part_ = (folder /
             ("." + fs::path(path).filename().string() + ".part." + std::to_string(::getpid())))
                .string();
    file_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
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
        const ssize_t written = ::write(file_, from, bytes);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            fail("cannot be written");
        from += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

void OutputFile::commit()
{
    int synchronised = 0;
    do
        synchronised = ::fsync(file_);
    while (synchronised < 0 && errno == EINTR);
    if (synchronised < 0)
        fail("cannot be written");
    ::close(file_);
    file_ = -1;
    if (::rename(part_.c_str(), path_.c_str()) != 0) {
        const int reason = errno;
        ::unlink(part_.c_str());
        errno = reason;
        fail("cannot be put in place");
    }
    const std::string folder = fs::path(path_).parent_path().string();
    const int opened =
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened >= 0) { // so that the name outlives a power cut
        ::fsync(opened);
        ::close(opened);
    }
}

void OutputFile::fail(const char* what) const
{
    const std::string reason = std::strerror(errno);
    throw sdk::Failure(path_ + ": " + what + ": " + reason, FLOE_IO_FAILED);
}

} // namespace floe::gaussians
