// What control groups grant, as the kernel's files say it, in both versions.
#include "control_group.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace floe::compute {
namespace {

class ControlGroup : public testing::Test {
protected:
    void write(const std::string& path, const std::string& text)
    {
        const auto file = root.path() / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    GroupMemory memory() { return groupMemory(root.path()); }

    const test::TemporaryFolder root;
};

constexpr std::uint64_t kNone = UINT64_MAX;

TEST_F(ControlGroup, WithoutOneNothingLimits)
{
    EXPECT_EQ(memory().limit, kNone);
    EXPECT_EQ(memory().available, kNone);
}

TEST_F(ControlGroup, VersionTwoWithoutItsFileCache)
{
    write("proc/self/cgroup", "0::/farm/job\n");
    write("sys/fs/cgroup/farm/job/memory.max", "1000\n");
    write("sys/fs/cgroup/farm/job/memory.current", "700\n");
    write("sys/fs/cgroup/farm/job/memory.stat",
          "anon 400\nfile 300\ninactive_file 200\nactive_file 50\n");
    EXPECT_EQ(memory().limit, 1000u);
    EXPECT_EQ(memory().available, 550u);
}

TEST_F(ControlGroup, TheGroupsAroundItCountToo)
{
    write("proc/self/cgroup", "0::/farm/job\n");
    write("sys/fs/cgroup/farm/job/memory.max", "max\n");
    write("sys/fs/cgroup/farm/memory.max", "1000\n");
    write("sys/fs/cgroup/farm/memory.current", "1200\n");
    write("sys/fs/cgroup/memory.max", "5000\n");
    write("sys/fs/cgroup/memory.current", "100\n");
    EXPECT_EQ(memory().limit, 1000u);
    EXPECT_EQ(memory().available, 0u) << "more in use than allowed";
}

TEST_F(ControlGroup, VersionOne)
{
    write("proc/self/cgroup", "9:name=systemd:/\n4:cpuset,memory:/job\n0::/\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000\n");
    write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "700\n");
    write("sys/fs/cgroup/memory/job/memory.stat",
          "inactive_file 1\ntotal_inactive_file 100\ntotal_active_file 50\n");
    EXPECT_EQ(memory().limit, 1000u);
    EXPECT_EQ(memory().available, 450u);
}

TEST_F(ControlGroup, InAContainerThePathMayBeTheHosts)
{
    write("proc/self/cgroup", "4:memory:/docker/0123\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n");
    write("sys/fs/cgroup/memory/memory.usage_in_bytes", "100\n");
    EXPECT_EQ(memory().limit, 1000u);
    EXPECT_EQ(memory().available, 900u);
}

TEST_F(ControlGroup, WhatCannotBeReadDoesNotLimit)
{
    write("proc/self/cgroup", "nothing\n:\n4:memory\n0::../../..\n7:memory:/job\n");
    write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "-\n");
    write("sys/fs/cgroup/memory/job/memory.stat", "total_inactive_file\n");
    EXPECT_EQ(memory().limit, kNone);
    EXPECT_EQ(memory().available, kNone);
}

} // namespace
} // namespace floe::compute
