#include "cuda_device.hpp"

#include "floe/sdk/device_memory.hpp"
#include "floe/sdk/grid/block_table.cuh"
#include "floe/sdk/grid/channels.hpp"
#include "floe/sdk/grid/scan.cuh"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <vector>

namespace floe::sdk::grid {

namespace {

using cuda::Device;
using cuda::DeviceArray;

template <class T>
DeviceArray<T> array(Device& device, const std::vector<T>& values)
{
    DeviceArray<T> to(device);
    to.need(values.size());
    to.upload(values.data(), values.size());
    return to;
}

struct Made {
    unsigned count, overflow;
};

/// Thread i asks for block i % different.
__global__ void makeBlocks(HashTable table, std::uint32_t capacity, int different, Made* made,
                           int* coordinate, unsigned* answer)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const int x = static_cast<int>(i) % different - 5;
    answer[i] = findOrMakeBlock(table, keyOf(x, -x, 7), capacity, &made->count, &made->overflow,
                                [&](unsigned index) { coordinate[index] = x; });
}

/// Thread i looks for the block that it asked for, and for one that nobody asked for.
__global__ void findBlocks(HashTable table, int different, unsigned* answer)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const int x = static_cast<int>(i) % different - 5;
    answer[2 * i] = findBlock(table, x, -x, 7);
    answer[2 * i + 1] = findBlock(table, x, -x, 8);
}

struct Mass;
struct Momentum;
using Sums = Channels<kStructOfArrays, Channel<Mass, unsigned long long>,
                      Channel<Momentum, unsigned long long, 3>>;

/// Each thread adds what makes its number known to the node of its number.
__global__ void addToNodes(void* blocks)
{
    const Block<Sums> block(blocks, blockIdx.x);
    const int node = static_cast<int>(threadIdx.x);
    atomicAdd(&block.at<Mass>(node), 1ull);
    for (int axis = 0; axis < 3; ++axis)
        atomicAdd(&block.at<Momentum>(node, axis), 100ull * blockIdx.x + threadIdx.x);
}

} // namespace

TEST(BlockTable, ThreadsThatAskForTheSameBlockGetOne)
{
    for (const std::uint64_t seed : {0, 1, 2}) {
        floe::test::shuffleCudaThreads(seed);
        Device device(floe::test::cudaDevice());
        const auto key = array(device, std::vector<BlockKey>(256, kNoKey));
        const auto block = array(device, std::vector<unsigned>(256, kNoBlock));
        const auto made = array(device, std::vector<Made>(1, Made{0, 0}));
        const auto coordinate = array(device, std::vector<int>(128, 99));
        const auto answer = array(device, std::vector<unsigned>(512, 0));
        const HashTable table{key.data(), block.data(), 255};
        FLOE_LAUNCH(makeBlocks, 4, 128, 0, device.stream(), table, 128u, 100, made.data(),
                    coordinate.data(), answer.data());
        EXPECT_EQ(made.download(1)[0].count, 100u);
        EXPECT_EQ(made.download(1)[0].overflow, 0u);
        const auto found = array(device, std::vector<unsigned>(1024, 0));
        FLOE_LAUNCH(findBlocks, 4, 128, 0, device.stream(), table, 100, found.data());
        const auto indices = answer.download(512), looked = found.download(1024);
        const auto x = coordinate.download(128);
        for (std::size_t i = 0; i < 512; ++i) {
            ASSERT_LT(indices[i], 100u);
            EXPECT_EQ(x[indices[i]], static_cast<int>(i % 100) - 5);
            EXPECT_EQ(looked[2 * i], indices[i]);
            EXPECT_EQ(looked[2 * i + 1], kNoBlock);
        }
    }
    floe::test::shuffleCudaThreads(0);
}

TEST(BlockTable, SaysWhenThereIsNoRoom)
{
    Device device(floe::test::cudaDevice());
    const auto key = array(device, std::vector<BlockKey>(256, kNoKey));
    const auto block = array(device, std::vector<unsigned>(256, kNoBlock));
    const auto made = array(device, std::vector<Made>(1, Made{0, 0}));
    const auto coordinate = array(device, std::vector<int>(50, 0));
    const auto answer = array(device, std::vector<unsigned>(128, 0));
    FLOE_LAUNCH(makeBlocks, 1, 128, 0, device.stream(), HashTable{key.data(), block.data(), 255},
                50u, 100, made.data(), coordinate.data(), answer.data());
    EXPECT_EQ(made.download(1)[0].overflow, 1u);
    std::set<unsigned> indices;
    for (const unsigned index : answer.download(128))
        indices.insert(index);
    EXPECT_EQ(indices.size(), 51u);
    EXPECT_EQ(*indices.rbegin(), kNoBlock);
}

TEST(Channels, KernelsAndTheHostReadTheSame)
{
    Device device(floe::test::cudaDevice());
    DeviceArray<unsigned char> memory(device);
    memory.need(3 * Sums::kBytes);
    memory.fill(0, 3 * Sums::kBytes);
    FLOE_LAUNCH(addToNodes, 3, kBlockNodes, 0, device.stream(), memory.data());
    const auto bytes = memory.download(3 * Sums::kBytes);
    for (std::size_t b = 0; b < 3; ++b)
        for (int node = 0; node < kBlockNodes; ++node) {
            const Block<const Sums> block(bytes.data(), b);
            EXPECT_EQ(block.at<Mass>(node), 1u);
            EXPECT_EQ(block.at<Momentum>(node, 2), 100 * b + static_cast<std::size_t>(node));
        }
}

TEST(Scan, SumsAreExclusiveWhateverTheNumberOfTiles)
{
    for (const std::size_t count : {1, 255, 1024, 1025, 5000}) {
        std::vector<std::uint32_t> values(count), expected(count + 1);
        for (std::size_t i = 0; i < count; ++i)
            values[i] = static_cast<std::uint32_t>(i * 7 % 13);
        std::partial_sum(values.begin(), values.end(), expected.begin() + 1);
        Device device(floe::test::cudaDevice());
        const auto from = array(device, values);
        const auto sums = array(device, std::vector<std::uint32_t>(count + 1, 0));
        const std::uint32_t tileCount = scanTiles(count);
        const auto tiles = array(device, std::vector<std::uint32_t>(tileCount, 0));
        const std::uint32_t* read = from.data();
        const std::uint64_t number = count;
        FLOE_LAUNCH(sumTiles, tileCount, kScanThreads, 0, device.stream(), read, number,
                    tiles.data());
        FLOE_LAUNCH(scanTileSums, 1, kScanThreads, 0, device.stream(), tiles.data(), tileCount);
        FLOE_LAUNCH(scanTileValues, tileCount, kScanThreads, 0, device.stream(), read, number,
                    tiles.data(), sums.data());
        EXPECT_EQ(sums.download(count + 1), expected);
    }
}

} // namespace floe::sdk::grid
