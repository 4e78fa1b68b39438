// Host memory is counted, and ends with an error instead of the process.
#include "control_group.hpp"
#include "floe/base/error.hpp"
#include "floe/compute/buffer.hpp"
#include "floe/compute/memory.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace floe::compute {

TEST(HostMemory, IsCountedWhileItIsHeld)
{
    const std::uint64_t before = hostBytes();
    void* memory = allocateHost(1000);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % kHostAlignment, 0u);
    EXPECT_EQ(hostBytes(), before + 1000);
    releaseHost(memory);
    EXPECT_EQ(hostBytes(), before);
    EXPECT_GE(peakHostBytes(), before + 1000);
}

TEST(HostMemory, NothingIsStillSomewhere)
{
    void* nothing = allocateHost(0);
    EXPECT_NE(nothing, nullptr);
    releaseHost(nothing);
    releaseHost(nullptr);
}

TEST(HostMemory, MoreThanTheMachineHasIsRefused)
{
    const std::uint64_t before = hostBytes();
    for (const std::uint64_t bytes :
         {hostMemoryLimit() + 1, std::uint64_t{1} << 60, ~std::uint64_t{0}})
        EXPECT_THROW(allocateHost(bytes), MemoryError) << bytes;
    EXPECT_EQ(hostBytes(), before);
}

TEST(HostMemory, ALimitHoldsForTheSumAndIsExplained)
{
    setHostMemoryLimit(hostBytes() + (1 << 20));
    {
        const Array<float> half(100000);
        try {
            const Array<float> more(200000);
            ADD_FAILURE() << "1.2 MB fit into 1 MiB";
        } catch (const MemoryError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr("781 KiB asked for"));
        }
        const Array<float> rest(100000);
    }
    setHostMemoryLimit(0);
}

/// A machine with so much memory left.
class SmallMachine {
public:
    explicit SmallMachine(int mebibytes)
    {
        std::filesystem::create_directories(root_ / "proc");
        std::ofstream(root_ / "proc/meminfo")
            << "MemTotal: 99999999 kB\nMemAvailable: " << mebibytes * 1024 << " kB\n";
        readSystemFrom(root_.path());
    }
    ~SmallMachine() { readSystemFrom("/"); }

private:
    test::TemporaryFolder root_;
};

TEST(HostMemory, WhatTheMachineHasNoMoreIsRefused)
{
    const SmallMachine machine(20);
    EXPECT_EQ(hostMemoryLeft(), 20u << 20);
    releaseHost(allocateHost(19 << 20));
    try {
        releaseHost(allocateHost(32 << 20));
        ADD_FAILURE() << "32 MiB fit into 20 MiB";
    } catch (const MemoryError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("control group has 20 MiB left"));
    }
    setHostMemoryLimit(hostBytes() + (1 << 20));
    EXPECT_EQ(hostMemoryLeft(), 1u << 20);
    setHostMemoryLimit(0);
}

TEST(HostMemory, SoIsWhatOthersTake)
{
    {
        const SmallMachine machine(20);
        EXPECT_TRUE(claimHost(19 << 20));
        EXPECT_FALSE(claimHost(32 << 20));
    }
    const SmallMachine nothing(0);
    bool given = true;
    for (int i = 0; i < 1 << 20 && given; ++i) // 1 KiB at a time
        given = claimHost(1024);
    EXPECT_FALSE(given);
}

TEST(HostMemory, CountsOfObjectsDoNotWrapAround)
{
    // 2^62 + 1 floats are 4 bytes modulo 2^64.
    EXPECT_THROW(Array<float>((1ull << 62) + 1), MemoryError);
}

TEST(Buffers, MoveAndKeepTheirContents)
{
    Array<int> a(std::span<const int>({1, 2, 3}));
    const int* place = a.data();
    Array<int> b = std::move(a);
    EXPECT_EQ(b.data(), place);
    EXPECT_EQ(b[2], 3);
}

} // namespace floe::compute
