// What C++ takes in `floe` is refused before the system kills the process for it.
#include "control_group.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace floe {
namespace {

/// A control group that has so much left.
class Claimed : public testing::Test {
protected:
    void leave(int mebibytes)
    {
        const std::filesystem::path group = root_ / "sys/fs/cgroup";
        std::filesystem::create_directories(group);
        std::filesystem::create_directories(root_ / "proc/self");
        std::ofstream(root_ / "proc/self/cgroup") << "0::/\n";
        std::ofstream(group / "memory.max") << (std::int64_t{4096} << 20);
        std::ofstream(group / "memory.current") << (std::int64_t{4096 - 64 - mebibytes} << 20);
        compute::readSystemFrom(root_.path());
    }
    ~Claimed() override { compute::readSystemFrom("/"); }

    test::TemporaryFolder root_;
};

TEST_F(Claimed, ALargeBlockThatFitsIsGiven)
{
    leave(100);
    const std::vector<char> block(90 << 20);
    EXPECT_EQ(block.back(), 0);
}

TEST_F(Claimed, OneThatDoesNotIsRefused)
{
    leave(50);
    EXPECT_THROW(std::vector<char>(90 << 20), std::bad_alloc);
    EXPECT_THROW(std::string(90 << 20, 'x'), std::bad_alloc);
    EXPECT_EQ(new (std::nothrow) char[90 << 20], nullptr);
}

// As trees of OpenVDB grow, leaf by leaf.
TEST_F(Claimed, ManySmallOnesAreRefusedToo)
{
    leave(50);
    std::vector<std::unique_ptr<char[]>> leaves;
    const auto grow = [&](int count) {
        for (int i = 0; i < count; ++i)
            leaves.push_back(std::make_unique<char[]>(2048));
    };
    grow(100);
    leave(0);
    EXPECT_THROW(grow(20000), std::bad_alloc);
    leaves.clear();
    leave(50);
    EXPECT_NO_THROW(grow(1000)) << "what was given back can be had again";
}

} // namespace
} // namespace floe
