// Faults that the watch must find, and their right counterparts, which it must not blame.

#include "cuda_device.hpp"
#include "memory_watch.hpp"

#include <floe/sdk/cuda.hpp>
#include <floe/sdk/device_memory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

using floe::sdk::cuda::Device;
using floe::sdk::cuda::DeviceArray;
using floe::test::MemoryWatch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

__global__ void fill(int* values, int count)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count)
        values[i] = i;
}

/// Every block adds to the same number. @param right  atomically
__global__ void addUp(const int* values, int* sum, bool right)
{
    const int value = values[blockIdx.x * blockDim.x + threadIdx.x];
    if (right)
        atomicAdd(sum, value);
    else
        *sum += value;
}

/// Turns the values of a block around. @param right  with a barrier between
__global__ void turnAround(int* values, bool right)
{
    FLOE_SHARED(int, copy, 64);
    copy[threadIdx.x] = values[threadIdx.x];
    if (right)
        __syncthreads();
    values[threadIdx.x] = copy[63 - threadIdx.x];
}

/// The lanes of a warp read what their neighbours have written. @param right  after an exchange
__global__ void passOn(int* values, bool right)
{
    values[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (right)
        __syncwarp();
    const int next = values[(threadIdx.x + 1) % 32];
    if (right)
        __syncwarp();
    values[threadIdx.x] = next;
}

/// One block tells another one something, without any order.
__global__ void tell(int* message, int* heard)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *message = 5;
    if (blockIdx.x == 1 && threadIdx.x == 0)
        *heard = *message;
}

__global__ void readOne(const int* values, int at, int* to)
{
    *to = values[at];
}

class Planted : public testing::Test {
protected:
    MemoryWatch watch;
    Device device{floe::test::cudaDevice()};
    DeviceArray<int> values{device}, sum{device};

    void SetUp() override
    {
        values.needExactly(256);
        sum.needExactly(1);
        sum.fill(0, 1);
        FLOE_LAUNCH(fill, 4, 64, 0, device.stream(), values.data(), 256);
        ASSERT_THAT(watch.found(), IsEmpty());
        ASSERT_GE(watch.accesses(), 256u);
    }
};

} // namespace

TEST_F(Planted, BlocksThatAddWithoutAtomics)
{
    FLOE_LAUNCH(addUp, 4, 64, 0, device.stream(), values.data(), sum.data(), true);
    EXPECT_THAT(watch.found(), IsEmpty());
    EXPECT_EQ(sum.download(1)[0], 255 * 256 / 2);
    FLOE_LAUNCH(addUp, 4, 64, 0, device.stream(), values.data(), sum.data(), false);
    EXPECT_THAT(watch.found(),
                ElementsAre(testing::AllOf(HasSubstr("kernel 'addUp': bytes of device memory"),
                                           HasSubstr("nothing that orders these"))));
}

TEST_F(Planted, ThreadsWithoutABarrier)
{
    FLOE_LAUNCH(turnAround, 1, 64, 0, device.stream(), values.data(), true);
    EXPECT_THAT(watch.found(), IsEmpty());
    FLOE_LAUNCH(turnAround, 1, 64, 0, device.stream(), values.data(), false);
    ASSERT_FALSE(watch.found().empty());
    EXPECT_THAT(watch.found().front(), HasSubstr("shared memory"));
}

TEST_F(Planted, LanesWithoutAnExchange)
{
    FLOE_LAUNCH(passOn, 1, 32, 0, device.stream(), values.data(), true);
    EXPECT_THAT(watch.found(), IsEmpty());
    FLOE_LAUNCH(passOn, 1, 32, 0, device.stream(), values.data(), false);
    EXPECT_THAT(watch.found(), ElementsAre(HasSubstr("kernel 'passOn'")));
}

TEST_F(Planted, BlocksThatReadWhatOthersWrite)
{
    FLOE_LAUNCH(tell, 2, 32, 0, device.stream(), values.data(), sum.data());
    EXPECT_THAT(watch.found(), ElementsAre(HasSubstr("of block 0 and thread 0 of block 1")));
}

TEST_F(Planted, ReadingWhatNothingHasWritten)
{
    DeviceArray<int> fresh(device);
    fresh.needExactly(8);
    fresh.fill(0, 4);
    FLOE_LAUNCH(readOne, 1, 1, 0, device.stream(), fresh.data(), 3, sum.data());
    EXPECT_THAT(watch.found(), IsEmpty());
    FLOE_LAUNCH(readOne, 1, 1, 0, device.stream(), fresh.data(), 4, sum.data());
    EXPECT_THAT(watch.found(),
                ElementsAre(HasSubstr("reads device memory that nothing has written")));
}

TEST_F(Planted, ReadingBeyondAnAllocation)
{
    FLOE_LAUNCH(readOne, 1, 1, 0, device.stream(), values.data(), 255, sum.data());
    EXPECT_THAT(watch.found(), IsEmpty());
    FLOE_LAUNCH(readOne, 1, 1, 0, device.stream(), values.data(), 256, sum.data());
    EXPECT_THAT(watch.found(),
                ElementsAre(HasSubstr("reads beyond an allocation of 1024 bytes, at byte 1024")));
}
