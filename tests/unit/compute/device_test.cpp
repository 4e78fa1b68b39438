// Choosing devices by text, and the memory of a device.
#include "floe/base/error.hpp"
#include "floe/compute/buffer.hpp"
#include "floe/compute/device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace floe::compute {

using testing::HasSubstr;

TEST(Devices, ListsNameSeveral)
{
    EXPECT_EQ(devicesOf("cuda:1-3"), (std::vector<std::string>{"cuda:1", "cuda:2", "cuda:3"}));
    EXPECT_EQ(devicesOf("cuda:0,2-3,1"),
              (std::vector<std::string>{"cuda:0", "cuda:2", "cuda:3", "cuda:1"}));
    for (const char* one : {"auto", "cpu", "cuda", "cuda:7", "cuda:", "what-ever"})
        EXPECT_EQ(devicesOf(one), std::vector<std::string>{one});
    for (const char* text : {"cuda:-", "cuda:3-1", "cuda:1,", "cuda:,1", "cuda:0-1023,0",
                             "cuda:0-1024", "cuda:0-99999999999", "cuda:--1", "cuda:1-2x"})
        EXPECT_THROW(devicesOf(text), floe::InputError) << text;
}

TEST(Devices, TheCpuIsAlwaysThereAndListedFirst)
{
    EXPECT_EQ(selectDevice("cpu"), cpuDevice());
    const auto devices = listDevices();
    ASSERT_GE(devices.size(), 1u);
    EXPECT_EQ(devices[0].id, "cpu");
    EXPECT_GT(devices[0].memory, 1u << 20);
}

TEST(Devices, AutoTakesCudaWhereThereIsADeviceElseTheCpu)
{
    const bool cuda = listDevices().size() > 1;
    EXPECT_EQ(selectDevice("auto")->kind(), cuda ? DeviceKind::cuda : DeviceKind::cpu);
}

TEST(Devices, AMissingCudaDeviceIsSaidToBeMissing)
{
    const std::size_t count = listDevices().size() - 1;
    try {
        selectDevice("cuda:" + std::to_string(count));
        FAIL() << "there is no such device";
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), HasSubstr("no CUDA device"));
    }
}

TEST(Devices, OtherTextIsRefusedWithTheChoices)
{
    for (const char* text : {"", "gpu", "cuda:", "cuda:-1", "cuda:1x", "cuda:99999999999", "CPU"}) {
        try {
            selectDevice(text);
            FAIL() << text;
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), HasSubstr("give auto, cpu, cuda or cuda:N"));
        }
    }
}

// Runs on the CPU and, where there is one, on the first CUDA device.
class OnEachDevice : public testing::TestWithParam<const char*> {};

TEST_P(OnEachDevice, MemoryHoldsWhatWasCopiedThere)
{
    DevicePointer device;
    try {
        device = selectDevice(GetParam());
    } catch (const DeviceError& error) {
        GTEST_SKIP() << error.what();
    }
    std::vector<int> numbers(100000);
    std::iota(numbers.begin(), numbers.end(), 7);
    const std::uint64_t bytes = numbers.size() * sizeof(int);
    {
        Buffer a(device, bytes);
        Buffer b(device, bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u);
        EXPECT_GE(device->usedBytes(), 2 * bytes);
        device->copy(a.data(), numbers.data(), bytes, Copy::toDevice);
        device->copy(b.data(), a.data(), bytes, Copy::onDevice);
        const Buffer back = b.toHost();
        EXPECT_EQ(back.space(), Space::host);
        EXPECT_EQ(std::memcmp(back.data(), numbers.data(), bytes), 0);
    }
    EXPECT_GE(device->peakBytes(), 2 * bytes);
    EXPECT_THROW(device->allocate(1ull << 60), MemoryError);
    // The device still works after that.
    const Buffer small(device, 16);
    device->synchronise();
    EXPECT_EQ(selectDevice(GetParam()), device);
}

INSTANTIATE_TEST_SUITE_P(Devices, OnEachDevice, testing::Values("cpu", "cuda"));

} // namespace floe::compute
