// From a mesh to particles: published counts, and the body's mass and inertia.
#include "bodies/merging.hpp"
#include "bodies/rest_body.hpp"
#include "meshes.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace floe::pbd {
namespace {

sdk::parallel::SerialExecutor serial;

std::vector<std::size_t> countsByLevel(int edge, float threshold)
{
    const VoxelSize size{edge + 4, edge + 4, edge + 4};
    VoxelSet voxels(size);
    for (int z = 2; z < edge + 2; ++z)
        for (int y = 2; y < edge + 2; ++y)
            for (int x = 2; x < edge + 2; ++x)
                voxels.set(x, y, z, true);
    std::vector<std::size_t> counts;
    for (const MergedVoxel& cube :
         mergeVoxels(voxels, signedDistances(voxels, serial), threshold, serial)) {
        counts.resize(std::max(counts.size(), static_cast<std::size_t>(cube.level) + 1));
        ++counts[static_cast<std::size_t>(cube.level)];
    }
    return counts;
}

} // namespace

// Jia 2017, tables 6.2 and 6.5: 1224 (x 125 = 153 000), 10 963 and 107 967 particles.
TEST(Merging, GivesThePublishedCounts)
{
    using Counts = std::vector<std::size_t>;
    for (const float threshold : {-0.51f, -1.0f, -2.49f}) {
        EXPECT_EQ(countsByLevel(12, threshold), (Counts{1216, 0, 8}));
        EXPECT_EQ(countsByLevel(32, threshold), (Counts{10816, 0, 127, 19, 1}));
    }
    EXPECT_EQ(countsByLevel(96, -1), (Counts{106048, 0, 1519, 331, 61, 8}));
    EXPECT_EQ(countsByLevel(12, -INFINITY), (Counts{1728}));
}

// The same counts of a mesh, through voxels, distances and merging as an artist's box goes.
TEST(RestBody, OfABoxHasThePublishedNumberOfParticles)
{
    const double voxel = 0.125;
    for (const auto& [edge, count] : {std::pair{12, 1224u}, {32, 10963u}, {96, 107967u}}) {
        const RestBody body =
            makeRestBody(test::cube(edge * voxel).view(), {.voxel = voxel}, serial);
        EXPECT_EQ(body.particles.size(), count) << edge;
        EXPECT_NEAR(body.mass, 1000 * std::pow(edge * voxel, 3), 1e-5 * body.mass);
    }
}

TEST(RestBody, OfABoxHasItsMassAndInertia)
{
    const auto box = test::gridBox({1, 2, 3}, {1.6, 2.4, 3.2});
    for (const double threshold : {-1.0, -double{INFINITY}}) {
        const RestBody body = makeRestBody(
            box.view(), {.voxel = 0.02, .density = 500, .mergeThreshold = threshold}, serial);
        const double m = 500 * 0.6 * 0.4 * 0.2;
        EXPECT_NEAR(body.mass, m, 1e-4 * m);
        EXPECT_NEAR(body.center.x, 1.3, 1e-5);
        EXPECT_NEAR(body.center.y, 2.2, 1e-5);
        EXPECT_NEAR(body.center.z, 3.1, 1e-5);
        EXPECT_NEAR(body.inertia[0][0], m / 12 * (0.16 + 0.04), 1e-4 * m);
        EXPECT_NEAR(body.inertia[1][1], m / 12 * (0.36 + 0.04), 1e-4 * m);
        EXPECT_NEAR(body.inertia[2][2], m / 12 * (0.36 + 0.16), 1e-4 * m);
        EXPECT_NEAR(body.inertia[0][1], 0, 1e-5 * m);
        for (const RestParticle& particle : body.particles)
            if (particle.boundary) {
                EXPECT_FLOAT_EQ(particle.radius, body.boundaryRadius);
                EXPECT_GE(particle.distance, -0.0175f); // sqrt(3)/2 of a voxel
            }
    }
}

// Skin points move along when all particles move, whatever their shares.
TEST(RestBody, SkinIsBoundToTheNearestParticles)
{
    const auto box = test::cube(1);
    const RestBody body = makeRestBody(box.view(), {.voxel = 0.125, .skinned = true}, serial);
    ASSERT_EQ(body.skin.size(), 8u);
    for (std::size_t p = 0; p < 8; ++p) {
        float sum = 0;
        for (std::size_t k = 0; k < RestBody::kSkinParticles; ++k)
            sum += body.skinShare[p][k];
        EXPECT_NEAR(sum, 1, 1e-6);
        // The corner's own voxel is nearest, at sqrt(3)/2 of an edge.
        const Vec3f d = body.particles[body.skin[p][0]].offset - body.meshPoints[p];
        EXPECT_NEAR(physics::length(d), 0.125 * std::sqrt(3.0) / 2, 1e-4);
        const Vec3f last = body.particles[body.skin[p][3]].offset - body.meshPoints[p];
        EXPECT_NEAR(physics::length(last), 0.125 * std::sqrt(0.25 + 0.25 + 2.25), 1e-4);
    }
}

TEST(RestBody, ScannedMeshesBecomeBodies)
{
    const auto spot = test::readModel("spot.obj");
    if (!spot)
        GTEST_SKIP() << "spot.obj is not in the folder that FLOE_TEST_MODELS names";
    const RestBody fine =
        makeRestBody(spot->view(), {.voxel = 0.03, .mergeThreshold = -double{INFINITY}}, serial);
    const RestBody merged = makeRestBody(spot->view(), {.voxel = 0.03}, serial);
    EXPECT_NEAR(fine.mass, merged.mass, 1e-4 * fine.mass);
    EXPECT_LT(merged.particles.size(), fine.particles.size());
    EXPECT_EQ((fine.particles.size() - merged.particles.size()) % 7, 0u); // each merge removes 7
}

} // namespace floe::pbd
