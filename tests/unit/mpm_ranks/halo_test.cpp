// What several ranks tell each other about blocks, and in which order these are in work.

#include "alike.hpp"
#include "halo.hpp"

#include <algorithm>
#include <numeric>

using namespace floe::mpm;

namespace {

constexpr std::int32_t kLong = 8, kWide = 6, kCut = 4; ///< blocks

/// A box of blocks, all of which hold particles; each of two ranks has one half.
struct HalfOfABox {
    SerialExecutor serial;
    Ranks ranks;
    CpuState state;
    BlockGrid grid{state, plainMemory()};
    Halo halo{state, grid};

    explicit HalfOfABox(const floe_ranks& table) : ranks(table)
    {
        using floe::sdk::grid::BoxPartition;
        state.executor = &serial;
        state.settings.cellSize = 1;
        state.ownership.ranks = &ranks;
        state.ownership.partition =
            std::make_shared<BoxPartition>(BoxPartition::Cuts{{{kCut}, {}, {}}});
        for (std::int32_t x = 0; x < kLong; ++x)
            for (std::int32_t y = 0; y < kWide; ++y)
                for (std::int32_t z = 0; z < kWide; ++z)
                    if (state.ownership.owns({x, y, z}))
                        grid.at({x, y, z}).particles = 1;
        grid.rebuildTopology();
        if (halo.exchangeGhosts())
            grid.rebuildTopology();
        grid.updateLists();
        halo.plan();
    }
};

} // namespace

TEST(Halo, BlocksBesideThoseOfOthersAreGhostsThere)
{
    ThreadRanks(2).run([](const floe_ranks& table) {
        const HalfOfABox half(table);
        std::int32_t ghosts = 0;
        for (const Block& block : half.grid.blocks) {
            EXPECT_TRUE(!block.ghost || block.coordinate[0] == (table.rank == 0 ? kCut : kCut - 1));
            ghosts += block.ghost;
        }
        EXPECT_EQ(ghosts, kWide * kWide);
    });
}

// Blocks at a border come first, and with them the blocks that share most of their nodes.
TEST(Halo, BlocksNearEachOtherAreInWorkNearEachOther)
{
    ThreadRanks(2).run([](const floe_ranks& table) {
        const HalfOfABox half(table);
        const std::vector<std::int32_t>& order = half.halo.order();
        std::vector<std::int32_t> slots = order;
        std::sort(slots.begin(), slots.end());
        std::vector<std::int32_t> all(kCut * kWide * kWide);
        std::iota(all.begin(), all.end(), 0);
        ASSERT_EQ(slots, all);
        EXPECT_EQ(half.halo.firstBlocks(), 2 * kWide * kWide);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto at = [&](std::size_t place) -> const BlockCoordinate& {
                const auto slot = static_cast<std::size_t>(order[place]);
                return half.grid.blocks[static_cast<std::size_t>(half.grid.scatterList[slot])]
                    .coordinate;
            };
            const std::int32_t x = at(i)[0];
            EXPECT_EQ(i < half.halo.firstBlocks(), x >= kCut - 2 && x < kCut + 2);
            for (std::size_t axis = 0; axis < 3; ++axis) // eight make a cube of two along each axis
                EXPECT_EQ(at(i)[axis] / 2, at(i / 8 * 8)[axis] / 2);
        }
    });
}

TEST(Halo, TimeIsTakenOnlyWhereBlocksMoveByIt)
{
    ThreadRanks(2).run([](const floe_ranks& table) {
        HalfOfABox half(table);
        EXPECT_TRUE(half.state.timesPasses());
        half.state.ownership.costBy = CostBy::particles;
        EXPECT_FALSE(half.state.timesPasses());
    });
}
