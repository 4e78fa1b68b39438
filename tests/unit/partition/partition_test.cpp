// Which rank owns which block: balance, exactness, and recovery of a known best partition.

#include <floe/sdk/grid/bisection.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace floe::sdk::grid;

namespace {

int below(std::mt19937& random, int end)
{
    return static_cast<int>(random() % static_cast<std::uint32_t>(end));
}

/// Random cuts, at least two tiles apart, so that both anchors of a box are different tiles.
BoxPartition::Cuts randomCuts(std::mt19937& random, const Topology& topology, int tiles)
{
    BoxPartition::Cuts cuts;
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (;;) {
            std::set<std::int32_t> chosen;
            while (static_cast<int>(chosen.size()) < topology[axis] - 1)
                chosen.insert(2 + below(random, tiles - 3));
            cuts[axis].assign(chosen.begin(), chosen.end());
            bool apart = true;
            for (std::size_t i = 1; i < cuts[axis].size(); ++i)
                apart = apart && cuts[axis][i] - cuts[axis][i - 1] >= 2;
            if (apart)
                break;
        }
    return cuts;
}

/// Six occupied tiles in every box, two of them in opposite corners: no other partition is perfect
/// (Qiu 2024, section B.2).
std::vector<BlockCost> occupied(std::mt19937& random, const BoxPartition::Cuts& cuts,
                                const Topology& topology, int tiles)
{
    std::vector<BlockCost> costs;
    const auto edge = [&](std::size_t axis, int index) {
        return index == 0                ? 0
               : index == topology[axis] ? tiles
                                         : cuts[axis][static_cast<std::size_t>(index - 1)];
    };
    for (int i = 0; i < topology[0]; ++i)
        for (int j = 0; j < topology[1]; ++j)
            for (int k = 0; k < topology[2]; ++k) {
                const int at[3] = {i, j, k};
                BlockCoordinate low{}, high{};
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    low[axis] = edge(axis, at[axis]);
                    high[axis] = edge(axis, at[axis] + 1);
                }
                std::set<BlockCoordinate> chosen{low, {high[0] - 1, high[1] - 1, high[2] - 1}};
                while (chosen.size() < 6)
                    chosen.insert({low[0] + below(random, high[0] - low[0]),
                                   low[1] + below(random, high[1] - low[1]),
                                   low[2] + below(random, high[2] - low[2])});
                for (const BlockCoordinate& block : chosen)
                    costs.push_back({block, 1});
            }
    return costs;
}

/// @return how many of `trials` truths were found, with at most `orders` orders of the axes each
int recovered(const Topology& topology, int trials, int orders, int& mostRounds)
{
    constexpr int kTiles = 24;
    const BlockBounds bounds{{0, 0, 0}, {kTiles, kTiles, kTiles}};
    std::mt19937 random(7);
    int found = 0;
    for (int trial = 0; trial < trials; ++trial) {
        const BoxPartition::Cuts truth = randomCuts(random, topology, kTiles);
        const auto costs = occupied(random, truth, topology, kTiles);
        const BoxOptimiser optimiser(costs, bounds, topology);
        EXPECT_EQ(optimiser.imbalanceOf(truth), 0);
        for (int order = 0; order < orders; ++order) {
            BoxPartition::Cuts cuts = evenCuts(bounds, topology);
            const int rounds = optimiser.improve(cuts, static_cast<std::uint32_t>(order + 1));
            if (cuts != truth)
                continue;
            mostRounds = std::max(mostRounds, rounds);
            ++found;
            break;
        }
    }
    return found;
}

/// Blocks of a heap: many in the middle, few outside, on both sides of zero.
std::vector<BlockCost> heap(int count)
{
    std::mt19937 random(3);
    std::vector<BlockCost> costs;
    for (int i = 0; i < count; ++i) {
        BlockCoordinate block{};
        for (std::int32_t& a : block)
            a = below(random, 9) + below(random, 9) - below(random, 9) - below(random, 9);
        costs.push_back({block, 1 + below(random, 500)});
    }
    return costs;
}

} // namespace

// The dissertation reports 1 to 4 rounds from the even partition.
TEST(BoxPartition, FindsFourHundredRandomTruthsOfTwoByTwoByTwo)
{
    int rounds = 0;
    EXPECT_EQ(recovered({2, 2, 2}, 400, 1, rounds), 400);
    EXPECT_LE(rounds, 4);
}

// One axis with three boxes has local optima; another order of the axes leaves them.
TEST(BoxPartition, FindsRandomTruthsOfThreeByTwoByTwo)
{
    int rounds = 0;
    EXPECT_EQ(recovered({3, 2, 2}, 280, 8, rounds), 280);
    EXPECT_LE(rounds, BoxOptimiser::kMaxRounds);
}

TEST(BoxPartition, ACutBetweenTwoBodiesLiesInTheMiddle)
{
    const std::vector<BlockCost> costs{{{0, 0, 0}, 5}, {{20, 0, 0}, 5}};
    const auto partition = divideBoxes(costs, 2);
    EXPECT_EQ(partition->ownerOf({9, 0, 0}), 0); // cuts at 1 to 20 are equally good
    EXPECT_EQ(partition->ownerOf({10, 0, 0}), 1);
    EXPECT_EQ(partition->ownerOf({-1000, 7, -7}), 0); // the outer boxes have no end
    EXPECT_EQ(partition->ownerOf({1000, 7, -7}), 1);
}

TEST(BoxPartition, AFixedOneStaysWhereItIs)
{
    const auto before = divideEvenly(heap(300), 4);
    EXPECT_EQ(divideEvenly({{{500, 0, 0}, 1}}, 4, before), before);
    const auto chosen = divideEvenlyInto({1, 4, 1})(heap(300), 4, nullptr);
    EXPECT_EQ(divideEvenlyInto({1, 4, 1})({{{500, 0, 0}, 1}}, 4, chosen), chosen);
}

TEST(BoxPartition, AFixedOneHasTheBoxesThatWereChosen)
{
    const std::vector<BlockCost> costs{{{0, 0, 0}, 5}, {{7, 7, 7}, 5}}; // bounds of 8 blocks each
    const auto partition = divideEvenlyInto({2, 1, 4})(costs, 8, nullptr);
    EXPECT_EQ(partition->ownerOf({3, -100, 1}), partition->ownerOf({0, 100, 0}));
    EXPECT_NE(partition->ownerOf({3, 0, 0}), partition->ownerOf({4, 0, 0}));
    EXPECT_NE(partition->ownerOf({0, 0, 1}), partition->ownerOf({0, 0, 2}));

    EXPECT_EQ(topologyOf("2x1x4"), (Topology{2, 1, 4}));
    for (const char* wrong : {"", "2", "2x2", "2x2x", "2x2x2x2", "0x2x2", "-1x1x1", "2x2x2 ",
                              "axbxc", "99999999999x1x1", "2000000x1x1"})
        EXPECT_EQ(topologyOf(wrong), std::nullopt) << wrong;
}

TEST(Partition, EveryBlockHasOneOwnerAndTheSharesAreBalanced)
{
    auto costs = heap(4000);
    for (const int ranks : {1, 2, 3, 5, 8, 13}) {
        const auto curve = divideCurve(costs, ranks);
        const auto boxes = divideBoxes(costs, ranks);
        const auto bisection = divideBisection(costs, ranks);
        for (const auto& partition : {bisection, curve, boxes, divideEvenly(costs, ranks)})
            for (const BlockCost& c : costs) {
                const int owner = partition->ownerOf(c.block);
                ASSERT_GE(owner, 0);
                ASSERT_LT(owner, ranks);
            }
        // A cut of the curve misses its place by half of the largest block at most.
        sortCosts(costs);
        std::int64_t whole = 0, largest = 0;
        for (const BlockCost& c : costs) {
            whole += c.cost;
            largest = std::max(largest, c.cost);
        }
        const auto each = shares(*curve, costs, ranks);
        for (const std::int64_t share : each)
            EXPECT_NEAR(static_cast<double>(share), static_cast<double>(whole) / ranks,
                        static_cast<double>(largest) + 1);
        // Whole layers of blocks may cost a bisection some percent.
        EXPECT_LE(imbalance(shares(*bisection, costs, ranks)), 1.08);
        // Boxes are coarser, and yet better than equal ones.
        EXPECT_LE(imbalance(shares(*boxes, costs, ranks)),
                  imbalance(shares(*divideEvenly(costs, ranks), costs, ranks)));
    }
}

TEST(Partition, TheOrderOfTheCostsDoesNotMatter)
{
    auto costs = heap(500);
    auto shuffled = costs;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(5));
    for (const auto& divide : {divideBisection, divideCurve, divideBoxes, divideEvenly}) {
        const auto one = divide(costs, 6, nullptr), other = divide(shuffled, 6, nullptr);
        for (const BlockCost& c : costs)
            ASSERT_EQ(one->ownerOf(c.block), other->ownerOf(c.block));
    }
}

/// A full cuboid of blocks of equal costs, off the origin.
std::vector<BlockCost> cuboid(const BlockCoordinate& size)
{
    std::vector<BlockCost> costs;
    for (std::int32_t x = 0; x < size[0]; ++x)
        for (std::int32_t y = 0; y < size[1]; ++y)
            for (std::int32_t z = 0; z < size[2]; ++z)
                costs.push_back({{x - 3, y + 5, z - 20}, 100});
    return costs;
}

/// Pairs of blocks with a common face that different ranks own.
int facesOf(const Partition& partition, const std::vector<BlockCost>& costs)
{
    std::map<BlockCoordinate, int> owner;
    for (const BlockCost& c : costs)
        owner[c.block] = partition.ownerOf(c.block);
    int faces = 0;
    for (const auto& [block, rank] : owner)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            BlockCoordinate next = block;
            ++next[axis];
            const auto beside = owner.find(next);
            faces += beside != owner.end() && beside->second != rank;
        }
    return faces;
}

TEST(Bisection, CutsWhereTheFewestBlocksPart)
{
    const auto rod = cuboid({10, 40, 12});
    EXPECT_EQ(facesOf(*divideBisection(rod, 2), rod), 10 * 12);
    EXPECT_EQ(facesOf(*divideBisection(rod, 4), rod), 3 * 10 * 12);
    const auto cube = cuboid({12, 12, 12});
    EXPECT_EQ(facesOf(*divideBisection(cube, 8), cube), 3 * 12 * 12);
    EXPECT_EQ(imbalance(shares(*divideBisection(cube, 8), cube, 8)), 1);
    EXPECT_GT(2 * facesOf(*divideCurve(cube, 2), cube),
              3 * facesOf(*divideBisection(cube, 2), cube));
}

// Ten layers of which three ranks cannot have the same: the cuts have steps.
TEST(Bisection, IsFinerThanLayersWhereTheseAreTooThick)
{
    const auto costs = cuboid({10, 8, 8});
    const auto partition = divideBisection(costs, 3);
    EXPECT_LE(imbalance(shares(*partition, costs, 3)), 1.04);
    EXPECT_LE(facesOf(*partition, costs), 2 * (8 * 8 + 8 + 1));
}

TEST(Bisection, ACutBetweenTwoBodiesLiesInTheMiddle)
{
    const auto partition = divideBisection({{{0, 0, 0}, 5}, {{20, 0, 0}, 5}}, 2);
    EXPECT_EQ(partition->ownerOf({9, 9, -9}), 0);
    EXPECT_EQ(partition->ownerOf({10, -9, 9}), 1);
    EXPECT_EQ(partition->ownerOf({-1000, 7, -7}), 0);
    EXPECT_EQ(partition->ownerOf({1000, 7, -7}), 1);
}

// Blocks move to other ranks where an axis changes: not for a face or two.
TEST(Bisection, KeepsItsAxesWhereOthersAreLittleBetter)
{
    const auto wide = cuboid({14, 12, 12}), high = cuboid({12, 14, 12});
    const auto before = divideBisection(wide, 2);
    const auto axisOf = [](const PartitionPointer& partition) {
        return dynamic_cast<const BisectionPartition&>(*partition).cuts()[0].axis;
    };
    ASSERT_EQ(axisOf(before), 0u);
    EXPECT_EQ(axisOf(divideBisection(high, 2)), 1u);
    EXPECT_EQ(axisOf(divideBisection(high, 2, before)), 0u);
    EXPECT_EQ(axisOf(divideBisection(cuboid({12, 20, 12}), 2, before)), 1u);
}

// Public codes count in floats or 32 bits, and keep the whole space as an array.
TEST(Partition, CountsBeyondFloatsAndIntegersInAnEmptySpaceAreExact)
{
    constexpr std::int64_t kMany = (std::int64_t{1} << 40) + 1;
    const std::int32_t far = kMaxCoordinate;
    const std::vector<BlockCost> costs{{{-far, -far, -far}, kMany},
                                       {{-far, 0, 5}, 1},
                                       {{0, 0, 0}, kMany},
                                       {{far, far, far}, kMany}};
    const auto curve = divideCurve(costs, 3);
    const auto each = shares(*curve, costs, 3);
    EXPECT_EQ(each[0] + each[1] + each[2], 3 * kMany + 1);
    for (const std::int64_t share : each)
        EXPECT_LE(share, kMany + 1);
    EXPECT_LE(imbalance(shares(*divideBoxes(costs, 3), costs, 3)), 1.0001);
    std::vector<BlockCost> twice = costs;
    twice.insert(twice.end(), costs.begin(), costs.end());
    sortCosts(twice);
    ASSERT_EQ(twice.size(), costs.size());
    std::int64_t sum = 0;
    for (const BlockCost& c : twice)
        sum += c.cost;
    EXPECT_EQ(sum, 2 * (3 * kMany + 1));
}

TEST(Partition, NothingToDivideIsNoFault)
{
    for (const auto& divide : {divideBisection, divideCurve, divideBoxes, divideEvenly}) {
        const auto partition = divide({}, 4, nullptr);
        const int owner = partition->ownerOf({3, -3, 0});
        EXPECT_GE(owner, 0);
        EXPECT_LT(owner, 4);
    }
    EXPECT_EQ(imbalance(std::vector<std::int64_t>{0, 0}), 1);
}

TEST(Partition, ATopologyHasShortFaces)
{
    EXPECT_EQ(chooseTopology({{0, 0, 0}, {40, 10, 10}}, 4), (Topology{4, 1, 1}));
    EXPECT_EQ(chooseTopology({{0, 0, 0}, {10, 10, 10}}, 8), (Topology{2, 2, 2}));
}
