#include "foam.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace floe::secondary {
namespace {

constexpr double kCell = 0.1;
constexpr double kFrame = 1.0 / 24;

const ForRange kHere = [](uint64_t count, uint64_t, const auto& body) {
    body(0, count);
};
bool nowhere(const Point&)
{
    return false;
}

/// Water of 1 m x 1 m x 1 m with eight particles a cell, its surface at 1 m, that flows along x.
struct Basin {
    std::vector<float> x, v;
    std::vector<uint64_t> id;

    explicit Basin(float speed)
    {
        for (int n = 0; n < 20 * 20 * 20; ++n) {
            for (const int place : {n / 400, n / 20 % 20, n % 20})
                x.push_back((static_cast<float>(place) + 0.5f) / 20);
            v.insert(v.end(), {speed, 0, 0});
            id.push_back(static_cast<uint64_t>(n));
        }
    }
    Body body() const { return {x, v, id, kCell}; }
};

SpraySettings foaming()
{
    SpraySettings settings;
    settings.foam = 1;
    settings.foamLifetime = 1000;
    return settings;
}

Spray after(const Basin& water, const SpraySettings& settings, std::vector<Droplet> droplets,
            int frames)
{
    Spray spray;
    spray.restore(std::move(droplets), 1000);
    for (int frame = 1; frame <= frames; ++frame)
        spray.step(water.body(), settings, frame, kFrame, nowhere, kHere);
    return spray;
}

constexpr Droplet kFalling{{0.5, 1.3, 0.5}, {0, -2, 0}, 0, 0, 50};

// The surface of a field of cells is where half of space is liquid.
TEST(Foam, LiesOnTheSurfaceAndGoesWithIt)
{
    const Basin still(0), flowing(0.2f);
    const Spray resting = after(still, foaming(), {kFalling}, 24);
    ASSERT_EQ(resting.droplets().size(), 1u);
    EXPECT_EQ(resting.droplets()[0].kind, Droplet::Kind::Foam);
    EXPECT_NEAR(resting.droplets()[0].x[1], 1, 0.01);
    EXPECT_NEAR(resting.droplets()[0].x[0], 0.5, 1e-9);

    const Spray carried = after(flowing, foaming(), resting.droplets(), 24);
    ASSERT_EQ(carried.droplets().size(), 1u);
    EXPECT_NEAR(carried.droplets()[0].x[0], 0.5 + 0.2, 1e-6);
    EXPECT_NEAR(carried.droplets()[0].x[1], 1, 0.01);
}

// Terminal velocity where buoyancy and drag are even: k_b g / k_d.
TEST(Foam, BubblesRiseAndBecomeFoam)
{
    const Basin water(0);
    SpraySettings settings = foaming();
    Droplet bubble{{0.5, 0.25, 0.5}, {0, 0, 0}, 0, 0, 1000, Droplet::Kind::Bubble};
    settings.buoyancy = 0.2;
    const Spray rising = after(water, settings, {bubble}, 24);
    ASSERT_EQ(rising.droplets().size(), 1u);
    EXPECT_EQ(rising.droplets()[0].kind, Droplet::Kind::Bubble);
    EXPECT_NEAR(rising.droplets()[0].v[1], 0.2 * 9.81 / settings.bubbleDrag, 1e-3);
    const Spray risen = after(water, settings, rising.droplets(), 120);
    EXPECT_EQ(risen.droplets()[0].kind, Droplet::Kind::Foam);
    EXPECT_NEAR(risen.droplets()[0].x[1], 1, 0.01);
}

TEST(Foam, DissolvesWithinItsLifetimes)
{
    SpraySettings settings = foaming();
    settings.foamLifetime = 2;
    const Basin water(0);
    std::vector<Droplet> droplets;
    for (uint64_t n = 0; n < 400; ++n) {
        droplets.push_back(kFalling);
        droplets.back().id = n;
    }
    const auto left = [&](int frames) {
        return after(water, settings, droplets, frames).droplets().size();
    };
    // All are in the water after 3 to 4 frames; lifetimes are even from 1 to 3 s.
    EXPECT_EQ(left(20), 400u);
    EXPECT_NEAR(static_cast<double>(left(4 + 48)), 200, 5 * std::sqrt(100.0));
    EXPECT_EQ(left(4 + 73), 0u);
}

// Five standard errors of 400 independent draws.
TEST(Foam, IsTheShareThatIsAskedFor)
{
    SpraySettings settings = foaming();
    const Basin water(0);
    std::vector<Droplet> droplets;
    for (uint64_t n = 0; n < 400; ++n) {
        droplets.push_back(kFalling);
        droplets.back().id = n;
    }
    settings.foam = 0.3;
    EXPECT_NEAR(static_cast<double>(after(water, settings, droplets, 24).droplets().size()), 120,
                5 * std::sqrt(400 * 0.3 * 0.7));
    settings.foam = 0;
    EXPECT_EQ(after(water, settings, droplets, 24).droplets().size(), 0u);
}

TEST(Foam, ThatTheLiquidHasLeftFliesAsSpray)
{
    const Basin water(0);
    const Droplet left{{3, 3, 3}, {1, 0, 0}, 0, 1, 1000, Droplet::Kind::Foam};
    const Spray spray = after(water, foaming(), {left}, 12);
    ASSERT_EQ(spray.droplets().size(), 1u);
    EXPECT_EQ(spray.droplets()[0].kind, Droplet::Kind::Spray);
    EXPECT_LT(spray.droplets()[0].x[1], 2.5);
}

// Liquid that is driven together, fast, traps air at its surface.
TEST(Foam, IsBornWhereLiquidIsDrivenTogether)
{
    Basin crashing(0);
    for (std::size_t i = 0; i < crashing.id.size(); ++i) {
        crashing.v[3 * i] = -20 * (crashing.x[3 * i] - 0.5f);
        crashing.v[3 * i + 2] = 8;
    }
    SpraySettings settings = foaming();
    settings.rate = 40;
    const Spray spray = after(crashing, settings, {}, 1);
    ASSERT_GT(spray.droplets().size(), 100u);
    for (const Droplet& droplet : spray.droplets())
        EXPECT_EQ(droplet.kind, Droplet::Kind::Foam);
    settings.foam = 0;
    EXPECT_EQ(after(crashing, settings, {}, 1).droplets().size(), 0u);
}

} // namespace
} // namespace floe::secondary
