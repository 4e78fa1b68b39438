// Pairs of spheres on the device against trying them all.
#include "clouds.hpp"
#include "cuda_device.hpp"
#include "device_scene.hpp"

#include <gtest/gtest.h>

namespace floe::pbd {

TEST(CudaPairs, EqualBruteForceInAnyOrder)
{
    const auto device = makeDeviceSolver(test::cudaDevice());
    std::uint64_t seed = 0;
    for (const double ratio : {1.0, 4.0, 16.0, 1000.0})
        for (const double doubled : {0.0, 0.3}) {
            const Cloud cloud = randomCloud(1500, ratio, doubled, ++seed);
            const auto expected = bruteForce(cloud.view());
            EXPECT_GT(expected.size(), 500u) << ratio;
            test::shuffleCudaThreads(seed);
            EXPECT_EQ(device->findPairs(cloud.view()), expected) << ratio;
        }
    test::shuffleCudaThreads(0);
}

// All in one place: every list is as long as can be.
TEST(CudaPairs, OfACrowdAreAllOfThem)
{
    Cloud cloud;
    for (int i = 0; i < 200; ++i) {
        cloud.center.push_back({1, 2, 3});
        cloud.radius.push_back(0.5f);
        cloud.group.push_back(kNoGroup);
    }
    const auto device = makeDeviceSolver(test::cudaDevice());
    EXPECT_EQ(device->findPairs(cloud.view()), bruteForce(cloud.view()));
    cloud.group.assign(cloud.group.size(), 3);
    EXPECT_TRUE(device->findPairs(cloud.view()).empty());
    EXPECT_TRUE(device->findPairs({}).empty());
}

// Whoever searches, a scene goes on in the same bits.
TEST(CudaPairs, ChangeNothing)
{
    DeviceTrial grid, tree;
    for (DeviceTrial* trial : {&grid, &tree}) {
        trial->basin({0.4, 1, 0.4});
        addGrains(*trial, {0.02, 0, 0.02}, {5, 5, 5}, 0.03f, 3, {0.5f, -1, 0});
        trial->addBox(0.12, 0.04, {.x = {0.2, 0.5, 0.2}, .v = {0, -2, 0}});
    }
    grid.solver.settings.search = Search::grid;
    tree.solver.settings.search = Search::tree;
    for (DeviceTrial* trial : {&grid, &tree})
        trial->runOn(*makeDeviceSolver(test::cudaDevice()));
    EXPECT_GT(grid.solver.contacts().searches(), 2u);
    expectSame(grid, tree);
}

} // namespace floe::pbd
