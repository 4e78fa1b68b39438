#include "debris.hpp"
#include "shards.hpp"

#include "floe/sdk/sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
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
const Obstruct kNothing = [](Point&, double, const auto&) {
    return true;
};
/// The half space under a plane through the origin.
Obstruct under(Point normal)
{
    return [normal](Point& at, double radius, const auto& struck) {
        const double height = at[0] * normal[0] + at[1] * normal[1] + at[2] * normal[2] - radius;
        if (height < 0) {
            for (std::size_t axis = 0; axis < 3; ++axis)
                at[axis] -= height * normal[axis];
            struck(normal, {});
        }
        return true;
    };
}

/// A plate of 1 m x 0.1 m x 1 m, one cell thick, so that all of it lies open.
struct Plate {
    std::vector<float> x, v, damage, volume;
    std::vector<uint64_t> id;

    explicit Plate(const Point& velocity = {})
    {
        for (int n = 0; n < 20 * 2 * 20; ++n) {
            for (const int place : {n / 40, n / 20 % 2, n % 20})
                x.push_back((static_cast<float>(place) + 0.5f) / 20);
            for (const double part : velocity)
                v.push_back(static_cast<float>(part));
            id.push_back(static_cast<uint64_t>(n));
            damage.push_back(1);
            volume.push_back(0.05f * 0.05f * 0.05f);
        }
    }
    Debris::Solid body() const { return {{x, v, id, kCell}, damage, volume}; }
    /// Tears the part with x < `until`.
    void tear(float until, float damage1)
    {
        for (std::size_t i = 0; i < id.size(); ++i)
            if (x[3 * i] < until)
                damage[i] = damage1;
    }
    /// How much of the volume that is torn lies open, which a field of cells says [m^3].
    double openVolume(float until) const
    {
        CellField cells(x, v, kCell);
        cells.measure(kOneThread);
        double sum = 0;
        for (std::size_t i = 0; i < id.size(); ++i)
            if (x[3 * i] < until)
                sum += double{volume[i]} * cells.openness({x[3 * i], x[3 * i + 1], x[3 * i + 2]});
        return sum;
    }
};

DebrisSettings settingsOf(double share)
{
    DebrisSettings settings;
    settings.share = share;
    settings.start = 0;
    settings.full = 1;
    return settings;
}

double volumeOf(const std::vector<Chip>& chips)
{
    double sum = 0;
    for (const Chip& chip : chips)
        sum += std::numbers::pi / 6 * std::pow(chip.size, 3);
    return sum;
}

// Of a power law between two sizes the mean volume is an integral; draws have it, and the median
// where half of the law lies.
TEST(ChipSizes, FollowThePowerLaw)
{
    for (const double exponent : {-1.0, 0.0, 1.5, 2.5, 3.0, 4.0}) {
        const ChipSizes sizes{0.004, 0.02, exponent};
        constexpr int kDraws = 200'000;
        double sum = 0;
        int below = 0;
        const double middle = 0.009;
        for (int n = 0; n < kDraws; ++n) {
            const double d = sizes.at((n + 0.5) / kDraws);
            ASSERT_GE(d, 0.004 - 1e-12);
            ASSERT_LE(d, 0.02 + 1e-12);
            sum += std::numbers::pi / 6 * d * d * d;
            below += d < middle;
        }
        EXPECT_NEAR(sum / kDraws / sizes.meanVolume(), 1, 1e-4) << exponent;
        const auto tail = [&](double d) {
            return exponent == 0 ? -std::log(d) : std::pow(d, -exponent) / exponent;
        };
        EXPECT_NEAR(below / double{kDraws},
                    (tail(0.004) - tail(middle)) / (tail(0.004) - tail(0.02)), 1e-4)
            << exponent;
    }
}

TEST(Debris, FollowsTheVolumeThatBreaksInTheOpen)
{
    Plate plate;
    const DebrisSettings settings = settingsOf(0.3);
    Debris debris;
    EXPECT_EQ(debris.step(plate.body(), settings, 1, kFrame, kNothing, kOneThread).born, 0u);
    EXPECT_EQ(debris.step(plate.body(), settings, 2, kFrame, kNothing, kOneThread).born, 0u)
        << "nothing breaks";

    plate.tear(0.5f, 1.5f); // half of a half
    debris.step(plate.body(), settings, 3, kFrame, kNothing, kOneThread);
    EXPECT_NEAR(debris.brokenVolume(), 0.5 * 0.5 * 0.1, 1e-6);
    const double half = volumeOf(debris.chips());
    const double expected = 0.3 * 0.5 * plate.openVolume(0.5f);
    // Sizes are independent: five standard errors of the sum of so many volumes.
    const auto error = [&](double number) {
        const ChipSizes& s = settings.sizes;
        const double square = (std::pow(s.largest, 3.5) - std::pow(s.smallest, 3.5)) / 3.5 /
                              ((std::pow(s.smallest, -2.5) - std::pow(s.largest, -2.5)) / 2.5);
        return 5 * std::sqrt(number * square) * std::numbers::pi / 6;
    };
    ASSERT_GT(debris.chips().size(), 1000u);
    EXPECT_NEAR(half, expected, error(static_cast<double>(debris.chips().size())));
    for (const Chip& chip : debris.chips())
        EXPECT_LT(chip.flight.x[0], 0.5 + 0.05 + settings.burst * kFrame);

    // The rest of it, and no more however far it is torn.
    plate.tear(0.5f, 9);
    debris.step(plate.body(), settings, 4, kFrame, kNothing, kOneThread);
    EXPECT_NEAR(volumeOf(debris.chips()), 2 * expected,
                error(static_cast<double>(debris.chips().size())));
    plate.tear(0.5f, 1); // nothing mends, and breaks again
    debris.step(plate.body(), settings, 5, kFrame, kNothing, kOneThread);
    plate.tear(0.5f, 9);
    EXPECT_EQ(debris.step(plate.body(), settings, 6, kFrame, kNothing, kOneThread).born, 0u);
}

// Chips have the velocity of what they come from; what is random points out of the plate, as much
// up as down.
TEST(Debris, InheritsTheMomentum)
{
    Plate plate({3, -2, 1});
    DebrisSettings settings = settingsOf(0.3);
    settings.gravity = {};
    settings.drag = 0;
    for (const double burst : {0.0, 2.0}) {
        settings.burst = burst;
        plate.tear(9, 1);
        Debris debris;
        debris.step(plate.body(), settings, 1, kFrame, kNothing, kOneThread);
        plate.tear(9, 2);
        debris.step(plate.body(), settings, 2, kFrame, kNothing, kOneThread);
        const auto count = static_cast<double>(debris.chips().size());
        ASSERT_GT(count, 1000);
        double mean[3] = {}, spread = 0;
        for (const Chip& chip : debris.chips()) {
            for (int axis = 0; axis < 3; ++axis)
                mean[axis] += chip.flight.v[axis] / count;
            spread = std::max(spread, std::hypot(chip.flight.v[0] - 3, chip.flight.v[1] + 2,
                                                 chip.flight.v[2] - 1));
            EXPECT_GE((chip.flight.v[1] + 2) * (chip.flight.x[1] > 0.1 ? 1 : 0), -1e-6);
        }
        // Part of a random vector in a ball along an axis: sqrt(1/5) of its radius.
        const double error = 1e-9 + 5 * burst * std::sqrt(0.2 / count);
        EXPECT_NEAR(mean[0], 3, error);
        EXPECT_NEAR(mean[1], -2, error);
        EXPECT_NEAR(mean[2], 1, error);
        EXPECT_LE(spread, burst + 1e-6);
        EXPECT_GE(spread, 0.9 * burst);
    }
}

// A ball dropped from h comes up again to e^2 h, and then lies on the ground.
TEST(Debris, BouncesAndComesToRest)
{
    Plate far; // of which nothing breaks, elsewhere
    DebrisSettings settings = settingsOf(0);
    settings.drag = 0;
    settings.bounce = 0.5;
    settings.lifetime = 1000;
    Chip chip{};
    chip.flight = {{5, 1.005, 5}, {0, 0, 0}, 0, 0, 1000};
    chip.size = 0.01;
    chip.orientation[3] = 1;
    Debris debris;
    debris.restore({chip}, {}, 1);
    double top = 0;
    bool struck = false;
    for (int frame = 1; frame <= 240; ++frame) {
        debris.step(far.body(), settings, frame, kFrame, under({0, 1, 0}), kOneThread);
        const Chip& now = debris.chips()[0];
        struck = struck || now.flight.v[1] > 0;
        if (struck)
            top = std::max(top, now.flight.x[1] - 0.005);
        EXPECT_GE(now.flight.x[1], 0.005 - 1e-9);
    }
    EXPECT_NEAR(top, 0.25, 0.04); // a step of its flight is up to half a cell
    EXPECT_NEAR(debris.chips()[0].flight.x[1], 0.005, 1e-9);
    EXPECT_NEAR(debris.chips()[0].flight.v[1], 0, 1e-9);
}

// On a slope of angle a it slides with g (sin a - mu cos a), or not where mu is over tan a.
TEST(Debris, SlidesAtCoulombsRate)
{
    constexpr double kAngle = 0.5;
    const Point normal = {std::sin(kAngle), std::cos(kAngle), 0};
    for (const double friction : {0.3, 0.7}) {
        Plate far;
        DebrisSettings settings = settingsOf(0);
        settings.drag = 0;
        settings.friction = friction;
        Chip chip{};
        chip.flight = {{0.005 * normal[0] - 50 * normal[1], 0.005 * normal[1] + 50 * normal[0], 9},
                       {0, 0, 0},
                       0,
                       0,
                       1000};
        chip.size = 0.01;
        chip.orientation[3] = 1;
        chip.spin[2] = 10;
        Debris debris;
        debris.restore({chip}, {}, 1);
        for (int frame = 1; frame <= 24; ++frame)
            debris.step(far.body(), settings, frame, kFrame, under(normal), kOneThread);
        const Chip& now = debris.chips()[0];
        const double rate = std::max(0.0, 9.81 * (std::sin(kAngle) - friction * std::cos(kAngle)));
        EXPECT_NEAR(std::hypot(now.flight.v[0], now.flight.v[1]), rate, 1e-3) << friction;
        EXPECT_NEAR(now.spin[2], 0, 0.1);
    }
}

// What falls on the solid lies on it and goes with it.
TEST(Debris, LiesOnTheSolid)
{
    Plate plate({0.4, 0, 0});
    DebrisSettings settings = settingsOf(0);
    settings.drag = 0;
    Chip chip{};
    chip.flight = {{0.3, 0.6, 0.5}, {0, 0, 0}, 0, 0, 1000};
    chip.size = 0.01;
    chip.orientation[3] = 1;
    Debris debris;
    debris.restore({chip}, {}, 1);
    for (int frame = 1; frame <= 30; ++frame) {
        for (std::size_t i = 0; i < plate.id.size(); ++i)
            plate.x[3 * i] += static_cast<float>(0.4 * kFrame);
        debris.step(plate.body(), settings, frame, kFrame, kNothing, kOneThread);
    }
    const Chip& now = debris.chips()[0];
    EXPECT_NEAR(now.flight.x[1], 0.1, 0.3 * kCell); // its surface, to a part of a cell
    EXPECT_NEAR(now.flight.v[0], 0.4, 0.02);
}

// Each is closed, of its chip's volume and around its place, and moves as a rigid body.
TEST(Shards, HaveTheVolumesAndMotionsOfTheirChips)
{
    Chip chip{};
    chip.flight = {{0.1, 0.2, 0.3}, {1, 2, 3}, 7, 0, 1};
    chip.size = 0.02;
    chip.orientation[1] = 0.6, chip.orientation[3] = 0.8;
    chip.spin[1] = 5;
    Chip other = chip;
    other.flight.id = 8;
    other.size = 0.01;
    const Shards shards = shardsOf(std::vector{chip, other});
    ASSERT_EQ(shards.points.size(), 3 * 2 * Shards::kPoints);
    const auto point = [&](const std::vector<float>& of, std::size_t n) {
        return Point{of[3 * n], of[3 * n + 1], of[3 * n + 2]};
    };
    for (std::size_t n = 0; n < 2; ++n) {
        double volume = 0;
        for (std::size_t t = Shards::kTriangles * n; t < Shards::kTriangles * (n + 1); ++t) {
            const Point a = point(shards.points, shards.triangles[3 * t]);
            const Point b = point(shards.points, shards.triangles[3 * t + 1]);
            const Point c = point(shards.points, shards.triangles[3 * t + 2]);
            volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                       a[2] * (b[0] * c[1] - b[1] * c[0])) /
                      6;
        }
        const double size = n == 0 ? 0.02 : 0.01;
        EXPECT_NEAR(volume / (std::numbers::pi / 6 * std::pow(size, 3)), 1, 1e-3); // in floats
        for (std::size_t i = Shards::kPoints * n; i < Shards::kPoints * (n + 1); ++i) {
            const Point p = point(shards.points, i), v = point(shards.velocities, i);
            EXPECT_LT(std::hypot(p[0] - 0.1, p[1] - 0.2, p[2] - 0.3), 1.5 * size);
            EXPECT_NEAR(v[0], 1 + 5 * (p[2] - 0.3), 1e-5);
            EXPECT_NEAR(v[1], 2, 1e-5);
            EXPECT_NEAR(v[2], 3 - 5 * (p[0] - 0.1), 1e-5);
        }
    }
}

TEST(Debris, EndsWithItsLifetimeAndStaysWithinItsBound)
{
    Plate plate;
    DebrisSettings settings = settingsOf(0.5);
    settings.lifetime = 0.5; // from 0.25 to 0.75 s
    settings.maximumCount = 700;
    Debris debris;
    debris.step(plate.body(), settings, 1, kFrame, kNothing, kOneThread);
    plate.tear(9, 3);
    const Debris::Tally tally =
        debris.step(plate.body(), settings, 2, kFrame, kNothing, kOneThread);
    EXPECT_EQ(debris.chips().size(), 700u);
    EXPECT_GT(tally.leftOut, 1000u);
    for (int frame = 3; frame < 8; ++frame)
        debris.step(plate.body(), settings, frame, kFrame, kNothing, kOneThread);
    EXPECT_EQ(debris.chips().size(), 700u);
    for (int frame = 8; frame < 22; ++frame)
        debris.step(plate.body(), settings, frame, kFrame, kNothing, kOneThread);
    EXPECT_EQ(debris.chips().size(), 0u);
}

TEST(Debris, DependsOnNeitherThreadsNorOrderNorInterruption)
{
    Plate plate({1, 2, 3});
    std::vector<std::size_t> order(plate.id.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [](std::size_t i) { return sdk::mixBits(i); });
    const DebrisSettings settings = settingsOf(0.3);
    const Obstruct ground = under({0, 1, 0});
    Debris reference, other;
    for (int frame = 1; frame <= 5; ++frame) {
        plate.tear(0.2f * static_cast<float>(frame - 1), 1 + 0.4f * static_cast<float>(frame));
        reference.step(plate.body(), settings, frame, kFrame, ground, kOneThread);

        // In another order, in three threads, saved and restored before each frame.
        Plate shuffled = plate;
        for (std::size_t i = 0; i < order.size(); ++i) {
            shuffled.id[i] = plate.id[order[i]];
            shuffled.damage[i] = plate.damage[order[i]];
            for (std::size_t axis = 0; axis < 3; ++axis)
                shuffled.x[3 * i + axis] = plate.x[3 * order[i] + axis];
        }
        Debris resumed;
        resumed.restore(other.chips(), other.broken(), other.bornSoFar());
        resumed.step(shuffled.body(), settings, frame, kFrame, ground, kThreeThreads);
        other = resumed;
    }
    ASSERT_GT(reference.chips().size(), 1000u);
    ASSERT_EQ(other.chips().size(), reference.chips().size());
    EXPECT_EQ(std::memcmp(other.chips().data(), reference.chips().data(),
                          other.chips().size() * sizeof(Chip)),
              0);
}

} // namespace
} // namespace floe::secondary
