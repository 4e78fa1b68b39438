// Beds that begin pressed together by their own weight.

#include "heap.hpp"
#include "settled.hpp"

#include <gtest/gtest.h>

using namespace floe::mpm;

namespace {

constexpr double kCell = 0.1, kGravity = 9.81;
const Vec3d kDown{0, -kGravity, 0};

SolverMaterial softSand()
{
    return material("druckerPrager", 1600, {{"youngModulus", 2e5}, {"poissonRatio", 0.3}});
}

TEST(Settled, OverburdenIsTheWeightOfWhatLiesAbove)
{
    const Lattice bed({0, 0, 0}, {0.4, 2, 0.4}, kCell), roof({0, 2, 0}, {0.4, 2.5, 0.4}, kCell),
        cloud({0, 3, 0}, {0.4, 3.5, 0.4}, kCell);
    const NewParticles sets[] = {bed.particles(0), roof.particles(1), cloud.particles(1)};
    const float densities[] = {1000, 2000, 2000};
    const auto overburden = findOverburden(sets, densities, kDown, kCell);
    const auto expect = [&](std::size_t set, std::size_t i, double pressure) {
        EXPECT_NEAR(overburden[set][i], pressure, 1e-3 * pressure + 0.01) << "set " << set;
    };
    for (std::size_t i = 0; i < bed.count(); ++i) {
        const double depth = 2 - bed.x[3 * i + 1];
        // Where two densities meet, their mean counts across one spacing of particles.
        EXPECT_NEAR(overburden[0][i], kGravity * (0.5 * 2000 + depth * 1000), 1e-3 * 30000);
    }
    for (std::size_t i = 0; i < cloud.count(); ++i) // half a metre up: bears and presses by itself
        expect(2, i, kGravity * 2000 * (3.5 - cloud.x[3 * i + 1]));
}

TEST(Settled, OverburdenFollowsGravityWhereverItPoints)
{
    const Lattice bed({0, 0, 0}, {1, 0.4, 0.4}, kCell);
    const NewParticles sets[] = {bed.particles()};
    const float densities[] = {1000};
    const auto overburden = findOverburden(sets, densities, {3, 0, 0}, kCell);
    for (std::size_t i = 0; i < bed.count(); ++i)
        EXPECT_NEAR(overburden[0][i], 3 * 1000 * bed.x[3 * i], 0.5);
    const auto weightless = findOverburden(sets, densities, {0, 0, 0}, kCell);
    for (const float p : weightless[0])
        EXPECT_EQ(p, 0);
}

/// A bed two metres deep between smooth walls: how far its top third sinks in half a second, and
/// the most speed in it then.
struct Rest {
    double sag, speed;
};
Rest rest(const SolverMaterial& what, bool settled)
{
    SerialExecutor serial;
    SolverSettings s;
    s.cellSize = kCell;
    Solver solver(s, serial);
    solver.setMaterials({what});
    Domain walls;
    walls.bounded = true;
    walls.halfSize = {0.4, 4, 0.4};
    walls.center = {0.4, 4, 0.4};
    walls.faces.fill(Contact::slip);
    solver.setDomain(walls);
    const Lattice bed({0, 0, 0}, {0.8, 2, 0.8}, kCell);
    NewParticles added = bed.particles();
    Settled pressed;
    if (settled) {
        const float density = what.law.density;
        const auto overburden = findOverburden({&added, 1}, {&density, 1}, kDown, kCell);
        pressed = settle(added, what.law, overburden[0], kDown);
        added.volume = pressed.volume.data();
        added.strain = pressed.strain.data();
        added.state = pressed.state.data();
    }
    solver.addParticles(added);
    run(solver, 0.15);
    const Frame after(solver);
    Rest found{0, 0};
    std::size_t top = 0;
    for (std::size_t i = 0; i < after.id.size(); ++i) {
        if (bed.x[3 * i + 1] < 1.4)
            continue;
        found.sag += bed.x[3 * i + 1] - after.x[3 * i + 1];
        ++top;
    }
    for (const float v : after.v)
        found.speed = std::max(found.speed, std::abs(static_cast<double>(v)));
    found.sag /= static_cast<double>(top);
    return found;
}

// Unsettled, the bed falls until its stress has built up: by about rho g H^2 / 2 M, M the modulus
// against squeezing between walls. What is left when it is settled is that nodes at the surface
// and the walls carry less than their share of mass: a hundredth of a cell or so.
TEST(Settled, ABedStaysWhereItIs)
{
    for (const SolverMaterial& what : {softSand(), material("snow", 400, {{"youngModulus", 2e5}}),
                                       material("liquid", 1000, {{"bulkModulus", 5e4}}),
                                       material("fixedCorotated", 1000, {{"youngModulus", 2e5}}),
                                       material("camClay", 1600, {{"youngModulus", 5e5}})}) {
        const Rest loose = rest(what, false), settled = rest(what, true);
        EXPECT_GT(loose.sag, 0.15 * kCell) << what.name;
        EXPECT_LT(std::abs(settled.sag), 0.15 * loose.sag) << what.name;
        EXPECT_LT(settled.speed, 0.25 * loose.speed) << what.name;
    }
}

TEST(Settled, MassIsThatOfThePressedMaterial)
{
    const Lattice bed({0, 0, 0}, {0.4, 2, 0.4}, kCell);
    const NewParticles added = bed.particles();
    const SolverMaterial sand = softSand();
    const std::vector<float> overburden(bed.count(), 10000.0f);
    const Settled pressed = settle(added, sand.law, overburden, kDown);
    // p = M e J^-1 with Hencky strain e; M is E (1 - nu) / ((1 + nu) (1 - 2 nu)).
    const double modulus = 2e5 * 0.7 / (1.3 * 0.4);
    for (std::size_t i = 0; i < bed.count(); ++i) {
        const double ratio = added.volume[i] / pressed.volume[i];
        EXPECT_NEAR(-modulus * std::log(ratio) / ratio, 10000, 20);
        EXPECT_NEAR(pressed.strain[9 * i + 4], ratio - 1, 1e-5);
        EXPECT_EQ(pressed.strain[9 * i], 0);
    }
}

} // namespace
