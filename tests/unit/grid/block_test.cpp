#include "floe/sdk/grid/block.hpp"
#include "floe/sdk/grid/cell_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>
#include <vector>

namespace floe::sdk::grid {

TEST(Block, CellsBelowZeroToo)
{
    EXPECT_EQ(blockOf(-1), -1);
    EXPECT_EQ(placeOf(-1), 3);
    EXPECT_EQ(blockOf(std::int64_t{-5}), -2);
    EXPECT_EQ(placeOf(std::int64_t{-5}), 3);
    EXPECT_EQ(blockOf(7), 1);
    EXPECT_EQ(placeOf(7), 3);
    EXPECT_EQ(cellNumber(3, 2, 1), 57);
    EXPECT_EQ(offsetNumber(0, 0, 0), kSelf);
    EXPECT_EQ(offsetNumber(-1, -1, -1), 0);
    EXPECT_EQ(offsetNumber(1, 1, 1), 26);
}

TEST(Block, KeysTellBlocksApartAndOrderAsCoordinatesDo)
{
    const std::int32_t far = kMaxCoordinate + 2;
    std::vector<BlockCoordinate> all;
    for (const std::int32_t x : {-far, -far + 1, -1, 0, 1, far - 1})
        for (const std::int32_t y : {-far, -1, 0, far - 1})
            for (const std::int32_t z : {-far, -2, 0, far - 1})
                all.push_back({x, y, z});
    std::sort(all.begin(), all.end());
    for (std::size_t i = 1; i < all.size(); ++i)
        EXPECT_LT(keyOf(all[i - 1]), keyOf(all[i]));
    EXPECT_LT(keyOf(all.back()), kNoKey);
}

TEST(Block, AKeyKnowsTheKeysBeside)
{
    for (const BlockCoordinate& c : {BlockCoordinate{0, 0, 0}, BlockCoordinate{-1, 5, -1},
                                     BlockCoordinate{kMaxCoordinate, -kMaxCoordinate, 0}})
        for (int x = -2; x <= 1; ++x)
            for (int y = -2; y <= 1; ++y)
                for (int z = -2; z <= 1; ++z)
                    EXPECT_EQ(besideKey(keyOf(c), x, y, z), keyOf(c[0] + x, c[1] + y, c[2] + z));
}

// The keys of a cube of blocks, which share most of their bits, spread over a table as chance would
// have it: 4096 keys in 8192 slots take 8192 (1 - e^-0.5) = 3223 of them, give or take 30.
TEST(Block, HashesOfNeighboursLieFarApart)
{
    std::set<std::uint32_t> slots;
    for (int i = 0; i < 4096; ++i)
        slots.insert(hashOf(keyOf(i / 256, i / 16 % 16, i % 16)) % 8192);
    EXPECT_NEAR(static_cast<double>(slots.size()), 3223, 150);
}

// Morton's curve visits the eight blocks of a cube one after the other, x first in weight.
TEST(Block, TheCurveStaysInACubeBeforeItGoesOn)
{
    const std::uint64_t first = mortonOrder({-2, 4, 0});
    for (int n = 0; n < 8; ++n)
        EXPECT_EQ(mortonOrder({-2 + (n >> 2), 4 + (n >> 1 & 1), n & 1}),
                  first + static_cast<std::uint64_t>(n));
    EXPECT_GE(mortonOrder({-2, 4, 2}), first + 8);
}

TEST(CellSet, HoldsCellsAnywhereAndNothingThatIsNoPlace)
{
    CellSet cells;
    cells.add(-1, 0, 4 * std::int64_t{kMaxCoordinate});
    const double z = 4.0 * kMaxCoordinate - 0.5;
    EXPECT_FALSE(cells.contains({-0.5, 0.5, z}));
    cells.add(-1, 0, 4 * std::int64_t{kMaxCoordinate} - 1);
    EXPECT_TRUE(cells.contains({-0.5, 0.5, z}));
    EXPECT_FALSE(cells.contains({0.5, 0.5, z}));
    EXPECT_FALSE(cells.contains({-0.5, 0.5, 1e300}));
    EXPECT_FALSE(cells.contains({std::numeric_limits<double>::quiet_NaN(), 0, 0}));
}

} // namespace floe::sdk::grid
