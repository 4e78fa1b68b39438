#include "cooked_node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <vector>

namespace {

using namespace floe::test;
using floe::expect;
using floe::make;
using floe::ParticlesValue;
using floe::Ref;
using floe::ValueRef;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double kCell = 0.2, kSpacing = kCell / 2;

using Map = std::function<Vec(const Vec&)>;

Vec unmoved(const Vec& X)
{
    return X;
}

/// Turned by 40 degrees about an axis beside the block, and carried away: rigid.
Vec rigid(const Vec& X)
{
    const double c = std::cos(0.7), s = std::sin(0.7);
    return {c * (X[0] - 2) - s * X[1] + 9, s * (X[0] - 2) + c * X[1] - 3, X[2] + 4};
}

/// Drawn out threefold along x, and sheared.
Vec stretched(const Vec& X)
{
    return {3 * X[0] + 0.4 * X[1] - 1, 0.7 * X[1], 0.6 * X[2] + 0.2 * X[0]};
}

/// A cube of particles as a solver gives them, moved by a map.
struct Cube {
    int edge = 8;
    std::uint64_t firstId = 0;
    Vec corner{};
    std::function<bool(int)> exists = [](int) {
        return true;
    };
    bool reversed = false; ///< in another order

    Ref<ParticlesValue> moved(const Map& map) const
    {
        std::vector<int> numbers;
        for (int n = 0; n < edge * edge * edge; ++n)
            if (exists(n))
                numbers.push_back(n);
        if (reversed)
            std::reverse(numbers.begin(), numbers.end());
        auto particles = make<ParticlesValue>(numbers.size());
        const auto x = particles->add<float>("x", 3), v = particles->add<float>("v", 3);
        const auto volume = particles->add<float>("volume", 1);
        const auto damage = particles->add<float>("damage", 1);
        const auto id = particles->add<std::uint64_t>("id", 1);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const int n = numbers[i];
            std::mt19937 random(static_cast<unsigned>(n));
            Vec at;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const int place[3] = {n / edge / edge, n / edge % edge, n % edge};
                at[axis] =
                    corner[axis] + kSpacing * (place[axis] + 0.2 + 0.6 * (random() / 4294967296.0));
            }
            const Vec to = map(at);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                x[3 * i + axis] = static_cast<float>(to[axis]);
                v[3 * i + axis] = 7;
            }
            volume[i] = static_cast<float>(kSpacing * kSpacing * kSpacing);
            damage[i] = static_cast<float>(n);
            id[i] = firstId + static_cast<std::uint64_t>(n);
        }
        particles->setField("cellSize", make<floe::NumberValue>(kCell));
        particles->seal();
        return particles;
    }
};

Links linked(const Ref<ParticlesValue>& particles)
{
    return {{"particles", {ValueRef(particles)}}};
}

const ParticlesValue& particlesOf(const CookedNode& node)
{
    return expect<ParticlesValue>(node.output("particles"));
}

Vec positionOf(const ParticlesValue& particles, std::size_t i)
{
    const auto x = particles.get<float>("x", 3);
    return {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
}

double distance(const Vec& a, const Vec& b)
{
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

} // namespace

TEST(PassiveParticles, LieInTheVolumeOfTheirParticle)
{
    const Cube cube;
    RunningNode node("floe.passive", {{"count", 5}});
    const CookedNode cooked = node.cook(linked(cube.moved(unmoved)), 1, true);
    const ParticlesValue& all = particlesOf(cooked);
    ASSERT_EQ(all.count(), 512u * 6);
    const auto id = all.get<std::uint64_t>("id", 1);
    const auto damage = all.get<float>("damage", 1), volume = all.get<float>("volume", 1),
               v = all.get<float>("v", 3);
    EXPECT_EQ(std::set<std::uint64_t>(id.begin(), id.end()).size(), all.count());
    double whole = 0;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const auto parent = static_cast<std::size_t>(id[i] / 6);
        EXPECT_EQ(damage[i], static_cast<float>(parent));
        EXPECT_EQ(v[3 * i], 7) << "of the particle, before anything has moved";
        const Vec here = positionOf(all, i), there = positionOf(all, parent);
        for (std::size_t axis = 0; axis < 3; ++axis)
            EXPECT_LE(std::fabs(here[axis] - there[axis]), 0.5001 * kSpacing);
        if (i < 512) {
            EXPECT_EQ(id[i], 6 * i) << "simulated ones come first";
        }
        whole += volume[i];
    }
    EXPECT_NEAR(whole, 512 * std::pow(kSpacing, 3), 1e-6);

    RunningNode alone("floe.passive", {{"count", 5}, {"simulated", false}});
    const CookedNode without = alone.cook(linked(cube.moved(unmoved)), 1, true);
    ASSERT_EQ(particlesOf(without).count(), 512u * 5);
    EXPECT_EQ(particlesOf(without).get<std::uint64_t>("id", 1)[0], 1u);
    whole = 0;
    for (const float part : particlesOf(without).get<float>("volume", 1))
        whole += part;
    EXPECT_NEAR(whole, 512 * std::pow(kSpacing, 3), 1e-6);
}

// Where displacements are affine there is nothing to approximate, also at edges and over many cells
// in a frame. Simulated particles may come in another order.
TEST(PassiveParticles, GoWithAffineMotionHoweverFarItGoes)
{
    for (const Map& map : {Map(rigid), Map(stretched)}) {
        Cube cube;
        RunningNode node("floe.passive", {{"simulated", false}});
        const CookedNode before = node.cook(linked(cube.moved(unmoved)), 1, true);
        cube.reversed = true;
        const CookedNode after = node.cook(linked(cube.moved(map)), 2);
        const ParticlesValue &from = particlesOf(before), &to = particlesOf(after);
        ASSERT_EQ(to.count(), from.count());
        const auto v = to.get<float>("v", 3);
        for (std::size_t i = 0; i < to.count(); ++i) {
            ASSERT_EQ(to.get<std::uint64_t>("id", 1)[i], from.get<std::uint64_t>("id", 1)[i]);
            const Vec start = positionOf(from, i), expected = map(start);
            ASSERT_LT(distance(positionOf(to, i), expected), 2e-3 * kCell) << i;
            for (std::size_t axis = 0; axis < 3; ++axis)
                ASSERT_NEAR(v[3 * i + axis], 24 * (expected[axis] - start[axis]), 0.02);
        }
    }
}

// A simulated particle may stand a little way in a collider or behind a wall, which looks like
// nothing beside its neighbours; passive ones would show it.
TEST(PassiveParticles, StayOutOfCollidersAndInTheDomain)
{
    const ValueRef ball =
        cook("floe.shape.sphere",
             {{"radius", 0.3}, {"center", Vec{0.4, 0.4, 0.4}}, {"voxelSize", 0.02}})
            .output("shape");
    // One that comes there from elsewhere, and one without an inside.
    RunningNode moving("floe.collider", {{"position", animated([](double frame) {
                                              return Vec{0, 0, 0.1 * (frame - 2)};
                                          })}});
    const ValueRef sheet =
        cook("floe.collider.mesh", {}, {{"mesh", {cook("floe.shape.box", {}).output("mesh")}}})
            .output("collider");
    const ValueRef domain =
        cook("floe.domain",
             {{"size", Vec{0.6, 0.6, 0.6}}, {"center", Vec{0.4, 0.4, 0.4}}, {"yMax", "slip"}})
            .output("domain");
    const Cube cube;
    RunningNode node("floe.passive", {{"simulated", false}});
    Links links = linked(cube.moved(unmoved));
    links["domain"] = {domain};
    for (const int frame : {1, 2}) {
        links["colliders"] = {
            moving.cook({{"shape", {ball}}}, frame, frame == 1).output("collider"), sheet};
        links["particles"] = {ValueRef(cube.moved(unmoved))};
        const CookedNode cooked = node.cook(links, frame, frame == 1);
        const ParticlesValue& all = particlesOf(cooked);
        const Vec center = {0.4, 0.4, 0.4 + 0.1 * (frame - 2)};
        int atTheBall = 0, atTheWalls = 0;
        for (std::size_t i = 0; i < all.count(); ++i) {
            const Vec p = positionOf(all, i);
            const double away = distance(p, center) - 0.3;
            if (away < -0.1) // so deep inside that no distance is known
                continue;
            const bool behind = center[2] - 0.3 < 0.1; // it reaches into a wall, which counts more
            EXPECT_GT(away, behind && p[2] < 0.1 + 1e-6 ? -0.1 : -2e-3);
            atTheBall += away < 2e-3;
            for (const double coordinate : p) {
                EXPECT_GT(coordinate, 0.1 - 1e-6);
                EXPECT_LT(coordinate, 0.7 + 1e-6);
                atTheWalls += coordinate < 0.1 + 1e-6 || coordinate > 0.7 - 1e-6;
            }
        }
        EXPECT_GT(atTheBall, 100);
        EXPECT_GT(atTheWalls, 100);
    }
}

// A lattice that is turned a little in each of many frames stays that lattice.
TEST(PassiveParticles, DoNotDriftOutOfATurningBody)
{
    const Cube cube;
    const auto turned = [](double angle) {
        return [angle](const Vec& X) {
            const double c = std::cos(angle), s = std::sin(angle);
            return Vec{c * (X[0] - 0.4) - s * (X[1] - 0.4), s * (X[0] - 0.4) + c * (X[1] - 0.4),
                       X[2]};
        };
    };
    RunningNode node("floe.passive", {{"simulated", false}});
    const CookedNode first = node.cook(linked(cube.moved(turned(0))), 1, true);
    constexpr int kFrames = 100;
    CookedNode last = first;
    for (int frame = 1; frame <= kFrames; ++frame)
        last = node.cook(linked(cube.moved(turned(0.1 * frame))), 1 + frame);
    const ParticlesValue &from = particlesOf(first), &to = particlesOf(last);
    ASSERT_EQ(to.count(), from.count());
    for (std::size_t i = 0; i < to.count(); ++i) {
        const Vec X = positionOf(from, i),
                  expected = turned(0.1 * kFrames)({X[0] + 0.4, X[1] + 0.4, X[2]});
        ASSERT_LT(distance(positionOf(to, i), expected), 0.05 * kCell) << i;
    }
}

// Two bodies that share no cell part without taking each other's particles along.
TEST(PassiveParticles, GoWithTheirOwnBody)
{
    Cube cube;
    cube.exists = [](int n) {
        return n / 64 < 2 || n / 64 >= 6; // two plates, four spacings apart
    };
    const auto parted = [](const Vec& X) {
        return Vec{X[0] + (X[0] < 0.4 ? -5.0 : 5.0), X[1], X[2]};
    };
    RunningNode node("floe.passive", {{"simulated", false}});
    const CookedNode before = node.cook(linked(cube.moved(unmoved)), 1, true);
    const CookedNode after = node.cook(linked(cube.moved(parted)), 2);
    for (std::size_t i = 0; i < particlesOf(after).count(); ++i)
        ASSERT_LT(
            distance(positionOf(particlesOf(after), i), parted(positionOf(particlesOf(before), i))),
            1e-4);
}

TEST(PassiveParticles, EndWithTheirParticleAndBeginWithANewOne)
{
    Cube cube;
    cube.exists = [](int n) {
        return n < 300;
    };
    RunningNode node("floe.passive", {{"simulated", false}});
    node.cook(linked(cube.moved(unmoved)), 1, true);
    cube.exists = [](int n) {
        return n >= 100 && n < 400;
    };
    const CookedNode next = node.cook(linked(cube.moved(unmoved)), 2);
    const auto id = particlesOf(next).get<std::uint64_t>("id", 1);
    std::set<std::uint64_t> parents;
    for (const std::uint64_t one : id)
        parents.insert(one / 9);
    EXPECT_EQ(id.size(), 8u * 300);
    EXPECT_EQ(parents.size(), 300u);
    EXPECT_EQ(*parents.begin(), 100u);
    EXPECT_EQ(*parents.rbegin(), 399u);
    cube.exists = [](int) {
        return false;
    };
    EXPECT_EQ(particlesOf(node.cook(linked(cube.moved(unmoved)), 3)).count(), 0u);
}

TEST(PassiveParticles, GoOnFromASavedState)
{
    const Cube cube;
    RunningNode node("floe.passive"), other("floe.passive");
    node.cook(linked(cube.moved(unmoved)), 1, true);
    node.cook(linked(cube.moved(stretched)), 2);
    const std::string state = node.save();
    other.load(state);
    const CookedNode a = node.cook(linked(cube.moved(rigid)), 3);
    const CookedNode b = other.cook(linked(cube.moved(rigid)), 3);
    for (const char* name : {"x", "v"})
        EXPECT_TRUE(std::ranges::equal(particlesOf(a).get<float>(name, 3),
                                       particlesOf(b).get<float>(name, 3)));
    EXPECT_THROW(other.load(state.substr(0, state.size() / 2)), std::exception);
}

TEST(PassiveParticles, ParticlesThatCannotBeToldApartAreRefused)
{
    auto twins = make<ParticlesValue>(2);
    twins->add<float>("x", 3);
    const auto id = twins->add<std::uint64_t>("id", 1);
    id[0] = id[1] = 5;
    twins->setField("cellSize", make<floe::NumberValue>(kCell));
    twins->seal();
    RunningNode node("floe.passive");
    EXPECT_THAT([&] { node.cook(linked(twins), 1, true); },
                ThrowsMessage<std::exception>(HasSubstr("two particles have the id 5")));
    auto nameless = make<ParticlesValue>(2);
    nameless->add<float>("x", 3);
    nameless->seal();
    EXPECT_THAT([&] { node.cook(linked(nameless), 1, true); },
                ThrowsMessage<std::exception>(HasSubstr("has no x or id")));
}
