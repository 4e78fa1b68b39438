#include "spray.hpp"

#include "floe/sdk/sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <thread>

namespace floe::secondary {
namespace {

constexpr double kCell = 0.1;
constexpr double kFrame = 1.0 / 24;

const ForRange kOneThread = [](uint64_t count, uint64_t, const auto& body) {
    body(0, count);
};
const ForRange kThreeThreads = [](uint64_t count, uint64_t, const auto& body) {
    std::vector<std::thread> threads;
    for (uint64_t n = 0; n < 3; ++n)
        threads.emplace_back([&, n] { body(count * n / 3, count * (n + 1) / 3); });
    for (std::thread& thread : threads)
        thread.join();
};
bool nowhere(const Point&)
{
    return false;
}

/// A cube of 1 m with eight particles a cell and a velocity by place.
struct Cube {
    std::vector<float> x, v;
    std::vector<uint64_t> id;

    template <class Velocity>
    explicit Cube(Velocity&& velocity)
    {
        for (int n = 0; n < 20 * 20 * 20; ++n) {
            const Point at = {(n / 400 + 0.5) / 20, (n / 20 % 20 + 0.5) / 20, (n % 20 + 0.5) / 20};
            const Point moved = velocity(at);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                x.push_back(static_cast<float>(at[axis]));
                v.push_back(static_cast<float>(moved[axis]));
            }
            id.push_back(static_cast<uint64_t>(n));
        }
    }
    Body body() const { return {x, v, id, kCell}; }
};

/// Grows by 20 a second in each direction, and flies up at 10 m/s.
Cube burstingCube()
{
    return Cube([](const Point& p) {
        return Point{20 * (p[0] - 0.5), 20 * (p[1] - 0.5) + 10, 20 * (p[2] - 0.5)};
    });
}

// dv/dt = g - k v has the solution v = g/k + (v0 - g/k) e^(-kt); without drag, a parabola.
TEST(Flight, IsTheBallisticOne)
{
    for (const double drag : {0.0, 1e-7, 1e-3, 0.5, 30.0}) {
        Droplet droplet{{1, 2, 3}, {4, 5, -6}, 0, 0, 1};
        constexpr double t = 0.7;
        for (int n = 0; n < 7; ++n)
            fly(droplet, {0, -9.81, 0}, drag, t / 7);
        const double k = std::max(drag, 1e-9); // the limit is reached to 1e-8 relative
        const double e = -std::expm1(-k * t) / k;
        EXPECT_NEAR(droplet.x[0], 1 + 4 * e, 1e-6) << drag;
        EXPECT_NEAR(droplet.x[1], 2 + 5 * e - 9.81 * (drag > 1e-5 ? (t - e) / k : t * t / 2), 1e-6)
            << drag;
        EXPECT_NEAR(droplet.v[1], 5 * std::exp(-k * t) - 9.81 * e, 1e-6) << drag;
        EXPECT_NEAR(droplet.v[2], -6 * std::exp(-k * t), 1e-6) << drag;
    }
}

TEST(CellField, KnowsHowFastVolumeGrowsAndWhatLiesOpen)
{
    const Cube cube([](const Point& p) { return Point{3 * p[0], -2 * p[1], 0.5 * p[2]}; });
    CellField cells(cube.x, cube.v, kCell);
    cells.measure(kOneThread);
    // div v = 3 - 2 + 0.5, also at faces and corners since the field is linear.
    for (const double at : {0.05, 0.45, 0.95})
        EXPECT_NEAR(cells.stretchRate({at, at, at}), 1.5, 1e-4);
    EXPECT_EQ(cells.openness({0.45, 0.45, 0.45}), 0);
    EXPECT_NEAR(cells.openness({0.05, 0.45, 0.45}), 18.0 / 26, 1e-6); // 9 of 26, doubled
    EXPECT_EQ(cells.openness({0.05, 0.05, 0.05}), 1);                 // 19 of 26
    EXPECT_EQ(cells.count({0.45, 0.45, 0.45}), 8u);
    EXPECT_EQ(cells.count({2, 0, 0}), 0u);
}

TEST(CellField, LeavesOutWhatHasNoPlace)
{
    const std::vector<float> x = {NAN, 0, 0, INFINITY, 1, 1, 1e30f, 0, 0, 0.05f, 0.05f, 0.05f};
    const std::vector<float> v(12, 1.0f);
    CellField cells(x, v, kCell);
    cells.measure(kOneThread);
    EXPECT_EQ(cells.count({0.05, 0.05, 0.05}), 1u);
    EXPECT_EQ(cells.openness({0.05, 0.05, 0.05}), 1);
    EXPECT_EQ(cells.stretchRate({0.05, 0.05, 0.05}), 0);
}

TEST(Spray, ComesOnlyFromWhatIsPulledApartFastAndOpen)
{
    SpraySettings settings;
    settings.rate = 1000;
    const auto bornOf = [&](const Cube& cube) {
        Spray spray;
        return spray.step(cube.body(), settings, 1, kFrame, nowhere, kOneThread).born;
    };
    EXPECT_GT(bornOf(burstingCube()), 10000u);
    // Fast, but as a whole.
    EXPECT_EQ(bornOf(Cube([](const Point&) { return Point{30, 0, 0}; })), 0u);
    // Pulled apart, but slowly.
    EXPECT_EQ(bornOf(Cube([](const Point& p) { return Point{1.2 * (p[0] - 0.5), 0, 0}; })), 0u);
    // Fast, and squeezed.
    EXPECT_EQ(bornOf(Cube([](const Point& p) { return Point{-20 * p[0], 30, 0}; })), 0u);

    // Nothing from inside: a droplet lies within a cell and its first flight of the surface cells.
    settings.spread = 0;
    settings.gravity = {};
    settings.drag = 0;
    Spray spray;
    const Cube still([](const Point& p) { return Point{20 * p[0], 20 * p[1], 20 * p[2]}; });
    spray.step(still.body(), settings, 1, 1e-6, nowhere, kOneThread);
    settings.rate = 1e9;
    spray.step(still.body(), settings, 2, 1e-6, nowhere, kOneThread);
    ASSERT_GT(spray.droplets().size(), 1000u);
    for (const Droplet& droplet : spray.droplets()) {
        double depth = 1;
        for (const double part : droplet.x)
            depth = std::min(depth, std::min(part, 1 - part));
        EXPECT_LT(depth, 1.3 * kCell);
    }
}

// The mean number is rate * time * sum of openness where both ramps are 1: 6 faces of 64 cells at
// 18/26, edges (12 of 8 cells: 15 of 26 are empty) and corners at 1, eight particles each.
TEST(Spray, GivesTheExpectedNumber)
{
    SpraySettings settings;
    settings.fullSpeed = 1.1;
    settings.minimumSpeed = 1;
    settings.rate = 5;
    const Cube cube([](const Point& p) {
        return Point{20 * (p[0] - 0.5), 20 * (p[1] - 0.5) + 40, 20 * (p[2] - 0.5)};
    });
    const double expected = settings.rate * kFrame * 8 * (6 * 64 * 18.0 / 26 + 12 * 8 + 8);
    double sum = 0;
    constexpr int kFrames = 50;
    for (int frame = 1; frame <= kFrames; ++frame) {
        Spray spray;
        sum += static_cast<double>(
            spray.step(cube.body(), settings, frame, kFrame, nowhere, kOneThread).born);
    }
    // Independent trials: the variance is below the mean; five standard errors.
    EXPECT_NEAR(sum / kFrames, expected, 5 * std::sqrt(expected / kFrames));
}

TEST(Spray, DependsOnNeitherThreadsNorOrderNorInterruption)
{
    const Cube cube = burstingCube();
    SpraySettings settings;
    settings.rate = 40;
    Spray reference;
    for (int frame = 1; frame <= 4; ++frame)
        reference.step(cube.body(), settings, frame, kFrame, nowhere, kOneThread);
    ASSERT_GT(reference.droplets().size(), 1000u);

    // The same particles in another order, in three threads, saved and restored in the middle.
    std::vector<std::size_t> order(cube.id.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [](std::size_t a, std::size_t b) { return sdk::mixBits(a) < sdk::mixBits(b); });
    Cube shuffled = cube;
    for (std::size_t i = 0; i < order.size(); ++i) {
        shuffled.id[i] = cube.id[order[i]];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            shuffled.x[3 * i + axis] = cube.x[3 * order[i] + axis];
            shuffled.v[3 * i + axis] = cube.v[3 * order[i] + axis];
        }
    }
    Spray other;
    for (int frame = 1; frame <= 4; ++frame) {
        Spray resumed;
        resumed.restore(other.droplets(), other.bornSoFar());
        resumed.step(shuffled.body(), settings, frame, kFrame, nowhere, kThreeThreads);
        other = resumed;
    }
    ASSERT_EQ(other.droplets().size(), reference.droplets().size());
    EXPECT_EQ(std::memcmp(other.droplets().data(), reference.droplets().data(),
                          other.droplets().size() * sizeof(Droplet)),
              0);
    for (std::size_t i = 1; i < other.droplets().size(); ++i)
        ASSERT_LT(other.droplets()[i - 1].id, other.droplets()[i].id);
}

TEST(Spray, StaysWithinItsBound)
{
    SpraySettings settings;
    settings.rate = 1e12;
    settings.maximumCount = 500;
    Spray spray;
    const Cube cube = burstingCube();
    const auto tally = spray.step(cube.body(), settings, 1, kFrame, nowhere, kOneThread);
    EXPECT_EQ(spray.droplets().size(), 500u);
    EXPECT_GT(tally.leftOut, 10000u);
}

TEST(Spray, EndsWithItsLifetimeInObstaclesAndInTheBody)
{
    SpraySettings settings;
    settings.drag = 0;
    settings.gravity = {};
    const auto left = [&](Droplet droplet, const Body& body, int frames,
                          const std::function<bool(const Point&)>& isBlocked) {
        Spray spray;
        spray.restore({droplet}, 1);
        for (int frame = 1; frame <= frames; ++frame)
            spray.step(body, settings, frame, kFrame, isBlocked, kOneThread);
        return spray.droplets().size();
    };
    const Cube rest([](const Point&) { return Point{}; });
    const Droplet still{{5, 5, 5}, {0, 0, 0}, 0, 0, 0.5};
    EXPECT_EQ(left(still, rest.body(), 11, nowhere), 1u);
    EXPECT_EQ(left(still, rest.body(), 13, nowhere), 0u); // 13 / 24 s
    const auto wall = [](const Point& p) {
        return p[0] > 6;
    };
    const Droplet thrown{{5, 5, 5}, {12, 0, 0}, 0, 0, 5};
    EXPECT_EQ(left(thrown, rest.body(), 2, wall), 1u);
    EXPECT_EQ(left(thrown, rest.body(), 3, wall), 0u);
    const Droplet falling{{0.5, 1.3, 0.5}, {0, -1.2, 0}, 0, 0, 5};
    EXPECT_EQ(left(falling, rest.body(), 5, nowhere), 1u);
    EXPECT_EQ(left(falling, rest.body(), 8, nowhere), 0u);
}

} // namespace
} // namespace floe::secondary
