#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/folder_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace floe {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
protected:
    Files()
    {
        std::string name = (fs::temp_directory_path() / "floe-test-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
    }
    ~Files() override { fs::remove_all(folder_); }
    std::size_t entries() const
    {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    fs::path folder_;
};

TEST_F(Files, ContentComesBackAsWritten)
{
    const std::string content("zero \0 byte\r\n\xff", 14);
    writeFileAtomically(folder_ / "new/deep/a.bin", content);
    EXPECT_EQ(readFile(folder_ / "new/deep/a.bin"), content);
    EXPECT_EQ(entries(), 1u); // no temporary file is left
}

// A pipe may wait for ever, a device never end; nothing of them is read.
TEST_F(Files, WhatIsNotARegularFileIsRefusedAtOnce)
{
    ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    fs::create_symlink("/dev/zero", folder_ / "endless.obj");
    int ends[2]; // somebody has the pipe open and never writes
    ASSERT_EQ(::pipe(ends), 0);
    for (const fs::path& path :
         {folder_ / "pipe", folder_ / "endless.obj", fs::path("/dev/fd") / std::to_string(ends[0])})
        try {
            readFile(path);
            FAIL() << path << " was read";
        } catch (const IoError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr("is not a regular file"));
        }
    ::close(ends[0]);
    ::close(ends[1]);
}

// Removed, moved away or replaced, even by one that looks the same.
TEST_F(Files, AFolderThatIsNoLongerInItsPlaceIsNoticed)
{
    const fs::path watched = folder_ / "out";
    for (const auto& change : std::initializer_list<std::function<void()>>{
             [&] { fs::remove_all(watched); },
             [&] {
                 fs::remove_all(watched);
                 fs::create_directories(watched);
             },
             [&] {
                 fs::rename(watched, folder_ / "elsewhere");
                 fs::create_directories(watched);
             }}) {
        fs::create_directories(watched);
        const FolderWatch watch(watched);
        EXPECT_NO_THROW(watch.check());
        change();
        EXPECT_THROW(watch.check(), IoError);
    }
    EXPECT_THROW(FolderWatch(folder_ / "missing"), IoError);
}

// As a plugin does that closes all descriptors.
TEST_F(Files, AFolderWhoseDescriptorWasClosedIsNotCalledMoved)
{
    const FolderWatch watch(folder_);
    for (const auto& descriptor : fs::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        if (fs::equivalent(fs::read_symlink(descriptor, gone), folder_, gone))
            ::close(std::atoi(descriptor.path().filename().c_str()));
    }
    try {
        watch.check();
        FAIL() << "its descriptor is open";
    } catch (const IoError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("closed descriptors that are not its own"));
    }
}

TEST_F(Files, AReaderNeverSeesHalfAFile)
{
    const fs::path path = folder_ / "a.txt";
    const std::string versions[] = {std::string(1'000'000, 'a'), std::string(500'000, 'b')};
    writeFileAtomically(path, versions[0]);
    std::atomic<bool> done{false};
    std::thread writer([&] {
        for (int i = 1; i < 40; ++i)
            writeFileAtomically(path, versions[i % 2]);
        done = true;
    });
    while (!done) {
        const std::string seen = readFile(path);
        if (seen != versions[0] && seen != versions[1]) {
            ADD_FAILURE() << "saw " << seen.size() << " bytes";
            break;
        }
    }
    writer.join();
}

TEST_F(Files, AFailedWriteKeepsTheOldFileAndLeavesNothingBehind)
{
    const fs::path path = folder_ / "a.txt";
    writeFileAtomically(path, "old");
    EXPECT_THROW(replaceFile(path,
                             [](const fs::path& temporary) {
                                 std::ofstream(temporary) << "half";
                                 throw IoError({}, "the disk is full");
                             }),
                 IoError);
    EXPECT_EQ(readFile(path), "old");
    EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, AFullDiskIsAnErrorWithItsReason)
{
    // A limit on file size fails writes as a full disk does.
    struct rlimit before {};
    ::getrlimit(RLIMIT_FSIZE, &before);
    struct rlimit small = before;
    small.rlim_cur = 1000;
    std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &small);
    const auto messageOf = [](const auto& write) -> std::string {
        try {
            write();
        } catch (const IoError& error) {
            return error.what();
        }
        return "no error";
    };
    const std::string content(5000, 'x');
    const std::string whole = messageOf([&] { writeFileAtomically(folder_ / "a.txt", content); });
    const std::string stream = messageOf([&] {
        replaceFile(folder_ / "a.txt", [&](const fs::path& temporary) {
            std::ofstream file(temporary);
            file << content;
            file.close();
            if (!file)
                throw cannotWrite(folder_ / "a.txt");
        });
    });
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_THAT(whole, testing::HasSubstr("a.txt: cannot write: File too large"));
    EXPECT_EQ(stream, whole);
    EXPECT_EQ(entries(), 0u);
}

TEST_F(Files, WhatAKilledWriterLeftIsWrittenOver)
{
    std::ofstream(folder_ / ".a.part.txt") << "half of something longer";
    std::ofstream(folder_ / ".b.part.txt") << "of another file";
    writeFileAtomically(folder_ / "a.txt", "new");
    EXPECT_EQ(readFile(folder_ / "a.txt"), "new");
    EXPECT_EQ(entries(), 2u);
    EXPECT_TRUE(fs::exists(folder_ / ".b.part.txt"));
    fs::create_symlink(folder_ / "a.txt", folder_ / ".c.part.txt");
    writeFileAtomically(folder_ / "c.txt", "not through a link");
    EXPECT_EQ(readFile(folder_ / "a.txt"), "new");
    EXPECT_EQ(readFile(folder_ / "c.txt"), "not through a link");
}

TEST_F(Files, WritersOfTheSameFileDoNotMeet)
{
    replaceFile(folder_ / "a.txt", [this](const fs::path& outer) {
        std::ofstream(outer) << "outer";
        replaceFile(folder_ / "a.txt", [&](const fs::path& inner) {
            EXPECT_NE(inner, outer);
            std::ofstream(inner) << "inner";
        });
        EXPECT_EQ(readFile(folder_ / "a.txt"), "inner");
        EXPECT_EQ(readFile(outer), "outer");
    });
    EXPECT_EQ(readFile(folder_ / "a.txt"), "outer");
    EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, AProcessThatEndsAtOnceLeavesNoPart)
{
    EXPECT_THROW(replaceFile(folder_ / "a.txt",
                             [this](const fs::path& temporary) {
                                 std::ofstream(temporary) << "half";
                                 EXPECT_EQ(entries(), 1u);
                                 removeTemporaryFiles(); // as another thread would
                                 EXPECT_EQ(entries(), 0u);
                             }),
                 IoError);
    EXPECT_EQ(entries(), 0u);
}

TEST_F(Files, WhatCannotBeReadSaysWhy)
{
    const auto messageOf = [](const fs::path& path, std::uint64_t limit) -> std::string {
        try {
            readFile(path, limit);
        } catch (const IoError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_THAT(messageOf(folder_ / "none", 100), testing::HasSubstr("No such file"));
    EXPECT_THAT(messageOf(folder_, 100), testing::HasSubstr("is a folder"));
    writeFileAtomically(folder_ / "a.txt", std::string(101, 'x'));
    EXPECT_THAT(messageOf(folder_ / "a.txt", 100), testing::HasSubstr("larger than 100 bytes"));
    EXPECT_THAT(messageOf("/dev/zero", 100), testing::HasSubstr("is not a regular file"));
}

} // namespace
} // namespace floe
