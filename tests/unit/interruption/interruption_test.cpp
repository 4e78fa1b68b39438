// Signals interrupt system calls, on network file systems also those that write files (EINTR).
// Nothing is lost then. This program puts its own functions in the place of the C library's to see
// to it that this happens.
#include "temporary_folder.hpp"

#include "floe/base/file.hpp"
#include "floe/base/folder_watch.hpp"
#include "floe/io/image.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

namespace {

int interruptions = 0; ///< so many more
int interrupted = 0;
bool last = false; ///< the last call was interrupted
int openings = 0;  ///< so many more are interrupted

/// True every second time, on files.
bool interrupts(int descriptor)
{
    struct stat info {};
    if (interruptions == 0 || ::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    last = !last;
    if (!last)
        return false;
    --interruptions;
    ++interrupted;
    errno = EINTR;
    return true;
}

bool interruptsOpening()
{
    if (openings == 0)
        return false;
    --openings;
    ++interrupted;
    errno = EINTR;
    return true;
}

} // namespace

extern "C" {
__attribute__((visibility("default"))) int open(const char* path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return interruptsOpening()
               ? -1
               : static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
__attribute__((visibility("default"))) std::FILE* fopen64(const char* path, const char* mode)
{
    static const auto real =
        reinterpret_cast<std::FILE* (*)(const char*, const char*)>(::dlsym(RTLD_NEXT, "fopen64"));
    return interruptsOpening() ? nullptr : real(path, mode);
}
__attribute__((visibility("default"))) int fsync(int descriptor)
{
    return interrupts(descriptor) ? -1 : static_cast<int>(::syscall(SYS_fsync, descriptor));
}
__attribute__((visibility("default"))) ssize_t write(int descriptor, const void* data, size_t size)
{
    return interrupts(descriptor) ? -1 : ::syscall(SYS_write, descriptor, data, size);
}
__attribute__((visibility("default"))) ssize_t writev(int descriptor, const iovec* parts, int count)
{
    return interrupts(descriptor) ? -1 : ::syscall(SYS_writev, descriptor, parts, count);
}
}

namespace floe {
namespace {

class Interruption : public testing::Test {
protected:
    void TearDown() override
    {
        interruptions = 0;
        EXPECT_GT(interrupted, 0) << "nothing was tried";
        interrupted = 0;
        last = false;
    }
    const test::TemporaryFolder folder_;
};

TEST_F(Interruption, OfWritingAndSynchronisingAFileLosesNothing)
{
    const std::string content(100'000, 'x');
    interruptions = 4;
    writeFileAtomically(folder_ / "file", content);
    EXPECT_EQ(interrupted, 2) << "write and fsync, once each";
    EXPECT_EQ(readFile(folder_ / "file"), content);
}

TEST_F(Interruption, OfSynchronisingAloneLosesNothing)
{
    replaceFile(folder_ / "file", [](const std::filesystem::path& temporary) {
        writeFileAtomically(temporary, "content");
        interruptions = 1;
    });
    EXPECT_EQ(readFile(folder_ / "file"), "content");
}

TEST_F(Interruption, OfOpeningLosesNothing)
{
    openings = 1;
    writeFileAtomically(folder_ / "file", "content");
    openings = 2;
    EXPECT_EQ(readFile(folder_ / "file"), "content");
    openings = 1;
    FolderWatch(folder_.path()).check();
    EXPECT_EQ(interrupted, 4);
}

TEST_F(Interruption, OfWritingAPictureLosesNothing)
{
    std::vector<std::uint8_t> samples(200 * 100 * 3);
    std::uint32_t state = 1; // noise, so that it does not compress
    for (std::uint8_t& sample : samples)
        sample = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
    interruptions = 6;
    openings = 1;
    io::writePng(folder_ / "picture.png", 200, 100, 3, std::span<const std::uint8_t>(samples));
    EXPECT_GE(interrupted, 3);
    const io::LoadedImage read = io::readPng(folder_ / "picture.png");
    ASSERT_EQ(read.samples.size(), samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i)
        ASSERT_EQ(std::lround(read.samples[i] * 255), samples[i]) << i;
}

} // namespace
} // namespace floe
