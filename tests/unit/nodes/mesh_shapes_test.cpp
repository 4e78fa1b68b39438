#include "cooked_node.hpp"

#include "floe/base/error.hpp"
#include "floe/data/image.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>
#include <sstream>

namespace {

using namespace floe::test;
using floe::expect;
using floe::make;
using floe::MeshValue;
using floe::ValueRef;

constexpr double kBall = 4.0 / 3 * std::numbers::pi * 0.125; // radius 0.5

TEST(MeshShape, OfAClosedBallIsTheBall)
{
    const CookedNode cooked = cook("floe.shape.mesh", {}, {{"mesh", {ballMesh(0.5, 64)}}});
    EXPECT_TRUE(cooked.warnings.empty());
    const Distances shape(cooked.output("shape"));
    EXPECT_NEAR(shape.insideVolume(0.02) / kBall, 1, 0.01);
    EXPECT_LT(shape.at({0, 0, 0}), 0);
    EXPECT_NEAR(shape.at({0, 0.53, 0}), 0.03, 0.002);
}

TEST(MeshShape, WithAHoleIsClosedWithAWarning)
{
    // Without the cap of 64 x 3 triangles around the pole.
    const CookedNode cooked = cook("floe.shape.mesh", {}, {{"mesh", {ballMesh(0.5, 32, 64 * 3)}}});
    ASSERT_EQ(cooked.warnings.size(), 1u);
    EXPECT_NE(cooked.warnings[0].find("1 hole"), std::string::npos) << cooked.warnings[0];
    const Distances shape(cooked.output("shape"));
    EXPECT_LT(shape.at({0, 0, 0}), 0);
    // A flat patch takes off the cap: h = r (1 - cos(2 pi / 32)) = 0.0096, nearly nothing.
    EXPECT_NEAR(shape.insideVolume(0.02) / kBall, 1, 0.02);
    EXPECT_EQ(openEdges(expect<MeshValue>(cooked.output("mesh"))), 0u);
}

TEST(MeshShape, TrianglesGivenTwiceCountOnce)
{
    const auto ball = ballMesh(0.5, 32);
    const auto given = ball->triangles();
    const std::vector<float> points(ball->points().begin(), ball->points().end());
    std::vector<std::uint32_t> triangles(given.begin(), given.end());
    for (std::size_t t = 0; t < given.size() / 2; t += 3)
        for (const std::size_t corner : {t + 1, t + 2, t}) // begins elsewhere, faces the same side
            triangles.push_back(given[corner]);
    const auto doubled = make<MeshValue>(points, triangles);
    doubled->seal();
    const CookedNode cooked = cook("floe.shape.mesh", {}, {{"mesh", {doubled}}});
    EXPECT_TRUE(cooked.warnings.empty()) << cooked.warnings[0];
    EXPECT_NEAR(Distances(cooked.output("shape")).insideVolume(0.02) / kBall, 1, 0.02);
}

TEST(MeshShape, OfUnconnectedTrianglesFollowsTheWayTheyFace)
{
    // Every triangle of the ball shrunk to 80 % about its middle: gaps everywhere.
    const auto ball = ballMesh(0.5, 24);
    std::vector<float> points;
    std::vector<std::uint32_t> triangles;
    for (std::size_t t = 0; t < ball->triangleCount(); ++t) {
        Vec middle{};
        for (std::size_t i = 0; i < 9; ++i)
            middle[i % 3] +=
                ball->points()[3 * std::size_t{ball->triangles()[3 * t + i / 3]} + i % 3] / 3;
        for (std::size_t i = 0; i < 9; ++i) {
            const double p =
                ball->points()[3 * std::size_t{ball->triangles()[3 * t + i / 3]} + i % 3];
            points.push_back(static_cast<float>(middle[i % 3] + 0.8 * (p - middle[i % 3])));
            if (i % 3 == 0)
                triangles.push_back(static_cast<std::uint32_t>(triangles.size()));
        }
    }
    const auto soup = make<MeshValue>(points, triangles);
    soup->seal();
    const CookedNode cooked = cook("floe.shape.mesh", {}, {{"mesh", {soup}}});
    EXPECT_FALSE(cooked.warnings.empty());
    const Distances shape(cooked.output("shape"));
    EXPECT_LT(shape.at({0, 0, 0}), 0);
    // A third of the area is missing, so the winding number's surface wavers.
    EXPECT_NEAR(shape.insideVolume(0.02) / kBall, 1, 0.1);
}

TEST(MeshShape, JoinsPartsThatCutEachOther)
{
    // Two balls 0.5 apart in one mesh.
    const auto ball = ballMesh(0.5, 48);
    std::vector<float> points(ball->points().begin(), ball->points().end());
    std::vector<std::uint32_t> triangles(ball->triangles().begin(), ball->triangles().end());
    for (std::size_t i = 0; i < ball->points().size(); ++i)
        points.push_back(ball->points()[i] + (i % 3 == 0 ? 0.5f : 0.0f));
    for (const std::uint32_t index : ball->triangles())
        triangles.push_back(index + ball->pointCount());
    const auto both = make<MeshValue>(points, triangles);
    both->seal();
    const CookedNode cooked = cook("floe.shape.mesh", {}, {{"mesh", {both}}});
    ASSERT_EQ(cooked.warnings.size(), 1u);
    EXPECT_NE(cooked.warnings[0].find("cut"), std::string::npos) << cooked.warnings[0];
    const double d = 0.5, lens = std::numbers::pi / 12 * (2 + d) * (1 - d) * (1 - d);
    EXPECT_NEAR(Distances(cooked.output("shape")).insideVolume(0.02), 2 * kBall - lens,
                0.02 * kBall);
}

/// Balls around the origin in one mesh; those of negative radius face inwards.
floe::Ref<const MeshValue> ballsInOne(std::initializer_list<std::pair<double, Vec>> balls)
{
    std::vector<float> points;
    std::vector<std::uint32_t> triangles;
    for (const auto& [radius, center] : balls) {
        const auto ball = ballMesh(std::fabs(radius), 48);
        const auto first = static_cast<std::uint32_t>(points.size() / 3);
        for (std::size_t i = 0; i < ball->points().size(); ++i)
            points.push_back(ball->points()[i] + static_cast<float>(center[i % 3]));
        for (std::size_t t = 0; t < ball->triangles().size(); t += 3) {
            const auto* corner = &ball->triangles()[t];
            triangles.insert(triangles.end(),
                             {first + corner[0], first + corner[radius < 0 ? 2 : 1],
                              first + corner[radius < 0 ? 1 : 2]});
        }
    }
    const auto mesh = make<MeshValue>(points, triangles);
    mesh->seal();
    return mesh;
}

TEST(MeshShape, WhatFacesInwardsInsideIsHollow)
{
    // A shell with a ball in it: radii 0.5, 0.4 and 0.2. Turned inside out it is the same.
    for (const double sign : {1.0, -1.0}) {
        const CookedNode cooked =
            cook("floe.shape.mesh", {},
                 {{"mesh", {ballsInOne({{sign * 0.2, {}}, {sign * 0.5, {}}, {-sign * 0.4, {}}})}}});
        EXPECT_TRUE(cooked.warnings.empty());
        const Distances shape(cooked.output("shape"));
        EXPECT_LT(shape.at({0, 0, 0}), 0);
        EXPECT_NEAR(shape.at({0, 0.25, 0}), 0.05, 0.003);
        for (const double x : {0.43, 0.47}) // on both sides of the shell's middle
            EXPECT_NEAR(shape.at({x, 0, 0}), -0.03, 0.003);
        EXPECT_NEAR(shape.at({0, 0, 0.53}), 0.03, 0.002);
        EXPECT_NEAR(shape.insideVolume(0.02) / kBall, 1 - 0.512 + 0.064, 0.02);
    }
}

TEST(MeshShape, PartsThatDoNotLieInOthersAreMatterWhicheverWayTheyFace)
{
    const CookedNode beside =
        cook("floe.shape.mesh", {}, {{"mesh", {ballsInOne({{0.5, {}}, {-0.25, {1.5, 0, 0}}})}}});
    EXPECT_NEAR(Distances(beside.output("shape")).insideVolume(0.02) / kBall, 1.125, 0.015);
    // Nor is one that faces outwards a hollow.
    const CookedNode inside =
        cook("floe.shape.mesh", {}, {{"mesh", {ballsInOne({{0.5, {}}, {0.3, {}}})}}});
    EXPECT_NEAR(Distances(inside.output("shape")).insideVolume(0.02) / kBall, 1, 0.01);
}

TEST(MeshShape, PutsAFileWhereItIsAsked)
{
    serveFiles({{"/ball.obj", ballMesh(50, 48)}}); // a file in centimetres
    const Distances shape(floe::test::shape(
        "floe.shape.mesh", {{"path", "/ball.obj"}, {"scale", 0.01}, {"center", Vec{2, 0, 0}}}));
    EXPECT_NEAR(shape.insideVolume(0.02) / kBall, 1, 0.02);
    EXPECT_NEAR(shape.at({2.5, 0, 0}), 0, 0.002);
    const Distances fitted(
        floe::test::shape("floe.shape.mesh", {{"path", "/ball.obj"}, {"fit", 1.0}}));
    EXPECT_NEAR(fitted.insideVolume(0.02) / kBall, 1, 0.02);
}

TEST(MeshShape, RefusesWhatIsNoSolid)
{
    const std::vector<float> points = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const std::vector<std::uint32_t> one = {0, 1, 2};
    const auto flat = make<MeshValue>(points, one);
    flat->seal();
    EXPECT_THROW(cook("floe.shape.mesh", {}, {{"mesh", {flat}}}), floe::Error);
    const auto empty = make<MeshValue>(points, std::vector<std::uint32_t>{});
    empty->seal();
    EXPECT_THROW(cook("floe.shape.mesh", {}, {{"mesh", {empty}}}), floe::Error);
    EXPECT_THROW(cook("floe.shape.mesh"), floe::Error);
    EXPECT_THROW(cook("floe.shape.mesh", {{"voxelSize", 0.00001}}, {{"mesh", {ballMesh(5, 8)}}}),
                 floe::MemoryError);
    // Slivers, huge coordinates, points used twice.
    const std::vector<float> wild = {0, 0, 0, 3e30f, 0, 0, 0, 1e-30f, 0, 3e30f, 1, 1};
    const std::vector<std::uint32_t> twisted = {0, 1, 2, 0, 0, 1, 2, 1, 3, 3, 2, 1};
    const auto broken = make<MeshValue>(wild, twisted);
    broken->seal();
    EXPECT_THROW(cook("floe.shape.mesh", {}, {{"mesh", {broken}}}), floe::Error);
}

TEST(MeshShape, RandomTrianglesNeverCrash)
{
    std::mt19937 random(7);
    for (int round = 0; round < 30; ++round) {
        std::vector<float> points(3 * 40);
        std::vector<std::uint32_t> triangles(3 * 60);
        for (float& p : points)
            p = std::uniform_real_distribution<float>(-0.5f, 0.5f)(random);
        for (std::uint32_t& i : triangles)
            i = std::uniform_int_distribution<std::uint32_t>(0, 39)(random);
        const auto mesh = make<MeshValue>(points, triangles);
        mesh->seal();
        try {
            const Distances shape(
                floe::test::shape("floe.shape.mesh", {{"voxelSize", 0.05}}, {{"mesh", {mesh}}}));
            EXPECT_GT(shape.at({2, 2, 2}), 0);
        } catch (const floe::Error&) {
        }
    }
}

/// Points and triangles of an OBJ file; enough for the models used here.
ValueRef loadObj(const std::filesystem::path& path)
{
    std::ifstream file(path);
    std::vector<float> points;
    std::vector<std::uint32_t> triangles;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "v") {
            float x = 0;
            for (int i = 0; i < 3 && words >> x; ++i)
                points.push_back(x);
        } else if (word == "f") {
            std::vector<std::uint32_t> face;
            while (words >> word)
                face.push_back(static_cast<std::uint32_t>(std::stoul(word)) - 1);
            for (std::size_t i = 2; i < face.size(); ++i)
                triangles.insert(triangles.end(), {face[0], face[i - 1], face[i]});
        }
    }
    const auto mesh = make<MeshValue>(points, triangles);
    mesh->seal();
    return mesh;
}

TEST(MeshShape, FillsScannedModels)
{
    const char* folder = std::getenv("FLOE_MODELS");
    if (!folder)
        GTEST_SKIP() << "FLOE_MODELS is not set to a folder with stanford-bunny.obj and spot.obj";
    for (const char* name : {"stanford-bunny.obj", "spot.obj"}) {
        const auto path = std::filesystem::path(folder) / name;
        if (!std::filesystem::exists(path))
            GTEST_SKIP() << path << " is missing";
        const CookedNode cooked =
            cook("floe.shape.mesh", {{"fit", 1.0}}, {{"mesh", {loadObj(path)}}});
        // The bunny was scanned standing: holes below, and nothing else wrong.
        EXPECT_LE(cooked.warnings.size(), 1u) << name;
        const Distances shape(cooked.output("shape"));
        const double filled = shape.insideVolume(0.02);
        const double enclosed = meshVolume(expect<MeshValue>(cooked.output("mesh")));
        EXPECT_GT(filled, 0.05) << name; // either fills a good part of its box
        EXPECT_NEAR(filled / enclosed, 1, 0.05) << name;
    }
}

TEST(HeightField, RisesAndFallsAroundItsCentre)
{
    const CookedNode cooked = cook("floe.shape.heightfield", {{"height", 0.3},
                                                              {"sizeX", 3.0},
                                                              {"sizeZ", 2.0},
                                                              {"depth", 0.5},
                                                              {"center", Vec{0, 1, 0}}});
    const Distances land(cooked.output("shape"));
    EXPECT_LT(land.at({0.2, 0.65, 0.1}), 0);
    EXPECT_GT(land.at({0.2, 1.35, 0.1}), 0);
    const ValueRef made = cooked.output("mesh");
    const auto& mesh = expect<MeshValue>(made);
    EXPECT_EQ(openEdges(mesh), 0u);
    // Noise is as often above as below: the mean height is the centre's, within a third.
    EXPECT_NEAR(land.insideVolume(0.02), 3.0 * 2 * 0.8, 3.0 * 2 * 0.1);
    EXPECT_NEAR(meshVolume(mesh), land.insideVolume(0.02), 0.05);
    EXPECT_GT(mesh.bounds()[4] - 1.0, 0.05); // there are hills
}

TEST(HeightField, FollowsAnImage)
{
    // Brightness rises from left to right.
    std::vector<float> pixels;
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 5; ++x)
            pixels.push_back(static_cast<float>(x) / 4);
    const auto image = make<floe::ImageValue>(5u, 3u, 1u, std::span<const float>(pixels));
    image->seal();
    serveFiles({{"/ramp.png", image}});
    const Distances ramp(shape("floe.shape.heightfield", {{"source", "image"},
                                                          {"image", "/ramp.png"},
                                                          {"sizeX", 2.0},
                                                          {"sizeZ", 2.0},
                                                          {"height", 1.0},
                                                          {"depth", 0.5}}));
    for (const double x : {-0.5, 0.0, 0.5})
        EXPECT_NEAR(ramp.at({x, (x + 1) / 2, 0}), 0, 0.003);
    EXPECT_NEAR(ramp.insideVolume(0.02), 2.0 * 2 * (0.5 + 0.5), 0.05);
}

TEST(FileShape, GivesTheFilesGridAndResamplesIt)
{
    const ValueRef ball = shape("floe.shape.sphere");
    serveFiles({{"/ball.vdb", ball}, {"/ball.vdb:inner", ball}});
    EXPECT_EQ(shape("floe.shape.file", {{"path", "/ball.vdb"}}), ball);
    const Distances coarse(
        shape("floe.shape.file", {{"path", "/ball.vdb"}, {"grid", "inner"}, {"voxelSize", 0.04}}));
    EXPECT_NEAR(coarse.voxelSize(), 0.04, 1e-9);
    EXPECT_NEAR(coarse.insideVolume(0.04) / kBall, 1, 0.02);
    EXPECT_THROW(shape("floe.shape.file", {{"path", "/none.vdb"}}), floe::IoError);
}

TEST(SequenceShape, ReadsTheFileOfTheFrame)
{
    const ValueRef small = shape("floe.shape.sphere", {{"radius", 0.2}});
    const ValueRef large = shape("floe.shape.sphere", {{"radius", 0.4}});
    serveFiles({{"/b.0007.vdb", small}, {"/b.0008.vdb", large}});
    const Settings settings = {
        {"path", "/b.%04d.vdb"}, {"frameOffset", 5.0}, {"first", 7}, {"last", 8}};
    EXPECT_EQ(cook("floe.shape.sequence", settings, {}, 2).output("shape"), small);
    EXPECT_EQ(cook("floe.shape.sequence", settings, {}, 3).output("shape"), large);
    EXPECT_EQ(cook("floe.shape.sequence", settings, {}, 99).output("shape"), large);
    EXPECT_EQ(cook("floe.shape.sequence", settings, {}, -99).output("shape"), small);
}

} // namespace
