#include "isolated_read.hpp"

#include "temporary_folder.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <sys/stat.h>

namespace floe::io {
namespace {

using testing::HasSubstr;

/// A script in place of the program that reads.
class IsolatedRead : public testing::Test {
protected:
    IsolatedRead() { folder.file("a.vdb", "any content"); }
    ~IsolatedRead() override { compute::setHostMemoryLimit(0); }

    void program(const std::string& script)
    {
        folder.file("reader.sh", "#!/bin/sh\n" + script + "\n");
        settings.program = folder / "reader.sh";
        std::filesystem::permissions(settings.program, std::filesystem::perms::owner_all);
    }
    template <class Failure>
    std::string failure()
    {
        try {
            readIsolated(folder / "a.vdb", {"volume", (folder / "a.vdb").string(), ""}, settings);
        } catch (const Failure& error) {
            return error.what();
        }
        ADD_FAILURE() << "it was read";
        return "";
    }

    test::TemporaryFolder folder;
    IsolatedReadSettings settings;
};

TEST_F(IsolatedRead, AProcessKilledFromOutsideDoesNotBlameTheFile)
{
    program("echo try >> " + (folder / "tries").string() + "; kill -KILL $$");
    const std::string said = failure<IoError>();
    EXPECT_THAT(said, HasSubstr("SIGKILL (stopped from outside, perhaps for want of memory)"));
    EXPECT_THAT(said, Not(HasSubstr("damaged")));
    EXPECT_EQ(std::filesystem::file_size(folder / "tries"), 8u); // "try" twice: it may pass

    program("kill -SEGV $$"); // before it says that it begins
    EXPECT_THAT(failure<IoError>(), Not(HasSubstr("damaged")));
    program("printf x; kill -SEGV $$");
    EXPECT_THAT(failure<IoError>(), HasSubstr("damaged"));
}

TEST_F(IsolatedRead, AProcessThatMakesNoProgressIsGivenUp)
{
    settings.patience = std::chrono::seconds(1);
    program("kill -STOP $$");
    EXPECT_THAT(failure<IoError>(), HasSubstr("no progress for 1 s (stopped from outside)"));
    program("sleep 600");
    EXPECT_THAT(failure<IoError>(), HasSubstr("no progress for 1 s"));
}

TEST_F(IsolatedRead, CancelEndsItAtOnce)
{
    const auto begin = std::chrono::steady_clock::now();
    settings.cancelled = [&] {
        return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(50);
    };
    program("kill -STOP $$");
    failure<CancelledError>();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(IsolatedRead, WhatTheProcessTakesCountsAsMemoryOfTheRun)
{
    compute::setHostMemoryLimit(compute::hostBytes() + (40u << 20));
    program("exec tail /dev/zero"); // keeps the last line, which has no end
    EXPECT_THAT(failure<MemoryError>(), HasSubstr("reading it takes too much"));
    program("exec head -c 400000000 /dev/zero"); // so does what it writes
    EXPECT_THAT(failure<MemoryError>(), HasSubstr("reading it takes too much"));
    EXPECT_EQ(compute::hostBytes(), 0u);
}

TEST_F(IsolatedRead, APipeIsRefused)
{
    std::filesystem::remove(folder / "a.vdb");
    ASSERT_EQ(::mkfifo((folder / "a.vdb").c_str(), 0600), 0);
    EXPECT_THAT(failure<IoError>(), HasSubstr("is not a regular file"));
}

} // namespace
} // namespace floe::io
