// Who gets which blocks: by what they cost, and only where it pays.

#include "alike.hpp"
#include "block_cost.hpp"

#include <array>
#include <ctime>
#include <mutex>

using namespace floe::mpm;

namespace {

/// Blocks in a row along x, with these particles and seconds.
struct Row {
    std::vector<BlockWork> blocks;
    void add(int count, std::uint32_t particles, float seconds,
             BlockState state = BlockState::active)
    {
        for (int i = 0; i < count; ++i)
            blocks.push_back(
                {{static_cast<std::int32_t>(blocks.size()), 0, 0}, particles, state, {}, seconds});
    }
};

/// This thread's processor time: what others take meanwhile does not count, here as in the solver.
double threadSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<std::int64_t> sharesOf(const Row& row, const PartitionPointer& partition, int ranks)
{
    return floe::sdk::grid::shares(*partition, costsOf(row.blocks), ranks);
}

} // namespace

// Equal particles of a law that takes four times as long: the cut lies where the time is halved.
TEST(Balance, MeasuredTimeDecidesNotTheNumberOfParticles)
{
    Row row;
    row.add(40, 512, 1e-5f);
    row.add(40, 512, 4e-5f);
    const auto cut = floe::sdk::grid::divideCurve(costsOf(row.blocks), 2);
    // 40 of 1 and 40 of 4 are 200; the half is passed in the 15th of the dear ones.
    EXPECT_EQ(cut->ownerOf({54, 0, 0}), 0);
    EXPECT_EQ(cut->ownerOf({55, 0, 0}), 1);
    EXPECT_LT(floe::sdk::grid::imbalance(sharesOf(row, cut, 2)), 1.01);
}

// For comparison: as if particles, or blocks, were all that counts.
TEST(Balance, ParticlesOrBlocksCanBeMadeEqualInstead)
{
    Row row;
    row.add(40, 512, 1e-5f);
    row.add(40, 128, 4e-5f);
    const auto byParticles =
        floe::sdk::grid::divideCurve(costsOf(row.blocks, CostBy::particles), 2);
    EXPECT_EQ(byParticles->ownerOf({24, 0, 0}), 0); // 25 x 512 = 15 x 512 + 40 x 128
    EXPECT_EQ(byParticles->ownerOf({25, 0, 0}), 1);
    const auto byBlocks = floe::sdk::grid::divideCurve(costsOf(row.blocks, CostBy::blocks), 2);
    EXPECT_EQ(byBlocks->ownerOf({39, 0, 0}), 0);
    EXPECT_EQ(byBlocks->ownerOf({40, 0, 0}), 1);
    // In the unit of measured costs: what it costs to move a block is compared with them.
    const auto sum = [](const std::vector<BlockCost>& costs) {
        double all = 0;
        for (const BlockCost& c : costs)
            all += static_cast<double>(c.cost);
        return all;
    };
    EXPECT_NEAR(sum(costsOf(row.blocks, CostBy::blocks)) / sum(costsOf(row.blocks)), 1, 1e-4);
}

// What was never measured costs what matter of its size costs elsewhere.
TEST(Balance, NewBlocksCostWhatOthersOfTheirSizeDo)
{
    Row row;
    row.add(10, 512, 3e-5f);
    row.add(10, 512, 0);
    const auto costs = costsOf(row.blocks);
    EXPECT_NEAR(static_cast<double>(costs[0].cost), static_cast<double>(costs[15].cost), 2);
    for (BlockWork& block : row.blocks)
        block.seconds = 0;
    EXPECT_EQ(costsOf(row.blocks)[3].cost, costBySize(512, BlockState::active));
}

TEST(Balance, WhatSleepsCountsForNothingAndIsStillDivided)
{
    Row row;
    row.add(20, 512, 2e-5f);
    row.add(200, 512, 2e-5f, BlockState::passive); // as it was measured when it was awake
    const auto cut = floe::sdk::grid::divideCurve(costsOf(row.blocks), 2);
    EXPECT_EQ(cut->ownerOf({9, 0, 0}), 0);
    EXPECT_EQ(cut->ownerOf({11, 0, 0}), 1);
    for (BlockWork& block : row.blocks)
        block.state = BlockState::passive;
    const auto inactive = floe::sdk::grid::divideCurve(costsOf(row.blocks), 2);
    EXPECT_EQ(inactive->ownerOf({108, 0, 0}), 0); // memory decides
    EXPECT_EQ(inactive->ownerOf({112, 0, 0}), 1);
}

// Halving what one rank does alone pays at once; what a frame of few steps gains does not; and the
// way back never does.
TEST(Balance, BlocksMoveWhereItPays)
{
    Row row;
    row.add(64, 512, 2e-5f);
    const auto costs = costsOf(row.blocks);
    const auto all = std::make_shared<floe::sdk::grid::CurvePartition>(
        std::vector<std::uint64_t>{mortonOrder({64, 0, 0})});
    const auto half = floe::sdk::grid::divideCurve(costs, 2);
    EXPECT_TRUE(paysToMove(*all, *half, row.blocks, costs, 2, 50));
    EXPECT_FALSE(paysToMove(*all, *half, row.blocks, costs, 2, 3));
    EXPECT_FALSE(paysToMove(*half, *all, row.blocks, costs, 2, 1000));
    // A block more or less: 3 % of a rank's work, in frames of two hundred steps and of two.
    const auto nearly = std::make_shared<floe::sdk::grid::CurvePartition>(
        std::vector<std::uint64_t>{mortonOrder({33, 0, 0})});
    EXPECT_TRUE(paysToMove(*nearly, *half, row.blocks, costs, 2, 200));
    EXPECT_FALSE(paysToMove(*nearly, *half, row.blocks, costs, 2, 2));
}

// A model that takes a hundred times as long as another one: after a frame each rank has some of
// it, although all of it was given to one, as it came after the first cut.
TEST(Balance, ADearModelIsSharedOnceItIsMeasured)
{
    SolverMaterial slow = material("neoHookean", 1000);
    slow.custom = std::make_shared<CustomModel>(CustomModel{
        [](void*, double, float* const*, float* const*, const float* const*, const float*,
           float* const stress[6]) {
            constexpr double kSpent = 3e-5; // [s], far more than all else under a sanitizer too
            const double until = threadSeconds() + kSpent;
            while (threadSeconds() < until) {
            }
            for (int i = 0; i < 6; ++i)
                std::fill_n(stress[i], kLanes, 0.0f);
            return true;
        },
        nullptr, 1e4f});
    SolverSettings s = settings();
    s.gravity = {0, 0, 0};
    s.longestStep = 2e-3;
    std::mutex mutex;
    std::array<std::uint64_t, 2> before{}, after{};
    ThreadRanks group(2);
    group.run([&](const floe_ranks& table) {
        SerialExecutor serial;
        const Ranks ranks(table);
        const auto solver = makeCpuStepper(
            s, serial, plainMemory(), Ownership{&ranks, floe::sdk::grid::divideCurve, nullptr});
        solver->setMaterials({material("neoHookean", 1000), slow});
        solver->addParticles(Lattice({0.5, 0.5, 0.5}, {2, 2, 2}, 0.1).particles(0));
        solver->addParticles(Lattice({6.5, 0.5, 0.5}, {8, 2, 2}, 0.1).particles(1));
        const auto count = [&](std::array<std::uint64_t, 2>& slowBlocks) {
            const BlockView& blocks = solver->backend().blocks();
            std::uint64_t own = 0;
            for (std::size_t b = 0; b < blocks.size(); ++b)
                own += blocks.particles(b) > 0 && blocks.coordinate(b)[0] > 4;
            const std::lock_guard lock(mutex);
            slowBlocks[static_cast<std::size_t>(table.rank)] = own;
        };
        count(before);
        run(*solver, 0.02);
        const std::uint64_t moved = solver->balance();
        EXPECT_GT(moved, 5u);
        count(after);
        run(*solver, 0.01);
    });
    const std::uint64_t all = before[0] + before[1];
    EXPECT_EQ(after[0] + after[1], all);
    EXPECT_LT(std::min(before[0], before[1]), all / 10);
    // A half, had the other no cost at all and were no thread ever interrupted while it is timed.
    EXPECT_GT(std::min(after[0], after[1]), all / 8);
}
