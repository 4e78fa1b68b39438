// The example solver: what the world of the SDK does to grains that know nothing of each other.

#include "dust/dust.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace example {

namespace {

constexpr double kCell = 0.1;

Grain grainOf(std::uint64_t id, Vec3f v = {0, 0, 0})
{
    return {{0, 0, 0}, v, id, 1e-6f, 0};
}

void run(Dust& dust, const World& world, double seconds, double dt = 1e-3)
{
    floe::sdk::parallel::SerialExecutor serial;
    const int steps = static_cast<int>(std::lround(seconds / dt));
    for (int i = 0; i < steps; ++i)
        step(dust, world, i * dt, dt, serial);
}

/// The place of the one grain that there is.
Vec3d placeOfOnly(const Dust& dust)
{
    EXPECT_EQ(dust.particles(), 1u);
    return dust.size() == 1 ? dust.placeOf(dust[0], dust[0].particles[0]) : Vec3d{NAN, NAN, NAN};
}

/// The half space below y = 0, at rest.
class Ground final : public Collider {
public:
    void moveTo(double, double) override {}
    bool mayTouch(const Vec3d& center, double radius) const override { return center.y <= radius; }
    void sample(const PointBatch& points, ColliderSample& out) const override
    {
        for (int i = 0; i < points.count; ++i)
            out.set(i,
                    {static_cast<float>(points.corner.y + points.x[1][i]), {0, 1, 0}, {0, 0, 0}});
    }
};

} // namespace

// x = v t, y = y0 - g dt^2 n (n + 1) / 2 (symplectic Euler), across blocks and below zero.
TEST(Dust, FallsFreely)
{
    Dust dust(kCell);
    dust.add({0.05, 0.3, -0.05}, grainOf(1, {1, 0, -0.5f}));
    dust.rebin();
    run(dust, {}, 0.5);
    const Vec3d at = placeOfOnly(dust);
    EXPECT_NEAR(at.x, 0.55, 1e-5);
    EXPECT_NEAR(at.y, 0.3 - 9.81e-6 * 500 * 501 / 2, 1e-5);
    EXPECT_NEAR(at.z, -0.3, 1e-5);
    EXPECT_NE(dust.find({1, -3, -1}), nullptr);
}

// Gravity along a slope of angle a against Coulomb's friction: g (sin a - mu cos a).
TEST(Dust, SlidesOnTheGroundAtCoulombsRate)
{
    const double angle = 0.5;
    for (const double friction : {0.3, 0.7}) { // tan 0.5 = 0.546
        World world;
        world.gravity = {9.81 * std::sin(angle), -9.81 * std::cos(angle), 0};
        world.colliders = {std::make_shared<Ground>()};
        world.colliders[0]->friction = static_cast<float>(friction);
        Dust dust(kCell);
        dust.add({0.01, 0, 0.01}, grainOf(1));
        dust.rebin();
        run(dust, world, 0.5);
        const double rate = std::max(0.0, 9.81 * (std::sin(angle) - friction * std::cos(angle)));
        EXPECT_NEAR(placeOfOnly(dust).x, 0.01 + 0.5 * rate * 0.25, 0.01);
        EXPECT_NEAR(placeOfOnly(dust).y, 0, 1e-4);
    }
}

TEST(Dust, CollidersBounceItOrTakeIt)
{
    World world;
    world.colliders = {std::make_shared<Ground>()};
    world.colliders[0]->particles = ParticleContact::bounce;
    Dust dust(kCell);
    dust.add({0, 0.5, 0}, grainOf(1));
    dust.rebin();
    const double fall = std::sqrt(2 * 0.5 / 9.81);
    run(dust, world, 2 * fall);
    EXPECT_NEAR(placeOfOnly(dust).y, 0.5, 0.02); // a step's way, at most 3 mm, each way
    world.colliders[0]->particles = ParticleContact::remove;
    run(dust, world, 1.1 * fall);
    EXPECT_EQ(dust.particles(), 0u);
}

// Walls of each kind hold what runs into them; open faces let it go.
TEST(Dust, WallsHoldItAndOpenFacesLetItGo)
{
    World world;
    world.gravity = {0, 0, 0};
    world.domain.bounded = true;
    world.domain.faces = {Contact::stick,    Contact::slip, Contact::separate,
                          Contact::separate, Contact::open, Contact::open};
    const Vec3f speed[] = {{-3, 1, 0}, {3, 1, 0}, {0.5f, -3, 0}, {0, 0, 3}};
    Dust dust(kCell);
    for (std::uint64_t id = 0; id < 4; ++id)
        dust.add({0, 0, 0}, grainOf(id, speed[id]));
    dust.rebin();
    run(dust, world, 0.5);
    EXPECT_EQ(dust.particles(), 3u); // the last has left along z
    for (std::size_t b = 0; b < dust.size(); ++b)
        for (const Grain& grain : dust[b].particles) {
            const Vec3d at = dust.placeOf(dust[b], grain);
            if (grain.id == 0) { // sticks where it came to the wall, after a third of a second
                EXPECT_NEAR(at.x, -1, 0.01);
                EXPECT_NEAR(at.y, 1.0 / 3, 0.01);
            } else if (grain.id == 1) { // slides on
                EXPECT_NEAR(at.x, 1, 0.01);
                EXPECT_NEAR(at.y, 0.5, 0.01);
            } else {
                EXPECT_NEAR(at.x, 0.25, 0.01);
                EXPECT_NEAR(at.y, -1, 0.01);
            }
        }
}

TEST(Dust, GrainsOfACellComeToMoveTogether)
{
    World world;
    world.gravity = {0, 0, 0};
    world.sharing = 50;
    Dust dust(kCell);
    dust.add({0.05, 0.05, 0.05}, grainOf(0, {0.03f, 0, 0}));
    dust.add({0.05, 0.05, 0.05}, grainOf(1, {-0.01f, 0, 0}));
    dust.add({0.15, 0.05, 0.05}, grainOf(2, {0, 0.05f, 0})); // in the next cell
    dust.rebin();
    run(dust, world, 0.2);
    ASSERT_EQ(dust.particles(), 3u);
    for (const Grain& grain : dust[0].particles) {
        EXPECT_NEAR(grain.v.x, grain.id == 2 ? 0 : 0.01, 1e-4);
        EXPECT_NEAR(grain.v.y, grain.id == 2 ? 0.05 : 0, 1e-4);
    }
}

} // namespace example
