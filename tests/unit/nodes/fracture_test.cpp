#include "cooked_node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <random>
#include <set>
#include <vector>

namespace {

using namespace floe::test;
using floe::expect;
using floe::make;
using floe::MeshValue;
using floe::ParticlesValue;
using floe::Ref;
using floe::ValueRef;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double kSpacing = 0.1; // of the particles [m]
constexpr double kHalf = 0.5;    // half an edge of the cube that they fill [m]
constexpr int kAlong = 10;       // particles along an edge
constexpr std::uint64_t kFirstId = 1000;

using Map = std::function<Vec(const Vec&)>;

Vec unmoved(const Vec& X)
{
    return X;
}

/// The half below x = 0.02 stays, the other one goes away; between them lies no particle.
Vec pulledApart(const Vec& X)
{
    return {X[0] < 0.02 ? X[0] : X[0] + 1, X[1], X[2]};
}

/// Every octant goes its own way.
Vec scattered(const Vec& X)
{
    Vec x = X;
    for (std::size_t axis = 0; axis < 3; ++axis)
        x[axis] += X[axis] < 0.02 ? -1 : 1;
    return x;
}

/// A cube of jittered particles, in an order of its own.
struct Cube {
    std::uint32_t order = 1;                 ///< seed of the order
    bool withIds = true, inTwo = false;      ///< materials, that is: left and right
    std::function<float(const Vec&)> damage; ///< attribute 'plastic'; none

    Ref<ParticlesValue> moved(const Map& map) const
    {
        std::mt19937 random(7);
        std::vector<std::pair<std::uint64_t, Vec>> rest;
        for (int i = 0; i < kAlong; ++i)
            for (int j = 0; j < kAlong; ++j)
                for (int k = 0; k < kAlong; ++k) {
                    const auto at = [&](int n) {
                        const double jitter = random() / 4294967296.0 - 0.5;
                        return kSpacing * (n + 0.5 + 0.4 * jitter) - kHalf;
                    };
                    const double x = at(i), y = at(j), z = at(k);
                    rest.push_back({kFirstId + rest.size(), {x, y, z}});
                }
        std::shuffle(rest.begin(), rest.end(), std::mt19937(order));
        auto particles = make<ParticlesValue>(rest.size());
        const auto x = particles->add<float>("x", 3);
        for (std::size_t p = 0; p < rest.size(); ++p) {
            const Vec position = map(rest[p].second);
            for (std::size_t axis = 0; axis < 3; ++axis)
                x[3 * p + axis] = static_cast<float>(position[axis]);
        }
        if (withIds) {
            const auto id = particles->add<std::uint64_t>("id", 1);
            for (std::size_t p = 0; p < rest.size(); ++p)
                id[p] = rest[p].first;
        }
        if (damage) {
            const auto plastic = particles->add<float>("plastic", 1);
            for (std::size_t p = 0; p < rest.size(); ++p)
                plastic[p] = damage(rest[p].second);
        }
        if (inTwo)
            giveTwoMaterials(*particles, [&](std::size_t p) { return rest[p].second[0] < 0.02; });
        particles->seal();
        return particles;
    }
};

Ref<MeshValue> box(double half = kHalf, std::size_t leftOut = 0)
{
    std::vector<float> points;
    for (int n = 0; n < 8; ++n)
        for (const int bit : {4, 2, 1})
            points.push_back(static_cast<float>(n & bit ? half : -half));
    std::vector<std::uint32_t> triangles = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                            2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    triangles.resize(triangles.size() - 3 * leftOut);
    return make<MeshValue>(std::move(points), std::move(triangles));
}

Links linked(const Ref<MeshValue>& mesh, const Ref<ParticlesValue>& particles)
{
    return {{"mesh", {ValueRef(mesh)}}, {"particles", {ValueRef(particles)}}};
}

/// With pieces of another frame: they are there from the first one on.
Links retargeted(const Ref<ParticlesValue>& particles, const Ref<ParticlesValue>& broken,
                 const Ref<ParticlesValue>& rest = Cube().moved(unmoved))
{
    Links links = linked(box(), particles);
    links["rest"] = {ValueRef(rest)};
    links["broken"] = {ValueRef(broken)};
    return links;
}

const MeshValue& meshOf(const CookedNode& node, const char* output = "mesh")
{
    return expect<MeshValue>(node.outputs.at(output));
}

const ParticlesValue& particlesOf(const CookedNode& node, const char* output)
{
    return expect<ParticlesValue>(node.outputs.at(output));
}

std::vector<std::uint64_t> pieceIds(const CookedNode& node)
{
    const auto ids = particlesOf(node, "pieces").get<std::uint64_t>("id", 1);
    return {ids.begin(), ids.end()};
}

/// Of output 'particles': the id of the piece by the id of the particle.
std::map<std::uint64_t, std::uint64_t> pieceOfParticle(const CookedNode& node)
{
    const ParticlesValue& particles = particlesOf(node, "particles");
    const auto id = particles.get<std::uint64_t>("id", 1);
    const auto piece = particles.get<std::uint64_t>("piece", 1);
    std::map<std::uint64_t, std::uint64_t> found;
    for (std::size_t i = 0; i < particles.count(); ++i)
        found[id[i]] = piece[i];
    return found;
}

CookedNode cooked(const Links& links, const Settings& settings = {})
{
    RunningNode node("floe.mesh.fracture", settings);
    return node.cook(links, 1, true);
}

// Voxels of 5 cm cut a triangle off the twelve edges of the cube, of 1 m each: with legs of a voxel
// 0.015 m^3; measured it is 0.002. Seams cut nothing off.
constexpr double kEdgeLoss = 0.004;

TEST(Fracture, WhatHangsTogetherIsTheMeshAsItIs)
{
    const auto node = cooked(retargeted(Cube().moved(unmoved), Cube().moved(unmoved)));
    EXPECT_EQ(pieceIds(node), std::vector<std::uint64_t>{kFirstId});
    const auto mesh = box();
    ASSERT_EQ(meshOf(node).pointCount(), mesh->pointCount());
    for (std::size_t i = 0; i < 3 * mesh->pointCount(); ++i)
        EXPECT_NEAR(meshOf(node).points()[i], mesh->points()[i], 1e-6); // rounding of a motion
    EXPECT_NEAR(meshVolume(meshOf(node)), 1, 1e-5);
    EXPECT_EQ(meshOf(node, "seams").triangleCount(), 0u);
    EXPECT_TRUE(node.warnings.empty());
}

TEST(Fracture, HalvesPulledApartAreTwoClosedPieces)
{
    const auto apart = Cube().moved(pulledApart);
    const auto node = cooked(retargeted(apart, apart));
    const auto ids = pieceIds(node);
    ASSERT_EQ(ids.size(), 2u);
    // Ids ascend with x: the second half begins with its sixth layer.
    EXPECT_EQ(ids[0], kFirstId);
    EXPECT_EQ(ids[1], kFirstId + 500);
    for (const auto& [id, piece] : pieceOfParticle(node))
        EXPECT_EQ(piece, id < kFirstId + 500 ? ids[0] : ids[1]) << id;
    EXPECT_EQ(openEdges(meshOf(node)), 0u);
    EXPECT_NEAR(meshVolume(meshOf(node)), 1, kEdgeLoss);
    const auto volumes = particlesOf(node, "pieces").get<float>("volume", 1);
    EXPECT_NEAR(volumes[0], 0.5, 0.03); // jitter of the layers
    EXPECT_NEAR(volumes[1], 0.5, 0.03);
    const auto centres = particlesOf(node, "pieces").get<float>("x", 3);
    EXPECT_NEAR(centres[0], -0.25, 0.02);
    EXPECT_NEAR(centres[3], 1.25, 0.02);
    for (std::size_t p = 0; p < meshOf(node).pointCount(); ++p) {
        const float x = meshOf(node).points()[3 * p];
        EXPECT_TRUE(x < 0.1 || x > 0.9) << x; // nothing spans the gap
    }
}

TEST(Fracture, PiecesHaveTheColourOfTheirMatter)
{
    Cube cube;
    cube.inTwo = true;
    const auto apart = cube.moved(pulledApart);
    for (const char* motion : {"rigid", "neighbours"}) {
        RunningNode fracture("floe.mesh.fracture", {{"deformation", motion}});
        const auto node = fracture.cook(retargeted(apart, apart, cube.moved(unmoved)), 1, true);
        for (const char* output : {"mesh", "skin", "seams"}) {
            const MeshValue& mesh = meshOf(node, output);
            ASSERT_EQ(mesh.colours().size(), mesh.points().size()) << output;
            for (std::size_t i = 0; i < mesh.points().size(); i += 3)
                EXPECT_EQ(mesh.colours()[i], mesh.points()[i] < 0.5f ? 1.0f : 0.0f) << output;
        }
    }
}

TEST(Fracture, EightPiecesMeetInAPointAndFillTheCube)
{
    const auto node = cooked(retargeted(Cube().moved(unmoved), Cube().moved(scattered)));
    EXPECT_EQ(pieceIds(node).size(), 8u);
    EXPECT_EQ(openEdges(meshOf(node)), 0u);
    EXPECT_NEAR(meshVolume(meshOf(node)), 1, kEdgeLoss);
    const auto volumes = particlesOf(node, "pieces").get<float>("volume", 1);
    for (const float volume : volumes)
        EXPECT_NEAR(volume, 0.125, 0.02);
    // Seen from outside it is closed before it cracks: seams lie on each other.
    const MeshValue& seams = meshOf(node, "seams");
    EXPECT_GT(seams.triangleCount(), 1000u);
    EXPECT_EQ(seams.triangleCount() + meshOf(node, "skin").triangleCount(),
              meshOf(node).triangleCount());
    std::map<std::set<Vec>, int> sides;
    for (std::size_t t = 0; t < seams.triangleCount(); ++t) {
        std::set<Vec> corners;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t p = 3 * std::size_t{seams.triangles()[3 * t + k]};
            Vec corner;
            for (std::size_t axis = 0; axis < 3; ++axis) // the motion rounds
                corner[axis] = std::round(seams.points()[p + axis] * 2e4) / 2e4;
            corners.insert(corner);
        }
        ++sides[corners];
    }
    std::size_t alone = 0;
    for (const auto& [corners, count] : sides)
        alone += count % 2;
    EXPECT_LT(alone, sides.size() / 50); // of those whose corners round to two sides
}

TEST(Fracture, DoesNotDependOnTheOrderOfParticles)
{
    Cube other;
    other.order = 2;
    const auto one = cooked(retargeted(Cube().moved(unmoved), Cube().moved(scattered)));
    const auto two =
        cooked(retargeted(other.moved(unmoved), other.moved(scattered), other.moved(unmoved)));
    EXPECT_EQ(pieceIds(one), pieceIds(two));
    EXPECT_EQ(pieceOfParticle(one), pieceOfParticle(two));
    EXPECT_TRUE(std::ranges::equal(meshOf(one).triangles(), meshOf(two).triangles()));
    ASSERT_EQ(meshOf(one).points().size(), meshOf(two).points().size());
    for (std::size_t i = 0; i < meshOf(one).points().size(); ++i)
        EXPECT_NEAR(meshOf(one).points()[i], meshOf(two).points()[i], 1e-6); // order of sums
}

// A plane of damaged particles parts what has not moved; they crumble, and join what is near.
TEST(Fracture, DamageBreaksBonds)
{
    Cube cube;
    cube.damage = [](const Vec& X) {
        return std::fabs(X[1]) < 0.1 ? 0.7f : 0.1f;
    };
    const auto here = cube.moved(unmoved);
    const auto cut = [&](const char* bonds, double largest) {
        return cooked(retargeted(here, here), {{"bonds", bonds}, {"largestDamage", largest}});
    };
    EXPECT_EQ(pieceIds(cut("damage", 0.5)).size(), 2u);
    EXPECT_EQ(pieceIds(cut("either", 0.5)).size(), 2u);
    EXPECT_EQ(pieceIds(cut("damage", 0.8)).size(), 1u);
    EXPECT_EQ(pieceIds(cut("stretch", 0.5)).size(), 1u);
    const auto node = cut("damage", 0.5);
    for (const auto& [id, piece] : pieceOfParticle(node))
        EXPECT_TRUE(piece == pieceIds(node)[0] || piece == pieceIds(node)[1]);
    EXPECT_NEAR(meshVolume(meshOf(node)), 1, kEdgeLoss);
}

TEST(Fracture, SmallPiecesJoinOrAreLeftOut)
{
    // A corner of 27 particles breaks off.
    const auto corner = [](const Vec& X) {
        const bool off = X[0] < -0.2 && X[1] < -0.2 && X[2] < -0.2;
        return Vec{X[0] - (off ? 1 : 0), X[1], X[2]};
    };
    const auto broken = Cube().moved(corner);
    const auto own = cooked(retargeted(broken, broken));
    ASSERT_EQ(pieceIds(own).size(), 2u);
    EXPECT_EQ(particlesOf(own, "pieces").get<std::uint32_t>("particles", 1)[0], 27u);
    const auto joined = cooked(retargeted(broken, broken), {{"smallest", 28}});
    EXPECT_EQ(pieceIds(joined).size(), 1u);
    EXPECT_NEAR(meshVolume(meshOf(joined)), 1, 1e-5); // one piece: the mesh as it is
    const auto out = cooked(retargeted(broken, broken), {{"smallest", 28}, {"small", "leaveOut"}});
    ASSERT_EQ(pieceIds(out).size(), 1u);
    EXPECT_NEAR(meshVolume(meshOf(out)), 1 - 0.027, 0.005); // jitter of its layers
    EXPECT_EQ(openEdges(meshOf(out)), 0u);
    std::size_t none = 0;
    for (const auto& [id, piece] : pieceOfParticle(out))
        none += piece == ~std::uint64_t{0} ? 1 : 0;
    EXPECT_EQ(none, 27u);
    EXPECT_THAT(
        [&] {
            cooked(retargeted(broken, broken), {{"smallest", 2000}});
        },
        ThrowsMessage<std::exception>(HasSubstr("the largest has 973")));
}

// Without other frames linked, the mesh is one piece until the frame of pieces comes.
TEST(Fracture, FindsPiecesAtTheirFrame)
{
    RunningNode node("floe.mesh.fracture", {{"pieceFrame", 3.0}});
    const auto mesh = box();
    const auto first = node.cook(linked(mesh, Cube().moved(unmoved)), 1, true);
    EXPECT_EQ(meshOf(first).pointCount(), mesh->pointCount());
    const auto second = node.cook(linked(mesh, Cube().moved(pulledApart)), 2);
    EXPECT_EQ(pieceIds(second).size(), 1u);
    const auto third = node.cook(linked(mesh, Cube().moved(pulledApart)), 3);
    EXPECT_EQ(pieceIds(third).size(), 2u);
    const auto later = node.cook(linked(mesh, Cube().moved(scattered)), 4);
    EXPECT_EQ(pieceIds(later), pieceIds(third));
}

TEST(Fracture, PiecesTurnRigidlyWithTheirParticles)
{
    const auto turned = [](const Vec& X) { // about z by 60 degrees, and away; one half alone
        if (X[0] < 0.02)
            return X;
        const double c = 0.5, s = std::numbers::sqrt3 / 2;
        return Vec{c * X[0] - s * X[1] + 2, s * X[0] + c * X[1], X[2] - 1};
    };
    for (const char* deformation : {"rigid", "neighbours"}) {
        const auto broken = Cube().moved(turned);
        const Settings settings = {{"deformation", deformation}};
        const auto rest = cooked(retargeted(Cube().moved(unmoved), broken), settings);
        const auto now = cooked(retargeted(broken, broken), settings);
        ASSERT_EQ(meshOf(rest).pointCount(), meshOf(now).pointCount());
        const std::uint32_t second =
            particlesOf(rest, "pieces").get<std::uint32_t>("firstPoint", 1)[1];
        for (std::size_t p = 0; p < meshOf(rest).pointCount(); ++p) {
            const float* X = &meshOf(rest).points()[3 * p];
            const Vec own{X[0], X[1], X[2]};
            const double c = 0.5, s = std::numbers::sqrt3 / 2;
            const Vec expected =
                p < second ? own
                           : Vec{c * own[0] - s * own[1] + 2, s * own[0] + c * own[1], own[2] - 1};
            for (std::size_t axis = 0; axis < 3; ++axis) // floats below 4 m, as of a deformed mesh
                EXPECT_NEAR(meshOf(now).points()[3 * p + axis], expected[axis], 4e-6)
                    << deformation;
        }
    }
}

TEST(Fracture, GoesOnFromItsStateBitForBit)
{
    for (const char* deformation : {"rigid", "neighbours"}) {
        const Settings settings = {{"deformation", deformation}};
        RunningNode node("floe.mesh.fracture", settings), resumed("floe.mesh.fracture", settings);
        node.cook(retargeted(Cube().moved(unmoved), Cube().moved(scattered)), 1, true);
        const std::string state = node.save();
        resumed.load(state);
        const Links next = retargeted(Cube().moved(scattered), Cube().moved(scattered));
        const auto one = node.cook(next, 2), other = resumed.cook(next, 2);
        EXPECT_TRUE(std::ranges::equal(meshOf(one).points(), meshOf(other).points()));
        EXPECT_EQ(node.save(), resumed.save());
        for (const std::size_t length :
             {std::size_t{0}, std::size_t{1}, state.size() / 2, state.size() - 1})
            EXPECT_THROW(RunningNode("floe.mesh.fracture").load(state.substr(0, length)),
                         std::exception);
        std::mt19937 random(3); // whatever is read is refused, or moves without harm
        for (int i = 0; i < 40; ++i) {
            std::string damaged = state;
            damaged[random() % (i < 20 ? 64 : damaged.size())] ^=
                static_cast<char>(1u << random() % 8);
            RunningNode victim("floe.mesh.fracture", settings);
            try {
                victim.load(damaged);
                victim.cook(next, 2);
            } catch (const std::exception&) {
            }
        }
    }
}

TEST(Fracture, SaysWhatItLacks)
{
    const auto here = Cube().moved(unmoved);
    const auto fails = [](const Links& links, const Settings& settings, const char* part) {
        EXPECT_THAT([&] { cooked(links, settings); },
                    ThrowsMessage<std::exception>(HasSubstr(part)));
    };
    Links open = retargeted(here, here);
    open["mesh"] = {ValueRef(box(kHalf, 1))};
    fails(open, {}, "is open at 3 edges");
    const auto away = [](const Vec& X) {
        return Vec{X[0] + 5, X[1], X[2]};
    };
    fails(linked(box(), Cube().moved(away)), {},
          "none of the 1000 particles of input 'particles' is inside the mesh at rest");
    Cube nameless;
    nameless.withIds = false;
    fails(linked(box(), nameless.moved(unmoved)), {}, "input 'particles' has no 'id'");
    fails(retargeted(here, nameless.moved(unmoved)), {}, "input 'broken' has no 'id'");
    fails(retargeted(here, here), {{"bonds", "damage"}},
          "input 'broken' has no attribute 'plastic'");
    fails(retargeted(here, Cube().moved(scattered)), {{"voxelSize", 1e-5}}, "make it");
    fails(retargeted(here, here), {{"neighbourRadius", 10.0}}, "2 spacings");
}

} // namespace
