// Damaged NanoVDB grids: refused, or safe to read everywhere.
#include "floe/base/error.hpp"
#include "floe/data/volume.hpp"
#include "fuzz.hpp"
#include "grids.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <nanovdb/NanoVDB.h>
#include <random>

namespace floe {

namespace {

/// Reads around the sphere (8 voxels from voxel 20 with its band), following whatever pointers are
/// there.
double readEverywhere(const VolumeValue& volume)
{
    if (volume.info().isVector)
        return 0;
    const auto* grid = static_cast<const nanovdb::NanoGrid<float>*>(volume.grid());
    double sum = 0;
    auto accessor = grid->getAccessor();
    for (int z = 11; z <= 29; ++z)
        for (int y = 11; y <= 29; ++y)
            for (int x = 11; x <= 29; ++x)
                sum += accessor.getValue(nanovdb::Coord(x, y, z));
    return sum;
}

class DamagedGrids : public testing::Test {
protected:
    /// @return true when the grid was accepted
    bool attempt(const std::vector<std::byte>& bytes)
    {
        ++test::fuzzInputs.count;
        try {
            // The sum is used, so that reading is not optimised away; its value means nothing.
            sum_ = sum_ + readEverywhere(*make<VolumeValue>(bytes));
            return true;
        } catch (const InputError&) {
            return false;
        }
    }
    const std::vector<std::byte> good_ = test::sphereGrid(0.5, 0.1, 2);
    volatile double sum_ = 0;
};

} // namespace

TEST_F(DamagedGrids, CutOffAnywhere)
{
    for (std::size_t length = 0; length < good_.size(); length += length < 2000 ? 1 : 4099)
        EXPECT_FALSE(attempt({good_.begin(), good_.begin() + static_cast<long>(length)})) << length;
}

TEST_F(DamagedGrids, EveryBitOfTheHeadersFlipped)
{
    // GridData, TreeData and the root with its table: where the structure is.
    int accepted = 0;
    constexpr std::size_t kHeaders = 672 + 64 + 64 + 32;
    for (std::size_t bit = 0; bit < kHeaders * 8; ++bit) {
        auto damaged = good_;
        damaged[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        accepted += attempt(damaged);
    }
    // The name, bounding boxes and statistics may change without harm; the structure may not.
    EXPECT_LT(accepted, static_cast<int>(kHeaders * 8));
    EXPECT_GT(accepted, 0);
}

TEST_F(DamagedGrids, RandomWordsAnywhere)
{
    std::mt19937_64 random(test::fuzzSeed(1));
    for (int round = 0; round < 300; ++round) {
        auto damaged = good_;
        for (int k = 0; k < 64; ++k) {
            const std::uint64_t word = random() >> random() % 64;
            const std::size_t place = random() % (damaged.size() / 8) * 8;
            std::memcpy(damaged.data() + place, &word, sizeof word);
        }
        // Keep the first words, so that the check gets past them.
        std::memcpy(damaged.data(), good_.data(), 40);
        attempt(damaged);
    }
}

// Child masks all on: every entry of a node's table is then an offset.
TEST_F(DamagedGrids, MasksThatClaimMoreChildren)
{
    using Lower = nanovdb::NanoLower<float>::DataType;
    auto damaged = good_;
    const auto* tree = reinterpret_cast<const nanovdb::TreeData<3>*>(damaged.data() + 672);
    const std::size_t lower = 672 + tree->mNodeOffset[1];
    std::memset(damaged.data() + lower + offsetof(Lower, mChildMask), 0xff,
                sizeof(Lower::mChildMask));
    EXPECT_FALSE(attempt(damaged));
}

} // namespace floe
