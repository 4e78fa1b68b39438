#include "cooked_node.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace {

using namespace floe::test;
using floe::ValueRef;

ValueRef ball(double radius, double x)
{
    return shape("floe.shape.sphere", {{"radius", radius}, {"center", Vec{x, 0, 0}}});
}

double volumeOf(const ValueRef& shape)
{
    const Distances distances(shape);
    return distances.insideVolume(distances.voxelSize());
}

double ballVolume(double radius)
{
    return 4.0 / 3 * std::numbers::pi * radius * radius * radius;
}

// |A or B| + |A and B| = |A| + |B|,  |A without B| + |A and B| = |A|.
TEST(Combination, VolumesAddUp)
{
    const ValueRef a = ball(0.5, 0), b = ball(0.4, 0.45);
    const double both = volumeOf(shape("floe.shape.intersection", {}, {{"shapes", {a, b}}}));
    const double either = volumeOf(shape("floe.shape.union", {}, {{"shapes", {a, b}}}));
    const double rest =
        volumeOf(shape("floe.shape.difference", {}, {{"shape", {a}}, {"cut", {b}}}));
    // Sharp edges are rounded by a fraction of a voxel: 0.5 % of the ball.
    EXPECT_NEAR(either + both, volumeOf(a) + volumeOf(b), 0.005 * volumeOf(a));
    EXPECT_NEAR(rest + both, volumeOf(a), 0.005 * volumeOf(a));
    // Two balls' lens, by the textbook.
    const double d = 0.45, R = 0.5, r = 0.4;
    const double lens = std::numbers::pi * std::pow(R + r - d, 2) *
                        (d * d + 2 * d * r - 3 * r * r + 2 * d * R + 6 * r * R - 3 * R * R) /
                        (12 * d);
    EXPECT_NEAR(both, lens, 0.02 * lens);
}

TEST(Combination, WithItselfChangesNothing)
{
    const ValueRef a = ball(0.5, 0.1);
    const Distances before(a);
    const Distances joined(shape("floe.shape.union", {}, {{"shapes", {a, a}}}));
    const Distances common(shape("floe.shape.intersection", {}, {{"shapes", {a, a}}}));
    for (double x = 0.54; x < 0.66; x += 0.01) {
        EXPECT_FLOAT_EQ(joined.at({x, 0, 0}), before.at({x, 0, 0}));
        EXPECT_FLOAT_EQ(common.at({x, 0, 0}), before.at({x, 0, 0}));
    }
    const Distances nothing(shape("floe.shape.difference", {}, {{"shape", {a}}, {"cut", {a}}}));
    for (double x = -0.6; x < 0.8; x += 0.01)
        EXPECT_GE(nothing.at({x, 0, 0}), 0);
}

TEST(Combination, TakesShapesWithDifferentVoxels)
{
    const ValueRef coarse = shape("floe.shape.sphere", {{"voxelSize", 0.05}});
    const ValueRef fine =
        shape("floe.shape.sphere", {{"voxelSize", 0.02}, {"center", Vec{2, 0, 0}}});
    const Distances joined(shape("floe.shape.union", {}, {{"shapes", {coarse, fine}}}));
    EXPECT_NEAR(joined.voxelSize(), 0.02, 1e-9);
    EXPECT_NEAR(joined.insideVolume(0.02), 2 * ballVolume(0.5), 0.02 * ballVolume(0.5));
}

TEST(SmoothUnion, FillsTheGrooveAndStaysOffElsewhere)
{
    const ValueRef a = ball(0.5, -0.45), b = ball(0.5, 0.45);
    const Links both = {{"shapes", {a, b}}};
    const Distances sharp(shape("floe.shape.union", {}, both));
    const Distances smooth(shape("floe.shape.union", {{"smooth", 0.2}}, both));
    // In the groove the balls are equally far, 0 away at y = 0.218: the blend adds a quarter of
    // its radius.
    const double groove = std::sqrt(0.25 - 0.45 * 0.45);
    EXPECT_NEAR(sharp.at({0, groove, 0}), 0, 0.01);
    EXPECT_LT(smooth.at({0, groove + 0.04, 0}), 0);
    EXPECT_GT(smooth.at({0, groove + 0.15, 0}), 0);
    // Far from the other ball nothing changes.
    EXPECT_NEAR(smooth.at({0.95, 0, 0}), 0, 0.002);
    const Vec g = smooth.gradient({0, groove + 0.07, 0});
    EXPECT_NEAR(std::sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), 1, 0.1);
}

TEST(SmoothDifference, RoundsTheEdgeAway)
{
    const ValueRef a = ball(0.5, 0), b = ball(0.5, 0.5);
    const Links links = {{"shape", {a}}, {"cut", {b}}};
    const double sharp = volumeOf(shape("floe.shape.difference", {}, links));
    const double smooth = volumeOf(shape("floe.shape.difference", {{"smooth", 0.1}}, links));
    EXPECT_LT(smooth, sharp);
    EXPECT_GT(smooth, 0.8 * sharp);
}

TEST(Offset, MovesTheSurfaceByItsDistanceFarBeyondTheBand)
{
    const ValueRef a = ball(0.5, 0);
    // 15 voxels; the distance comes from a triangle mesh, off by some h^2 / r.
    for (const double distance : {0.3, 0.01, -0.01, -0.3}) {
        const Distances moved(
            shape("floe.shape.offset", {{"distance", distance}}, {{"shape", {a}}}));
        EXPECT_NEAR(moved.at({0.5 + distance, 0, 0}), 0, 0.003) << distance;
        EXPECT_NEAR(moved.insideVolume(0.02) / ballVolume(0.5 + distance), 1, 0.02) << distance;
    }
}

TEST(Transform, MovesTurnsAndScales)
{
    const ValueRef box = shape("floe.shape.box", {{"size", Vec{1, 0.4, 0.4}}});
    const Distances moved(
        shape("floe.shape.transform", {{"translation", Vec{5.123, 0, 0}}}, {{"shape", {box}}}));
    EXPECT_NEAR(moved.at({5.623, 0, 0}), 0, 0.001);

    const Distances turned(shape("floe.shape.transform",
                                 {{"rotation", Vec{0, 0, 90}}, {"uniformScale", 2.0}},
                                 {{"shape", {box}}}));
    EXPECT_NEAR(turned.at({0, 1, 0}), 0, 0.01);
    EXPECT_NEAR(turned.at({0.4, 0, 0}), 0, 0.01);
    EXPECT_NEAR(turned.insideVolume(0.02), 8 * 0.16, 0.02 * 8 * 0.16);

    const Distances stretched(
        shape("floe.shape.transform", {{"scale", Vec{1, 1, -3}}}, {{"shape", {box}}}));
    EXPECT_NEAR(stretched.insideVolume(0.02), 3 * 0.16, 0.02 * 3 * 0.16);
    // Distances are true ones, not stretched.
    EXPECT_NEAR(stretched.at({0, 0, 0.64}), 0.04, 0.002);
}

TEST(Noise, MovesTheSurfaceUpToItsAmount)
{
    const ValueRef a = ball(0.5, 0);
    const Settings settings = {{"amount", 0.1}, {"wavelength", 0.3}};
    const Distances bumpy(shape("floe.shape.noise", settings, {{"shape", {a}}}));
    EXPECT_LT(bumpy.at({0.39, 0, 0}), 0);
    EXPECT_GT(bumpy.at({0.61, 0, 0}), 0);
    double largest = 0;
    for (int i = 0; i < 500; ++i) {
        const double angle = 2.399963 * i, y = -1 + (2 * i + 1) / 500.0, s = std::sqrt(1 - y * y);
        largest = std::max(largest, std::fabs(bumpy.at({0.5 * s * std::cos(angle), 0.5 * y,
                                                        0.5 * s * std::sin(angle)})));
    }
    EXPECT_GT(largest, 0.02);
    const Distances again(shape("floe.shape.noise", settings, {{"shape", {a}}}));
    EXPECT_EQ(again.at({0.5, 0, 0}), bumpy.at({0.5, 0, 0}));
    Settings other = settings;
    other.insert_or_assign("seed", 5);
    const Distances different(shape("floe.shape.noise", other, {{"shape", {a}}}));
    EXPECT_NE(different.at({0.5, 0, 0}), bumpy.at({0.5, 0, 0}));
}

TEST(Repeat, MakesRowsAndRings)
{
    const ValueRef pebble = shape("floe.shape.sphere",
                                  {{"radius", 0.1}, {"center", Vec{1, 0, 0}}, {"voxelSize", 0.01}});
    const Distances row(shape("floe.shape.repeat", {{"count", 5}, {"step", Vec{0, 0.3, 0}}},
                              {{"shape", {pebble}}}));
    for (int n = 0; n < 5; ++n)
        EXPECT_LT(row.at({1, 0.3 * n, 0}), -0.05);
    EXPECT_GT(row.at({1, 1.5, 0}), 0);
    EXPECT_GT(row.at({1, 0.15, 0}), 0);

    const ValueRef ringShape =
        shape("floe.shape.repeat", {{"count", 6}, {"turn", Vec{0, 60, 0}}}, {{"shape", {pebble}}});
    const Distances ring(ringShape);
    for (int n = 0; n < 6; ++n) {
        const double angle = n * std::numbers::pi / 3;
        EXPECT_LT(ring.at({std::cos(angle), 0, std::sin(angle)}), -0.05);
    }
    // Chords of one voxel, a tenth of the radius, cut some hundredth off a ball, and the copies are
    // made of triangles of such a ball: twice.
    EXPECT_NEAR(volumeOf(ringShape), 6 * ballVolume(0.1), 0.03 * 6 * ballVolume(0.1));
}

TEST(Repeat, JoinsCopiesThatOverlap)
{
    const ValueRef pair = shape("floe.shape.repeat", {{"count", 2}, {"step", Vec{0.4, 0, 0}}},
                                {{"shape", {ball(0.5, 0)}}});
    const double both =
        volumeOf(shape("floe.shape.union", {}, {{"shapes", {ball(0.5, 0), ball(0.5, 0.4)}}}));
    EXPECT_NEAR(volumeOf(pair), both, 0.01 * both);
    EXPECT_LT(Distances(pair).at({0.2, 0, 0}), -0.1); // no wall between them
}

TEST(Scatter, KeepsItsDistanceInAndOnTheRegion)
{
    const ValueRef grain = shape("floe.shape.sphere", {{"radius", 0.05}, {"voxelSize", 0.01}});
    for (const bool onSurface : {false, true}) {
        const ValueRef region = ball(0.5, 0);
        const ValueRef grains =
            shape("floe.shape.scatter",
                  {{"place", onSurface ? "surface" : "inside"}, {"count", 40}, {"distance", 0.12}},
                  {{"shape", {grain}}, {"region", {region}}});
        // All are there and apart: forty volumes, but for what voxels cut off.
        EXPECT_NEAR(volumeOf(grains), 40 * ballVolume(0.05), 0.1 * 40 * ballVolume(0.05));
        const Distances distances(grains);
        EXPECT_GT(distances.at({0.57, 0, 0}), 0);
        if (onSurface) {
            EXPECT_GT(distances.at({0, 0, 0}), 0);
        }
    }
    // One seed, one pattern; and no more than fit.
    const auto scattered = [&](int seed, int count) {
        return cook("floe.shape.scatter", {{"count", count}, {"distance", 0.3}, {"seed", seed}},
                    {{"shape", {grain}}, {"region", {ball(0.5, 0)}}});
    };
    EXPECT_EQ(volumeOf(scattered(1, 5).output("shape")), volumeOf(scattered(1, 5).output("shape")));
    const CookedNode full = scattered(2, 5000);
    ASSERT_EQ(full.warnings.size(), 1u);
    EXPECT_NE(full.warnings[0].find("room"), std::string::npos);
}

TEST(Resample, KeepsTheShape)
{
    const Distances fine(
        shape("floe.shape.resample", {{"voxelSize", 0.01}}, {{"shape", {ball(0.5, 0)}}}));
    EXPECT_NEAR(fine.voxelSize(), 0.01, 1e-9);
    EXPECT_NEAR(fine.insideVolume(0.01) / ballVolume(0.5), 1, 0.01);
}

TEST(Combination, OfNothingStaysNothing)
{
    const ValueRef a = ball(0.3, -1), b = ball(0.3, 1);
    const ValueRef nothing = shape("floe.shape.intersection", {}, {{"shapes", {a, b}}});
    EXPECT_GT(Distances(nothing).at({0, 0, 0}), 0);
    EXPECT_GT(Distances(shape("floe.shape.offset", {}, {{"shape", {nothing}}})).at({0, 0, 0}), 0);
    EXPECT_GT(Distances(shape("floe.shape.noise", {}, {{"shape", {nothing}}})).at({0, 0, 0}), 0);
    const Distances back(shape("floe.shape.union", {}, {{"shapes", {nothing, a}}}));
    EXPECT_LT(back.at({-1, 0, 0}), 0);
    const Distances smooth(
        shape("floe.shape.union", {{"smooth", 0.1}}, {{"shapes", {a, nothing}}}));
    EXPECT_LT(smooth.at({-1, 0, 0}), 0);
}

} // namespace
