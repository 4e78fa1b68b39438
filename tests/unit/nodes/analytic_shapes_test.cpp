#include "cooked_node.hpp"

#include "floe/base/error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace {

using namespace floe::test;
using floe::expect;
using floe::MeshValue;
using std::numbers::pi;

struct Solid {
    const char* type;
    Settings settings;
    double volume; // [m^3], by the textbook's formula
};

class AnalyticShape : public testing::TestWithParam<Solid> {};

TEST_P(AnalyticShape, EnclosesItsVolume)
{
    const Distances shape(floe::test::shape(GetParam().type, GetParam().settings));
    // The trilinear surface cuts corners by a fraction of a voxel.
    EXPECT_NEAR(shape.insideVolume(shape.voxelSize()) / GetParam().volume, 1, 0.01);
}

TEST_P(AnalyticShape, HasAClosedMeshOfItsVolumeFacingOutwards)
{
    const CookedNode cooked = cook(GetParam().type, GetParam().settings);
    const floe::ValueRef made = cooked.output("mesh");
    const auto& mesh = expect<MeshValue>(made);
    EXPECT_EQ(openEdges(mesh), 0u);
    // Facets lie inside of round surfaces, by at most a quarter of a voxel.
    EXPECT_NEAR(meshVolume(mesh) / GetParam().volume, 1, 0.02);
}

TEST_P(AnalyticShape, HoldsDistancesOfUnitSlopeBesideItsSurface)
{
    const CookedNode cooked = cook(GetParam().type, GetParam().settings);
    const Distances shape(cooked.output("shape"));
    const floe::ValueRef made = cooked.output("mesh");
    const auto& mesh = expect<MeshValue>(made);
    // Middles of the mesh's triangles lie on the surface, up to the facets' quarter of a voxel.
    std::size_t unit = 0, count = 0;
    for (std::size_t t = 0; t < mesh.triangleCount(); ++t) {
        Vec p{};
        for (std::size_t i = 0; i < 9; ++i)
            p[i % 3] += mesh.points()[3 * std::size_t{mesh.triangles()[3 * t + i / 3]} + i % 3] / 3;
        EXPECT_NEAR(shape.at(p), 0, 0.5 * shape.voxelSize());
        const Vec g = shape.gradient(p);
        const double slope = std::sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        unit += std::fabs(slope - 1) < 0.03 ? 1 : 0;
        ++count;
    }
    EXPECT_GT(count, 10u);
    // Less only where edges are as sharp as a voxel.
    EXPECT_GT(unit, count * 0.9);
}

INSTANTIATE_TEST_SUITE_P(
    , AnalyticShape,
    testing::Values(
        Solid{"floe.shape.sphere", {{"radius", 0.5}}, 4.0 / 3 * pi * 0.125},
        Solid{"floe.shape.sphere",
              {{"radius", 0.3}, {"center", Vec{1.234, -7.7, 30.1}}, {"voxelSize", 0.01}},
              4.0 / 3 * pi * 0.027},
        Solid{"floe.shape.box", {{"size", Vec{1, 0.5, 0.8}}}, 0.4},
        Solid{"floe.shape.box",
              {{"size", Vec{1, 0.5, 0.8}}, {"rotation", Vec{20, 30, 40}}, {"center", Vec{3, 1, 2}}},
              0.4},
        Solid{"floe.shape.cylinder", {{"radius", 0.4}, {"height", 1.2}}, pi * 0.16 * 1.2},
        Solid{"floe.shape.capsule",
              {{"radius", 0.3}, {"height", 0.6}, {"rotation", Vec{0, 0, 90}}},
              pi * 0.09 * 0.6 + 4.0 / 3 * pi * 0.027},
        Solid{"floe.shape.torus", {{"radius", 0.6}, {"tubeRadius", 0.2}}, 2 * pi* pi * 0.6 * 0.04},
        Solid{"floe.shape.plane", {{"size", 2.0}, {"thickness", 0.3}}, 1.2}),
    [](const auto& made) {
        std::string name = made.param.type + 11;
        return name + std::to_string(made.index);
    });

TEST(Sphere, DistancesAreExact)
{
    const Vec center = {0.3, 1.1, -0.7};
    const Distances ball(shape("floe.shape.sphere", {{"radius", 0.5}, {"center", center}}));
    for (int i = 0; i < 200; ++i) {
        // Points in all directions, up to the 1.2 voxels outside where all eight voxels around
        // lie within the band.
        const double a = 2.399963 * i, z = -1 + (2 * i + 1) / 200.0, s = std::sqrt(1 - z * z);
        const double wanted = -0.04 + 0.064 * std::fabs(std::sin(1.7 * i));
        const Vec n = {s * std::cos(a), z, s * std::sin(a)};
        Vec p;
        for (std::size_t k = 0; k < 3; ++k)
            p[k] = center[k] + (0.5 + wanted) * n[k];
        // Trilinear error of a ball: at most 2 h^2 / 8 r = 0.0002.
        EXPECT_NEAR(ball.at(p), wanted, 0.0003);
        const Vec g = ball.gradient(p);
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_NEAR(g[k], n[k], 0.05); // h / r
    }
}

TEST(Box, DistanceOfATurnedBoxIsToItsNearestFaceEdgeOrCorner)
{
    // Turned a quarter about z: the long side stands upright.
    const Distances box(
        shape("floe.shape.box", {{"size", Vec{2, 1, 1}}, {"rotation", Vec{0, 0, 90}}}));
    EXPECT_NEAR(box.at({0, 1.04, 0}), 0.04, 1e-4);
    EXPECT_NEAR(box.at({0.54, 0, 0}), 0.04, 1e-4);
    EXPECT_NEAR(box.at({0.46, 0, 0}), -0.04, 1e-4);
    // Beyond an edge, at 3-4-5 distances; curvature 1/r costs h^2 / 8r = 0.001.
    EXPECT_NEAR(box.at({0.53, 0, 0.54}), 0.05, 0.002);
}

TEST(Box, RoundingKeepsTheOuterSize)
{
    const Distances box(shape("floe.shape.box", {{"size", Vec{1, 1, 1}}, {"rounding", 0.2}}));
    EXPECT_NEAR(box.at({0.5, 0, 0}), 0, 1e-4);
    // The corner is a ball of radius 0.2 around (0.3, 0.3, 0.3).
    const double corner = 0.3 + 0.2 / std::sqrt(3.0);
    EXPECT_NEAR(box.at({corner, corner, corner}), 0, 0.001);
}

TEST(LargeShape, IsNegativeThroughoutItsInside)
{
    // 400 voxels across: the middle is in tiles of the tree, not in voxels.
    const Distances box(shape("floe.shape.box", {{"size", Vec{20, 20, 20}}, {"voxelSize", 0.05}}));
    EXPECT_LE(box.background(), 0.151);
    for (const double x : {-9.9, -9.0, -6.5, -3.2, 0.0, 1.6, 6.4, 9.0, 9.9}) {
        EXPECT_LT(box.at({x, 0.01, 0.02}), 0);
        EXPECT_GE(box.at({x, 0.01, 0.02}),
                  -(10 - std::fabs(x)) - 1e-4); // no more than the true distance
        EXPECT_GT(box.at({x, 10.1, 0.02}), 0);
        EXPECT_GT(box.at({x, 40, 0.02}), 0);
    }
}

TEST(Plane, LiesBelowItsCentre)
{
    const Distances plane(shape("floe.shape.plane", {{"center", Vec{0, 1, 0}}}));
    EXPECT_NEAR(plane.at({0.3, 1, 0.2}), 0, 1e-5);
    EXPECT_NEAR(plane.at({0.3, 0.96, 0.2}), -0.04, 1e-4);
    EXPECT_LT(plane.at({0.3, 0.75, 0.2}), 0);
    EXPECT_GT(plane.at({0.3, 0.65, 0.2}), 0);
}

TEST(Voxels, TooSmallForMemoryAreRefusedWithACure)
{
    try {
        shape("floe.shape.sphere", {{"radius", 5.0}, {"voxelSize", 0.0001}});
        FAIL() << "4 billion voxels were not refused";
    } catch (const floe::MemoryError& error) {
        EXPECT_NE(std::string(error.what()).find("voxelSize of at least"), std::string::npos)
            << error.what();
    }
    EXPECT_ANY_THROW(shape("floe.shape.sphere", {{"radius", 100000.0}, {"voxelSize", 0.00001}}));
    EXPECT_ANY_THROW(shape("floe.shape.plane", {{"size", 100000.0}, {"voxelSize", 0.00001}}));
}

// Balls of any size: where one holds a point within the band, the surface may be met; in the middle
// of a ring and far off it is not.
TEST(LevelSet, KnowsWhereItsSurfaceMayBeMet)
{
    const Distances ring(shape(
        "floe.shape.torus",
        {{"radius", 0.5}, {"tubeRadius", 0.1}, {"center", Vec{3, -2, 1}}, {"voxelSize", 0.01}}));
    std::mt19937 random(5);
    std::uniform_real_distribution<double> share(-1, 1);
    int met = 0;
    for (int ball = 0; ball < 400; ++ball) {
        const Vec center{3 + share(random), -2 + share(random), 1 + share(random)};
        const double radius = 0.3 * std::abs(share(random));
        bool meets = false;
        for (int i = 0; i < 500 && !meets; ++i) {
            const Vec d{share(random), share(random), share(random)};
            meets = std::hypot(d[0], d[1], d[2]) <= 1 &&
                    std::abs(ring.at({center[0] + radius * d[0], center[1] + radius * d[1],
                                      center[2] + radius * d[2]})) < 0.9 * ring.background();
        }
        met += meets;
        EXPECT_TRUE(!meets || ring.mayMeetSurface(center, radius)) << ball;
    }
    EXPECT_GT(met, 30);
    EXPECT_FALSE(ring.mayMeetSurface({3, -2, 1}, 0.12));
    EXPECT_TRUE(ring.mayMeetSurface({3, -2, 1}, 0.5));
    EXPECT_FALSE(ring.mayMeetSurface({3, 8, 1}, 5));
    EXPECT_TRUE(ring.mayMeetSurface({3, 8, 1}, 20));
    EXPECT_FALSE(ring.mayMeetSurface({1e15, 0, 0}, 1));
    EXPECT_TRUE(ring.mayMeetSurface({0, 0, 0}, 1e15));
}

} // namespace
