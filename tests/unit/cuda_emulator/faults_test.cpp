// Broken kernels are caught, and the message says where.
#include "floe/sdk/cuda.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace floe::test {
namespace {

using testing::HasSubstr;

/// The message of the fault that `body` ends with.
template <class Body>
std::string faultOf(Body body)
{
    try {
        body();
    } catch (const emulator::KernelFault& fault) {
        return fault.what();
    }
    return "no fault";
}

void barrierForHalf()
{
    if (threadIdx.x < 16)
        __syncthreads();
}

TEST(EmulatorFaults, BarrierNotReachedByAll)
{
    const std::string fault = faultOf([] { FLOE_LAUNCH(barrierForHalf, 2, 64, 0, nullptr); });
    EXPECT_THAT(fault, HasSubstr("barrierForHalf"));
    EXPECT_THAT(fault, HasSubstr("faults_test.cpp:"));
    EXPECT_THAT(fault, HasSubstr("only 16 of 64 threads"));
    EXPECT_THAT(fault, HasSubstr("48 have returned (first: thread 16)"));
}

void differentBarriers()
{
    if (threadIdx.x % 2 == 0)
        __syncthreads();
    else
        __syncthreads();
}

TEST(EmulatorFaults, ThreadsAtDifferentBarriers)
{
    EXPECT_THAT(faultOf([] { FLOE_LAUNCH(differentBarriers, 1, 32, 0, nullptr); }),
                HasSubstr("different barriers"));
}

void missingLane()
{
    if (threadIdx.x != 3)
        __shfl_xor_sync(0xFFFFFFFFu, 1, 1);
}

TEST(EmulatorFaults, WarpExchangeWithALaneThatReturned)
{
    EXPECT_THAT(faultOf([] { FLOE_LAUNCH(missingLane, 1, 32, 0, nullptr); }),
                HasSubstr("__shfl_xor_sync waits for lane 3, which has returned"));
}

void crossedWaits()
{
    if (threadIdx.x == 0)
        __syncwarp(0x3u);
    else
        __syncthreads();
}

TEST(EmulatorFaults, BarrierAndWarpThatWaitForEachOther)
{
    const std::string fault = faultOf([] { FLOE_LAUNCH(crossedWaits, 1, 2, 0, nullptr); });
    EXPECT_THAT(fault, HasSubstr("1 of 2 threads"));
    EXPECT_THAT(fault, HasSubstr("1 wait in __syncwarp"));
}

void differentMasks()
{
    __ballot_sync(threadIdx.x == 0 ? 0x3u : 0x2u | 0x1u << (threadIdx.x * 2), 1);
}

TEST(EmulatorFaults, LanesWithDifferentMasks)
{
    EXPECT_THAT(faultOf([] { FLOE_LAUNCH(differentMasks, 1, 32, 0, nullptr); }),
                testing::AnyOf(HasSubstr("deadlock"), HasSubstr("mask")));
}

void callerNotInMask()
{
    __syncwarp(0x1u);
}

TEST(EmulatorFaults, LaneThatItsOwnMaskDoesNotName)
{
    EXPECT_THAT(faultOf([] { FLOE_LAUNCH(callerNotInMask, 1, 32, 0, nullptr); }),
                HasSubstr("called by lane 1, which the mask does not name"));
}

void endlessSpin(unsigned* flag)
{
    while (atomicAdd(flag, 0u) == 0)
        __nanosleep(10);
}

TEST(EmulatorFaults, WaitingForAFlagThatNobodySets)
{
    emulator::options().spinLimit = 100;
    unsigned flag = 0;
    EXPECT_THAT(faultOf([&] { FLOE_LAUNCH(endlessSpin, 1, 32, 0, nullptr, &flag); }),
                HasSubstr("spin without end"));
    emulator::options() = {};
}

void indexBeyondShared(int i)
{
    FLOE_SHARED(float, values, 8);
    values[i] = 0;
}

TEST(EmulatorFaults, IndexBeyondSharedMemory)
{
    for (const int i : {8, -1}) {
        const std::string fault =
            faultOf([&] { FLOE_LAUNCH(indexBeyondShared, 1, 1, 0, nullptr, i); });
        EXPECT_THAT(fault, HasSubstr("index " + std::to_string(i)));
        EXPECT_THAT(fault, HasSubstr("thread (0, 0, 0)"));
    }
}

void pointerBeyondShared()
{
    FLOE_DYNAMIC_SHARED(float, values);
    float* end = values + blockDim.x;
    end[threadIdx.x / 31] = 0; // past the end, where checked indices do not look
}

TEST(EmulatorFaults, PointerBeyondSharedMemory)
{
    EXPECT_THAT(
        faultOf([] { FLOE_LAUNCH(pointerBeyondShared, 1, 32, 32 * sizeof(float), nullptr); }),
        HasSubstr("shared memory is written out of bounds: byte 128 of 128"));
}

void writeBefore(int* memory)
{
    memory[-1] = 0;
}

TEST(EmulatorFaults, WriteOutsideOfDeviceMemory)
{
    auto& heap = emulator::DeviceHeap::instance();
    int* memory = static_cast<int*>(heap.allocate(64));
    EXPECT_THAT(faultOf([&] { FLOE_LAUNCH(writeBefore, 1, 1, 0, nullptr, memory); }),
                HasSubstr("device memory is written out of bounds"));
    EXPECT_THROW(heap.release(memory), emulator::KernelFault);
    EXPECT_EQ(heap.used(), 0u);
}

TEST(EmulatorFaults, DeviceMemoryEndsAtItsLimit)
{
    auto& heap = emulator::DeviceHeap::instance();
    heap.setLimit(1000);
    void* first = heap.allocate(600);
    EXPECT_NE(first, nullptr);
    EXPECT_EQ(heap.allocate(600), nullptr);
    heap.release(first);
    void* second = heap.allocate(600);
    EXPECT_NE(second, nullptr);
    heap.release(second);
    heap.setLimit(emulator::DeviceHeap::kNoLimit);
}

void readFresh(float* out)
{
    FLOE_SHARED(float, values, 4);
    out[threadIdx.x] = values[threadIdx.x];
}

TEST(EmulatorFaults, FreshSharedMemoryReadsAsNan)
{
    std::vector<float> out(4);
    FLOE_LAUNCH(readFresh, 1, 4, 0, nullptr, out.data());
    for (const float value : out)
        EXPECT_TRUE(std::isnan(value));
}

void takesHalf()
{
    FLOE_SHARED(float, values, 6144); // 24 KB
    values[threadIdx.x] = 0;
}

TEST(EmulatorFaults, MoreSharedMemoryThanABlockHasUnasked)
{
    EXPECT_EQ(faultOf([] { FLOE_LAUNCH(takesHalf, 1, 1, 24 * 1024, nullptr); }), "no fault");
    EXPECT_THAT(faultOf([] { FLOE_LAUNCH(takesHalf, 1, 1, 24 * 1024 + 4, nullptr); }),
                HasSubstr("takes 49156 bytes of shared memory"));
    EXPECT_THAT(faultOf([] { FLOE_LAUNCH(takesHalf, 1, 1, 50 * 1024, nullptr); }),
                HasSubstr("51200 bytes of dynamic shared memory"));
}

void nothing() {}

TEST(EmulatorFaults, LaunchesLargerThanTheDevice)
{
    EXPECT_THAT(faultOf([] { FLOE_LAUNCH(nothing, 1, 1025, 0, nullptr); }),
                HasSubstr("1025 threads a block"));
    EXPECT_THAT(faultOf([] { FLOE_LAUNCH(nothing, 0, 32, 0, nullptr); }), HasSubstr("empty grid"));
    EXPECT_THAT(faultOf([] { FLOE_LAUNCH(nothing, dim3(1, 70000), 32, 0, nullptr); }),
                HasSubstr("grid larger"));
    EXPECT_THAT(faultOf([] { FLOE_LAUNCH(nothing, 1, 32, 300000, nullptr); }),
                HasSubstr("300000 bytes of dynamic shared memory"));
}

// Each thread overwrites one word: the last writer wins. A race, so orders must disagree.
void lastWriterWins(unsigned* winner)
{
    *winner = threadIdx.x;
}

TEST(EmulatorFaults, SeedsExposeARace)
{
    std::set<unsigned> winners;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        emulator::options().seed = seed;
        unsigned winner = 0;
        FLOE_LAUNCH(lastWriterWins, 1, 64, 0, nullptr, &winner);
        winners.insert(winner);
    }
    emulator::options() = {};
    EXPECT_GT(winners.size(), 10u); // 20 draws of 64 that repeat more than half: about 1e-6
}

// Reads what a neighbour writes without a barrier between.
void missingBarrier(int* out)
{
    FLOE_SHARED(int, line, 64);
    line[threadIdx.x] = int(threadIdx.x);
    out[threadIdx.x] = line[63 - threadIdx.x];
}

TEST(EmulatorFaults, MissingBarrierShowsAsFreshMemory)
{
    std::vector<int> out(64);
    FLOE_LAUNCH(missingBarrier, 1, 64, 0, nullptr, out.data());
    EXPECT_EQ(out[0], -1);
}

TEST(EmulatorFaults, AFaultLeavesTheEmulatorUsable)
{
    EXPECT_NE(faultOf([] { FLOE_LAUNCH(barrierForHalf, 1, 64, 0, nullptr); }), "no fault");
    std::vector<int> out(64);
    FLOE_LAUNCH(missingBarrier, 1, 64, 0, nullptr, out.data());
    EXPECT_EQ(out[63], 0);
}

} // namespace
} // namespace floe::test
