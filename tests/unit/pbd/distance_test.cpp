// Distances against trying every site.
#include "bodies/distance.hpp"
#include "threads.hpp"

#include "floe/sdk/sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace floe::pbd {
namespace {

sdk::parallel::SerialExecutor serial;

VoxelSet randomVoxels(const VoxelSize& size, double share, std::uint64_t seed)
{
    VoxelSet voxels(size);
    sdk::RandomSequence random(seed);
    for (int z = 0; z < size[2]; ++z)
        for (int y = 0; y < size[1]; ++y)
            for (int x = 0; x < size[0]; ++x)
                if (random.uniform() < share)
                    voxels.set(x, y, z, true);
    return voxels;
}

} // namespace

TEST(DistanceTransform, EqualsBruteForce)
{
    std::uint64_t seed = 0;
    for (const double share : {0.5, 0.02, 0.0005, 0.00004}) {
        const VoxelSet sites = randomVoxels({32, 29, 31}, share, ++seed);
        std::vector<std::array<int, 3>> all;
        for (int z = 0; z < 31; ++z)
            for (int y = 0; y < 29; ++y)
                for (int x = 0; x < 32; ++x)
                    if (sites.test(x, y, z))
                        all.push_back({x, y, z});
        const auto nearest = nearestSites(sites, serial);
        if (all.empty()) {
            EXPECT_EQ(nearest[0], kNoSite);
            continue;
        }
        for (int z = 0; z<31; z += share> 0.1 ? 3 : 1)
            for (int y = 0; y < 29; ++y)
                for (int x = 0; x < 32; ++x) {
                    const auto square = [&](const std::array<int, 3>& s) {
                        return (s[0] - x) * (s[0] - x) + (s[1] - y) * (s[1] - y) +
                               (s[2] - z) * (s[2] - z);
                    };
                    int least = std::numeric_limits<int>::max();
                    for (const auto& site : all)
                        least = std::min(least, square(site));
                    const int site = nearest[sites.number(x, y, z)];
                    ASSERT_NE(site, kNoSite);
                    ASSERT_TRUE(sites.test(site % 32, site / 32 % 29, site / 32 / 29));
                    ASSERT_EQ(square({site % 32, site / 32 % 29, site / 32 / 29}), least);
                }
    }
}

// Next to a flat face half a voxel lies between centre and surface, and each layer adds one.
TEST(SignedDistances, OfABox)
{
    VoxelSet voxels({20, 20, 20});
    for (int z = 4; z < 16; ++z)
        for (int y = 4; y < 16; ++y)
            for (int x = 4; x < 16; ++x)
                voxels.set(x, y, z, true);
    const DistanceField field = signedDistances(voxels, serial);
    const auto at = [&](int x, int y, int z) {
        return field.distance[voxels.number(x, y, z)];
    };
    for (int depth = 0; depth < 6; ++depth)
        EXPECT_FLOAT_EQ(at(4 + depth, 10, 10), -0.5f - static_cast<float>(depth));
    EXPECT_FLOAT_EQ(at(3, 10, 10), 0.5f);
    EXPECT_FLOAT_EQ(at(0, 10, 10), 3.5f);
    EXPECT_FLOAT_EQ(at(3, 3, 10), std::sqrt(2.0f) / 2); // past an edge
    EXPECT_FLOAT_EQ(at(3, 3, 3), std::sqrt(3.0f) / 2);
    const auto slope = field.gradient[voxels.number(15, 10, 10)];
    EXPECT_NEAR(slope.x, 1, 1e-6);
    EXPECT_NEAR(slope.y, 0, 1e-6);
    for (const auto& g : field.gradient)
        EXPECT_NEAR(physics::length(g), 1, 1e-5);
}

TEST(SignedDistancesThreads, ChangeNothing)
{
    const VoxelSet voxels = randomVoxels({40, 33, 27}, 0.3, 7);
    test::ThreadExecutor four(4);
    const DistanceField a = signedDistances(voxels, serial), b = signedDistances(voxels, four);
    EXPECT_EQ(a.distance, b.distance);
}

} // namespace floe::pbd
