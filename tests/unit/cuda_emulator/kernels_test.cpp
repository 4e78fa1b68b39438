// Correct kernels give their known results, in order and in any shuffled order of threads.
#include "kernels.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace floe::test {
namespace {

class InAnyOrder : public testing::TestWithParam<std::uint64_t> {
protected:
    void SetUp() override { emulator::options().seed = GetParam(); }
    void TearDown() override { emulator::options() = {}; }
};
INSTANTIATE_TEST_SUITE_P(Seeds, InAnyOrder, testing::Values(0, 1, 2, 77));

std::vector<int> firstNumbers(unsigned count)
{
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1);
    return numbers;
}

TEST_P(InAnyOrder, SumOfTheFirstThousandNumbers)
{
    const auto numbers = firstNumbers(1000);
    int total = 0;
    FLOE_LAUNCH((sumTree<128>), 4, 128, 0, nullptr, numbers.data(), 1000u, &total);
    EXPECT_EQ(total, 1000 * 1001 / 2);
}

TEST_P(InAnyOrder, ScanGivesTriangularNumbers)
{
    const auto numbers = firstNumbers(200);
    std::vector<int> sums(200);
    FLOE_LAUNCH(inclusiveScan, 1, 256, 256 * sizeof(int), nullptr, numbers.data(), 200u,
                sums.data());
    for (int i = 0; i < 200; ++i)
        EXPECT_EQ(sums[std::size_t(i)], (i + 1) * (i + 2) / 2);
}

TEST_P(InAnyOrder, EachWarpSumsItsOwnLanes)
{
    const auto numbers = firstNumbers(64);
    std::vector<int> sums(64);
    FLOE_LAUNCH(warpSums, 1, 64, 0, nullptr, numbers.data(), sums.data());
    for (std::size_t i = 0; i < 64; ++i)
        EXPECT_EQ(sums[i], i < 32 ? 32 * 33 / 2 : 64 * 65 / 2 - 32 * 33 / 2);
}

TEST_P(InAnyOrder, HistogramCountsEveryValueOnce)
{
    const auto numbers = firstNumbers(1600);
    std::vector<int> bins(16);
    FLOE_LAUNCH(histogram, 4, 64, 0, nullptr, numbers.data(), 1600u, bins.data());
    for (const int bin : bins)
        EXPECT_EQ(bin, 100);
}

TEST_P(InAnyOrder, CompactionKeepsEveryOddNumberOnce)
{
    const auto numbers = firstNumbers(250);
    std::vector<int> kept(125);
    int count = 0;
    FLOE_LAUNCH(compact, 4, 64, 0, nullptr, numbers.data(), 250u, kept.data(), &count);
    ASSERT_EQ(count, 125);
    std::sort(kept.begin(), kept.end());
    for (int i = 0; i < 125; ++i)
        EXPECT_EQ(kept[std::size_t(i)], 2 * i + 1);
}

TEST_P(InAnyOrder, LargestOfFloatsThroughTheirBits)
{
    std::vector<float> numbers(333);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = float(i * 7919 % 333) * 0.5f;
    float result = 0;
    FLOE_LAUNCH(largest, 3, 64, 0, nullptr, numbers.data(), 333u, &result);
    EXPECT_EQ(result, 166.0f);
}

void intrinsicsOfOneWarp(unsigned* votes, int* up, int* down, int* sum, unsigned* same, int* quads)
{
    const unsigned lane = threadIdx.x;
    votes[lane] = __ballot_sync(0xFFFFFFFFu, lane % 3 == 0);
    up[lane] = __shfl_up_sync(0xFFFFFFFFu, int(lane), 1);
    down[lane] = __shfl_down_sync(0xFFFFFFFFu, int(lane), 2, 8);
    sum[lane] = __reduce_add_sync(0xFFFFFFFFu, int(lane));
    same[lane] = __match_any_sync(0xFFFFFFFFu, lane / 16);
    quads[lane] = __shfl_sync(0xFFFFFFFFu, int(lane), 1, 4);
    if (lane < 8) // a part of the warp on its own
        sum[lane] += __any_sync(0xFFu, lane == 7) + __all_sync(0xFFu, lane < 7);
}

TEST_P(InAnyOrder, WarpIntrinsicsDoAsTheProgrammingGuideSays)
{
    std::vector<unsigned> votes(32), same(32);
    std::vector<int> up(32), down(32), sum(32), quads(32);
    FLOE_LAUNCH(intrinsicsOfOneWarp, 1, 32, 0, nullptr, votes.data(), up.data(), down.data(),
                sum.data(), same.data(), quads.data());
    for (int lane = 0; lane < 32; ++lane) {
        const auto l = std::size_t(lane);
        EXPECT_EQ(votes[l], 0x49249249u);
        EXPECT_EQ(up[l], lane == 0 ? 0 : lane - 1);
        EXPECT_EQ(down[l], lane % 8 < 6 ? lane + 2 : lane);
        EXPECT_EQ(sum[l], 31 * 32 / 2 + (lane < 8 ? 1 : 0));
        EXPECT_EQ(same[l], lane < 16 ? 0xFFFFu : 0xFFFF0000u);
        EXPECT_EQ(quads[l], lane / 4 * 4 + 1);
    }
}

void threadCoordinates(unsigned* visits)
{
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    atomicAdd(&visits[block * blockDim.x * blockDim.y * blockDim.z + thread], 1u);
}

TEST_P(InAnyOrder, EveryThreadOfAThreeDimensionalGridRunsOnce)
{
    std::vector<unsigned> visits(2 * 3 * 5 * 4 * 2 * 3);
    FLOE_LAUNCH(threadCoordinates, dim3(2, 3, 5), dim3(4, 2, 3), 0, nullptr, visits.data());
    EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](unsigned v) { return v == 1; }));
}

// A lock that lanes of one warp hand to each other: needs real interleaving of threads.
void ticketLock(unsigned* serving, unsigned* order)
{
    while (atomicAdd(serving, 0u) != threadIdx.x)
        __nanosleep(100);
    order[threadIdx.x] = atomicAdd(serving, 1u);
}

TEST_P(InAnyOrder, ThreadsThatWaitForEachOtherMakeProgress)
{
    unsigned serving = 0;
    std::vector<unsigned> order(64);
    FLOE_LAUNCH(ticketLock, 1, 64, 0, nullptr, &serving, order.data());
    for (unsigned i = 0; i < 64; ++i)
        EXPECT_EQ(order[i], i);
}

void barrierVotes(int* results)
{
    const int count = __syncthreads_count(threadIdx.x < 10);
    const int any = __syncthreads_or(threadIdx.x == 47);
    const int all = __syncthreads_and(threadIdx.x != 47);
    if (threadIdx.x == 5) {
        results[0] = count;
        results[1] = any;
        results[2] = all;
    }
}

TEST_P(InAnyOrder, BarriersCountPredicates)
{
    int results[3] = {};
    FLOE_LAUNCH(barrierVotes, 1, 48, 0, nullptr, results);
    EXPECT_EQ(results[0], 10);
    EXPECT_NE(results[1], 0);
    EXPECT_EQ(results[2], 0);
}

} // namespace
} // namespace floe::test
