// What control groups grant, as the kernel's files say it, in both versions.
#include "control_group.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdint>
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
    /// A group below /sys/fs/cgroup as the second version has it.
    void version2(const std::string& group, const std::string& limit, const std::string& usage)
    {
        write("sys/fs/cgroup" + group + "/memory.max", limit);
        write("sys/fs/cgroup" + group + "/memory.current", usage);
    }
    void version1(const std::string& group, const std::string& limit, const std::string& usage)
    {
        write("sys/fs/cgroup/memory" + group + "/memory.limit_in_bytes", limit);
        write("sys/fs/cgroup/memory" + group + "/memory.usage_in_bytes", usage);
    }
    void expect(std::uint64_t limit, std::uint64_t available)
    {
        const GroupMemory memory = groupMemory(root.path());
        EXPECT_EQ(memory.limit, limit);
        EXPECT_EQ(memory.available, available);
    }

    const test::TemporaryFolder root;
};

constexpr std::uint64_t kNone = UINT64_MAX;

TEST_F(ControlGroup, WithoutOneNothingLimits)
{
    expect(kNone, kNone);
}

TEST_F(ControlGroup, VersionTwoWithoutItsFileCache)
{
    write("proc/self/cgroup", "0::/batch/job\n");
    version2("/batch/job", "1000\n", "700\n");
    write("sys/fs/cgroup/batch/job/memory.stat",
          "anon 400\nfile 300\ninactive_file 200\nactive_file 50\n");
    expect(1000, 550);
}

TEST_F(ControlGroup, TheGroupsAroundItCountToo)
{
    write("proc/self/cgroup", "0::/batch/job\n");
    version2("/batch/job", "max\n", "1200\n");
    version2("/batch", "1000\n", "1200\n"); // more in use than allowed
    version2("", "5000\n", "100\n");
    expect(1000, 0);
}

TEST_F(ControlGroup, VersionOne)
{
    write("proc/self/cgroup", "9:name=systemd:/\n4:cpuset,memory:/job\n0::/\n");
    version1("", "9223372036854771712\n", "900\n");
    version1("/job", "1000\n", "700\n");
    write("sys/fs/cgroup/memory/job/memory.stat",
          "inactive_file 1\ntotal_inactive_file 100\ntotal_active_file 50\n");
    expect(1000, 450);
}

TEST_F(ControlGroup, InAContainerThePathMayBeTheHosts)
{
    write("proc/self/cgroup", "4:memory:/docker/0123\n");
    version1("", "1000\n", "100\n");
    expect(1000, 900);
}

TEST_F(ControlGroup, WhatCannotBeReadDoesNotLimit)
{
    write("proc/self/cgroup", "nothing\n:\n4:memory\n0::../../..\n7:memory:/job\n");
    version1("/job", "-\n", "");
    write("sys/fs/cgroup/memory/job/memory.stat", "total_inactive_file\n");
    expect(kNone, kNone);
}

} // namespace
} // namespace floe::compute
