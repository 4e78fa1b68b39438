#include "cooked_node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
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

using Map = std::function<Vec(const Vec&)>;

/// A strong affine map: turned, stretched threefold, sheared and carried away.
constexpr double kA[3][3] = {{0.2, -2.4, 0.3}, {1.1, 0.4, 0.9}, {-0.3, 0.2, 1.6}};

Vec affine(const Vec& X)
{
    Vec x = {1, -2, 0.5};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            x[i] += kA[i][j] * X[j];
    return x;
}

Vec unmoved(const Vec& X)
{
    return X;
}

/// A block of particles around the origin, jittered, moved by a map; in an order of its own.
struct Block {
    int nx = 14, ny = 14, nz = 14;
    bool withIds = true, withF = false, inTwo = false; ///< materials, that is: left and right
    std::uint32_t order = 1;                           ///< seed of the order
    std::function<bool(const Vec&)> exists = [](const Vec&) {
        return true;
    };

    Ref<ParticlesValue> moved(const Map& map, const float (*F)[9] = nullptr) const
    {
        std::mt19937 random(7);
        std::vector<std::pair<std::uint64_t, Vec>> rest;
        for (int i = 0; i < nx; ++i)
            for (int j = 0; j < ny; ++j)
                for (int k = 0; k < nz; ++k) {
                    const auto at = [&](int n, int count) {
                        const double jitter = count > 1 ? random() / 4294967296.0 - 0.5 : 0;
                        return kSpacing * (n - 0.5 * (count - 1) + 0.6 * jitter);
                    };
                    const double x = at(i, nx), y = at(j, ny), z = at(k, nz);
                    rest.push_back({rest.size(), {x, y, z}});
                }
        std::erase_if(rest, [&](const auto& particle) { return !exists(particle.second); });
        if (withIds)
            std::shuffle(rest.begin(), rest.end(), std::mt19937(order));
        auto particles = make<ParticlesValue>(rest.size());
        const auto x = particles->add<float>("x", 3), v = particles->add<float>("v", 3);
        for (std::size_t p = 0; p < rest.size(); ++p) {
            const Vec position = map(rest[p].second);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                x[3 * p + axis] = static_cast<float>(position[axis]);
                v[3 * p + axis] = static_cast<float>(10 * axis);
            }
        }
        if (withIds) {
            const auto id = particles->add<std::uint64_t>("id", 1);
            for (std::size_t p = 0; p < rest.size(); ++p)
                id[p] = 1000 + rest[p].first;
        }
        if (withF) {
            const auto to = particles->add<float>("F", 9);
            constexpr float kIdentity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
            for (std::size_t p = 0; p < rest.size(); ++p)
                std::copy_n(F ? *F : kIdentity, 9, &to[9 * p]);
        }
        if (inTwo)
            giveTwoMaterials(*particles, [&](std::size_t p) { return rest[p].second[0] < 0; });
        particles->seal();
        return particles;
    }
};

Ref<MeshValue> ball(double radius = 0.5)
{
    return ballMesh(radius, 24);
}

/// Largest distance between the mesh and a map of the mesh at rest.
double farthest(const MeshValue& mesh, const MeshValue& rest, const Map& map)
{
    double largest = 0;
    for (std::size_t p = 0; p < rest.pointCount(); ++p) {
        const Vec expected =
            map({rest.points()[3 * p], rest.points()[3 * p + 1], rest.points()[3 * p + 2]});
        for (std::size_t axis = 0; axis < 3; ++axis)
            largest = std::max(largest, std::fabs(mesh.points()[3 * p + axis] - expected[axis]));
    }
    return largest;
}

Links linked(const Ref<MeshValue>& mesh, const Ref<ParticlesValue>& particles)
{
    return {{"mesh", {ValueRef(mesh)}}, {"particles", {ValueRef(particles)}}};
}

const MeshValue& meshOf(const CookedNode& node)
{
    return expect<MeshValue>(node.outputs.at("mesh"));
}

// Coordinates are below 4 m, where floats are 2.4e-7 m apart: rounding of the particles, over the
// spread of a neighbourhood, and of the result. The map itself has no part in the error.
constexpr double kFloatAccuracy = 2e-6;

TEST(MeshFollowsParticles, TakesAnAffineMotionToFloatAccuracy)
{
    const auto mesh = ball();
    for (const int bound : {8, 16, 64})
        for (const bool gradient : {false, true}) {
            Block block;
            block.withF = gradient;
            RunningNode node(
                "floe.mesh.deform",
                {{"deformation", gradient ? "gradient" : "neighbours"}, {"boundParticles", bound}});
            const auto rest = node.cook(linked(mesh, block.moved(unmoved)), 1, true);
            EXPECT_TRUE(rest.warnings.empty()) << rest.warnings.front();
            EXPECT_LT(farthest(meshOf(rest), *mesh, unmoved), kFloatAccuracy);

            block.order = 2; // a solver sorts its particles anew at any time
            float F[9];
            for (std::size_t i = 0; i < 9; ++i)
                F[i] = static_cast<float>(kA[i / 3][i % 3]);
            const auto moved = node.cook(linked(mesh, block.moved(affine, &F)), 2);
            EXPECT_LT(farthest(meshOf(moved), *mesh, affine), kFloatAccuracy)
                << bound << " bound, gradient: " << gradient;
            for (std::size_t p = 0; p < mesh->pointCount(); ++p) {
                EXPECT_NEAR(meshOf(moved).velocities()[3 * p + 1], 10, 1e-5);
                EXPECT_NEAR(meshOf(moved).velocities()[3 * p + 2], 20, 1e-5);
            }
            EXPECT_TRUE(std::ranges::equal(meshOf(moved).triangles(), mesh->triangles()));
        }
}

// A mesh without colours of its own has those of the matter it is bound to.
TEST(MeshFollowsParticles, HasTheColoursOfTheMatter)
{
    const auto mesh = ball();
    Block block;
    block.inTwo = true;
    const Map carried = [](const Vec& X) {
        return Vec{X[0] + 3, X[1], X[2]};
    };
    RunningNode node("floe.mesh.deform");
    node.cook(linked(mesh, block.moved(unmoved)), 1, true);
    const auto moved = node.cook(linked(mesh, block.moved(carried)), 2);
    const auto colours = meshOf(moved).colours();
    ASSERT_EQ(colours.size(), mesh->points().size());
    for (std::size_t p = 0; p < mesh->pointCount(); ++p) {
        const float x = mesh->points()[3 * p];
        if (std::abs(x) > kSpacing) {
            EXPECT_EQ(colours[3 * p], x < 0 ? 1.0f : 0.0f) << x;
            EXPECT_EQ(colours[3 * p + 2], x < 0 ? 0.0f : 0.5f) << x;
        }
    }

    const std::vector<float> painted(mesh->points().size(), 0.25f);
    const auto own =
        make<MeshValue>(mesh->points(), mesh->triangles(), std::span<const float>(), painted);
    RunningNode other("floe.mesh.deform");
    other.cook(linked(own, block.moved(unmoved)), 1, true);
    const auto kept = other.cook(linked(own, block.moved(carried)), 2);
    EXPECT_TRUE(std::ranges::equal(meshOf(kept).colours(), painted));
}

// Where the rest frame's particles are already strained, only what comes after counts.
TEST(MeshFollowsParticles, GradientCountsFromTheRestFrame)
{
    const auto mesh = ball();
    Block block;
    block.withF = true;
    RunningNode node("floe.mesh.deform", {{"deformation", "gradient"}});
    const float before[9] = {0.5f, 0, 0, 0, 2, 0, 0.25f, 0, 1};
    float after[9] = {};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 3; ++k)
                after[3 * i + j] += static_cast<float>(kA[i][k]) * before[3 * k + j];
    node.cook(linked(mesh, block.moved(unmoved, &before)), 1, true);
    const auto moved = node.cook(linked(mesh, block.moved(affine, &after)), 2);
    EXPECT_LT(farthest(meshOf(moved), *mesh, affine), kFloatAccuracy);
}

// A bend of radius 2 m curves by h^2 / 2R over a neighbourhood of h = 0.12 m: 4 mm.
TEST(MeshFollowsParticles, FollowsABendToTheSquareOfTheSpacing)
{
    const auto bend = [](const Vec& X) {
        const double angle = X[0] / 2;
        return Vec{(2 + X[1]) * std::sin(angle), (2 + X[1]) * std::cos(angle) - 2, X[2]};
    };
    const auto mesh = ball();
    RunningNode node("floe.mesh.deform");
    node.cook(linked(mesh, Block().moved(unmoved)), 1, true);
    const auto moved = node.cook(linked(mesh, Block().moved(bend)), 2);
    EXPECT_LT(farthest(meshOf(moved), *mesh, bend), 0.004);
    EXPECT_GT(farthest(meshOf(moved), *mesh, unmoved), 0.05); // it did move
}

// A sheet of one layer says nothing about its thickness: it turns with the sheet.
TEST(MeshFollowsParticles, TurnsWithASheetOfOneLayer)
{
    const auto turn = [](const Vec& X) {
        return Vec{X[0], -X[2], X[1]};
    };
    Block sheet;
    sheet.ny = 1;
    const auto mesh = ballMesh(0.04, 8);
    RunningNode node("floe.mesh.deform");
    node.cook(linked(mesh, sheet.moved(unmoved)), 1, true);
    EXPECT_LT(farthest(meshOf(node.cook(linked(mesh, sheet.moved(turn)), 2)), *mesh, turn), 1e-5);
}

TEST(MeshFollowsParticles, ASingleParticleCarriesItAlong)
{
    const auto carried = [](const Vec& X) {
        return Vec{X[0] + 3, X[1], X[2] - 1};
    };
    Block one;
    one.nx = one.ny = one.nz = 1;
    const auto mesh = ball();
    RunningNode node("floe.mesh.deform");
    node.cook(linked(mesh, one.moved(unmoved)), 1, true);
    EXPECT_LT(farthest(meshOf(node.cook(linked(mesh, one.moved(carried)), 2)), *mesh, carried),
              1e-6);
}

TEST(MeshFollowsParticles, LeavesOutParticlesThatAreGone)
{
    const auto mesh = ball();
    RunningNode node("floe.mesh.deform");
    node.cook(linked(mesh, Block().moved(unmoved)), 1, true);
    Block thinned; // a third of them is deleted
    thinned.exists = [](const Vec& X) {
        return std::fmod(std::fabs(X[0]) * 1e4, 3) >= 1;
    };
    const auto some = node.cook(linked(mesh, thinned.moved(affine)), 2);
    EXPECT_LT(farthest(meshOf(some), *mesh, affine), 4 * kFloatAccuracy); // fewer to lean on
    Block half;
    half.exists = [](const Vec& X) {
        return X[0] > 0;
    };
    const auto left = node.cook(linked(mesh, half.moved(unmoved)), 3);
    for (std::size_t p = 0; p < mesh->pointCount(); ++p) {
        const float X = mesh->points()[3 * p];
        if (X > 0.3f) {
            EXPECT_NEAR(meshOf(left).points()[3 * p], X, kFloatAccuracy);
        }
        if (X < -0.3f) { // stayed where it was
            EXPECT_EQ(meshOf(left).points()[3 * p], meshOf(some).points()[3 * p]);
        }
    }
}

TEST(MeshFollowsParticles, WaitsForTheRestFrame)
{
    const auto mesh = ball();
    RunningNode node("floe.mesh.deform", {{"restFrame", 3.0}});
    for (int frame = 1; frame <= 2; ++frame)
        EXPECT_EQ(
            farthest(meshOf(node.cook(linked(mesh, Block().moved(affine)), frame, frame == 1)),
                     *mesh, unmoved),
            0);
    EXPECT_LT(farthest(meshOf(node.cook(linked(mesh, Block().moved(unmoved)), 3)), *mesh, unmoved),
              kFloatAccuracy);
    EXPECT_LT(farthest(meshOf(node.cook(linked(mesh, Block().moved(affine)), 4)), *mesh, affine),
              kFloatAccuracy);
}

TEST(MeshFollowsParticles, ContinuesFromItsStateBitForBit)
{
    const auto mesh = ball();
    RunningNode node("floe.mesh.deform"), resumed("floe.mesh.deform");
    node.cook(linked(mesh, Block().moved(unmoved)), 1, true);
    const std::string state = node.save();
    resumed.load(state);
    const Links next = linked(mesh, Block().moved(affine));
    const auto one = node.cook(next, 2), other = resumed.cook(next, 2);
    EXPECT_TRUE(std::ranges::equal(meshOf(one).points(), meshOf(other).points()));
    EXPECT_EQ(node.save(), resumed.save());

    for (const std::size_t length :
         {std::size_t{0}, std::size_t{1}, std::size_t{20}, state.size() / 2, state.size() - 1})
        EXPECT_THROW(RunningNode("floe.mesh.deform").load(state.substr(0, length)), std::exception);
    std::mt19937 random(3); // whatever is read is refused, or deforms without harm
    for (int i = 0; i < 200; ++i) {
        std::string damaged = state;
        damaged[i < 100 ? random() % 64 : random() % damaged.size()] ^=
            static_cast<char>(1u << random() % 8);
        RunningNode victim("floe.mesh.deform");
        try {
            victim.load(damaged);
            victim.cook(next, 2);
        } catch (const std::exception&) {
        }
    }
}

TEST(MeshFollowsParticles, KnowsParticlesWithoutIdsByTheirIndex)
{
    const auto mesh = ball();
    Block block;
    block.withIds = false;
    RunningNode node("floe.mesh.deform");
    node.cook(linked(mesh, block.moved(unmoved)), 1, true);
    EXPECT_LT(farthest(meshOf(node.cook(linked(mesh, block.moved(affine)), 2)), *mesh, affine),
              kFloatAccuracy);
    block.nz = 13;
    EXPECT_THAT([&] { node.cook(linked(mesh, block.moved(affine)), 3); },
                ThrowsMessage<std::exception>(HasSubstr("write them with their ids")));
}

TEST(MeshFollowsParticles, SaysWhatItLacks)
{
    const auto mesh = ball();
    RunningNode gradient("floe.mesh.deform", {{"deformation", "gradient"}});
    EXPECT_THAT([&] { gradient.cook(linked(mesh, Block().moved(unmoved)), 1, true); },
                ThrowsMessage<std::exception>(HasSubstr("'Output deformation'")));
    RunningNode far("floe.mesh.deform");
    const auto warned = far.cook(linked(ball(3), Block().moved(unmoved)), 1, true);
    ASSERT_EQ(warned.warnings.size(), 1u);
    EXPECT_THAT(warned.warnings[0], HasSubstr("far from all particles"));
    const auto nan = [](const Vec&) {
        return Vec{std::numeric_limits<double>::quiet_NaN(), 0, 0};
    };
    EXPECT_THROW(RunningNode("floe.mesh.deform").cook(linked(mesh, Block().moved(nan)), 1, true),
                 std::exception);
    auto nowhere = make<ParticlesValue>(5);
    for (std::uint64_t& id : nowhere->add<std::uint64_t>("id", 1))
        id = 1000;
    nowhere->seal();
    EXPECT_THAT([&] { far.cook(linked(mesh, nowhere), 2); },
                ThrowsMessage<std::exception>(HasSubstr("has no positions any more")));
    // Later, they only leave the mesh where it was.
    RunningNode node("floe.mesh.deform");
    node.cook(linked(mesh, Block().moved(unmoved)), 1, true);
    EXPECT_LT(farthest(meshOf(node.cook(linked(mesh, Block().moved(nan)), 2)), *mesh, unmoved),
              kFloatAccuracy);
}

} // namespace
