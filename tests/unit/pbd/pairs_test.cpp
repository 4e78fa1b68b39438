// Pairs of spheres against trying them all.
#include "clouds.hpp"
#include "threads.hpp"

#include <gtest/gtest.h>

namespace floe::pbd {
namespace {

sdk::parallel::SerialExecutor serial;

} // namespace

TEST(Pairs, EqualBruteForce)
{
    std::uint64_t seed = 0;
    for (const double ratio : {1.0, 2.0, 16.0, 64.0, 1000.0})
        for (const double doubled : {0.0, 0.3}) {
            const Cloud cloud = randomCloud(3000, ratio, doubled, ++seed);
            const auto expected = bruteForce(cloud.view());
            EXPECT_GT(expected.size(), 1000u) << ratio;
            EXPECT_EQ(findPairs(cloud.view(), Search::tree, serial), expected) << ratio;
            EXPECT_EQ(findPairs(cloud.view(), Search::grid, serial), expected) << ratio;
            EXPECT_EQ(findPairs(cloud.view(), Search::automatic, serial), expected) << ratio;
        }
}

// All in one place: every code and every cell is the same, and every list as long as can be.
TEST(Pairs, OfACrowdAreAllOfThem)
{
    Cloud cloud;
    for (int i = 0; i < 500; ++i) {
        cloud.center.push_back({1, 2, 3});
        cloud.radius.push_back(0.5f);
        cloud.group.push_back(kNoGroup);
    }
    EXPECT_EQ(findPairs(cloud.view(), Search::tree, serial).size(), 500u * 499 / 2);
    EXPECT_EQ(findPairs(cloud.view(), Search::grid, serial).size(), 500u * 499 / 2);
}

TEST(Pairs, OfFewSpheres)
{
    Cloud cloud;
    for (const Search search : {Search::tree, Search::grid}) {
        cloud = {};
        EXPECT_TRUE(findPairs(cloud.view(), search, serial).empty());
        cloud.center = {{0, 0, 0}};
        cloud.radius = {1};
        cloud.group = {kNoGroup};
        EXPECT_TRUE(findPairs(cloud.view(), search, serial).empty());
        cloud.center.push_back({1.5f, 0, 0});
        cloud.radius.push_back(0.6f);
        cloud.group.push_back(0);
        EXPECT_EQ(findPairs(cloud.view(), search, serial).size(), 1u);
        cloud.radius[1] = 0.4f;
        EXPECT_TRUE(findPairs(cloud.view(), search, serial).empty());
        cloud.center[1].x = 1e6f; // a world far wider than its spheres
        cloud.center.push_back({1e6f, 0.5f, 0});
        cloud.radius.push_back(0.2f);
        cloud.group.push_back(kNoGroup);
        EXPECT_EQ(findPairs(cloud.view(), search, serial), (std::vector<Pair>{{1, 2}}));
    }
}

TEST(PairsThreads, ChangeNothing)
{
    const Cloud cloud = randomCloud(20000, 16, 0.1, 99);
    test::ThreadExecutor four(4);
    for (const Search search : {Search::tree, Search::grid})
        EXPECT_EQ(findPairs(cloud.view(), search, serial), findPairs(cloud.view(), search, four));
}

} // namespace floe::pbd
