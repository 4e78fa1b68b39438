#include "floe/sdk/grid/channels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace floe::sdk::grid {

namespace {

struct Momentum;
struct Mass;
struct Count;
struct Flag;

// The solver's nodes on the CPU: four floats a node, momentum and mass.
using Nodes = Channels<kArrayOfStructs, Channel<Momentum, float, 3>, Channel<Mass, float>>;
// Its sums on CUDA: [mass, px, py, pz][node] of 64-bit integers, and velocities [x, y, z][node].
using Sums = Channels<kStructOfArrays, Channel<Mass, unsigned long long>,
                      Channel<Momentum, unsigned long long, 3>>;
using Velocities = Channels<kStructOfArrays, Channel<Momentum, float, 3>>;

template <class Grid, class Tag, class Offset>
constexpr bool offsetsAre(const Offset& expected)
{
    for (int cell = 0; cell < kBlockNodes; ++cell)
        for (int component = 0; component < Grid::template kComponents<Tag>; ++component)
            if (Grid::template offset<Tag>(cell, component) != expected(cell, component))
                return false;
    return true;
}
static_assert(offsetsAre<Nodes, Momentum>([](int n, int k) {
    return sizeof(float) * (4 * n + k);
}));
static_assert(offsetsAre<Nodes, Mass>([](int n, int) { return sizeof(float) * (4 * n + 3); }));
static_assert(Nodes::kBytes == 64 * 4 * sizeof(float));
static_assert(offsetsAre<Sums, Mass>([](int n, int) { return std::size_t{8} * n; }));
static_assert(offsetsAre<Sums, Momentum>([](int n, int k) {
    return std::size_t{8} * ((k + 1) * 64 + n);
}));
static_assert(Sums::kBytes == 4 * 64 * 8);
static_assert(offsetsAre<Velocities, Momentum>([](int n, int k) {
    return sizeof(float) * (k * 64 + n);
}));

// Lanes of eight: what a register of 256 bits reads is contiguous.
using Lanes = Channels<8, Channel<Momentum, float, 3>, Channel<Mass, float>>;
static_assert(offsetsAre<Lanes, Momentum>([](int n, int k) {
    return sizeof(float) * (n / 8 * 32 + k * 8 + n % 8);
}));

// Elements of several sizes lie where they may, and blocks follow each other as they may.
template <int kWidth>
using Mixed = Channels<kWidth, Channel<Flag, std::uint8_t, 3>, Channel<Mass, double>,
                       Channel<Count, std::uint16_t>>;

template <class Grid>
void expectNoOverlap()
{
    std::set<std::size_t> taken;
    const auto take = [&]<class Tag>(Tag*) {
        using T = typename Grid::template Element<Tag>;
        for (int cell = 0; cell < kBlockNodes; ++cell)
            for (int component = 0; component < Grid::template kComponents<Tag>; ++component) {
                const std::size_t at = Grid::template offset<Tag>(cell, component);
                EXPECT_EQ(at % alignof(T), 0u);
                for (std::size_t byte = 0; byte < sizeof(T); ++byte)
                    EXPECT_TRUE(taken.insert(at + byte).second);
            }
    };
    take(static_cast<Flag*>(nullptr));
    take(static_cast<Mass*>(nullptr));
    take(static_cast<Count*>(nullptr));
    EXPECT_LT(*taken.rbegin(), Grid::kBytes);
    EXPECT_EQ(Grid::kBytes % Grid::kAlignment, 0u);
}

} // namespace

TEST(Channels, ElementsOfAnySizeAreAlignedAndDoNotOverlap)
{
    expectNoOverlap<Mixed<kArrayOfStructs>>();
    expectNoOverlap<Mixed<4>>();
    expectNoOverlap<Mixed<kStructOfArrays>>();
    EXPECT_EQ(Mixed<kArrayOfStructs>::kBytes, 64u * 24); // 3 + 5 to align, 8, 2 + 6
    EXPECT_EQ(Mixed<kStructOfArrays>::kBytes, 64u * 13); // nothing to align
}

TEST(Channels, BlocksOverSomebodysFloatsReadWhatIsThere)
{
    float floats[2 * 64 * 4];
    for (int i = 0; i < 2 * 64 * 4; ++i)
        floats[i] = static_cast<float>(i);
    const Block<const Nodes> second(floats, 1);
    EXPECT_EQ(second.at<Momentum>(5, 2), 256 + 4 * 5 + 2);
    EXPECT_EQ(second.at<Mass>(63), 511);
    Block<Nodes>(floats).at<Mass>(0) = -1;
    EXPECT_EQ(floats[3], -1);
}

TEST(BlockStorage, BlocksAreZeroAtFirstAndKeepTheirValues)
{
    BlockStorage<Mixed<4>> storage;
    storage.add();
    storage[0].at<Mass>(17) = 2.5;
    storage[0].at<Flag>(17, 2) = 7;
    for (int i = 0; i < 100; ++i)
        storage.add();
    ASSERT_EQ(storage.size(), 101u);
    const auto& constant = storage;
    EXPECT_EQ(constant[0].at<Mass>(17), 2.5);
    EXPECT_EQ(constant[0].at<Flag>(17, 2), 7);
    EXPECT_EQ(constant[0].at<Flag>(17, 1), 0);
    EXPECT_EQ(constant[100].at<Count>(63), 0);
}

} // namespace floe::sdk::grid
