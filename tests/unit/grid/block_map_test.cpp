#include "floe/sdk/grid/block_map.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace floe::sdk::grid {

TEST(BlockMap, FindsWhatIsInItAndNothingElse)
{
    BlockMap map;
    EXPECT_EQ(map.find({0, 0, 0}), -1);
    for (int i = 0; i < 1000; ++i)
        map.insert({i, -i, i / 7}, i);
    EXPECT_EQ(map.size(), 1000u);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(map.find({i, -i, i / 7}), i);
        EXPECT_EQ(map.find({i, -i, i / 7 + 1}), -1);
    }
    map.clear();
    EXPECT_EQ(map.find({0, 0, 0}), -1);
    map.insert({0, 0, 0}, 5);
    EXPECT_EQ(map.find({0, 0, 0}), 5);
}

TEST(SharedBlockMap, ThreadsThatAddTheSameBlocksNumberEachOnce)
{
    SharedBlockMap map(4096);
    const auto add = [&] {
        for (int i = 0; i < 4096; ++i)
            map.insert(keyOf(i / 256, i / 16 % 16, i % 16));
    };
    std::thread other(add);
    add();
    other.join();
    EXPECT_EQ(map.count(), 4096u);
    EXPECT_FALSE(map.full());
    std::set<std::uint32_t> numbers;
    map.forEach(0, map.slotCount(), [&](BlockKey key, std::uint32_t number) {
        EXPECT_LT(number, 4096u);
        EXPECT_EQ(map.find(key), number);
        numbers.insert(number);
    });
    EXPECT_EQ(numbers.size(), 4096u);
    EXPECT_EQ(map.find(keyOf(16, 0, 0)), SharedBlockMap::kAbsent);
}

TEST(SharedBlockMap, SaysWhenItIsFull)
{
    SharedBlockMap map(0);
    for (int i = 0; i < 100; ++i)
        map.insert(keyOf(i, 0, 0));
    EXPECT_TRUE(map.full());
    EXPECT_LT(map.count(), 100u);
}

} // namespace floe::sdk::grid
