// Elastic solids, and solids in water.
#include "scene.hpp"
#include "threads.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace floe::coupled {
namespace {

using namespace test;

SolidMaterial rubber(double youngModulus, double poissonRatio)
{
    SolidMaterial material;
    material.law.kind = physics::LawKind::fixedCorotated;
    const auto lame =
        physics::lameFromYoung(static_cast<float>(youngModulus), static_cast<float>(poissonRatio));
    material.law.fixedCorotated = {lame.mu, 0, 0};
    material.mu = lame.mu;
    material.lambda = lame.lambda;
    return material;
}

void fillSolid(CoupledSolver& solver, const Vec3d& low, const Vec3d& high, double density)
{
    Solid& solid = solver.solid();
    const double step = 0.5 * solid.cellSize();
    SolidParticle particle{};
    particle.volume = static_cast<float>(step * step * step);
    particle.mass = static_cast<float>(density * step * step * step);
    for (double x = low.x + 0.5 * step; x < high.x; x += step)
        for (double y = low.y + 0.5 * step; y < high.y; y += step)
            for (double z = low.z + 0.5 * step; z < high.z; z += step)
                solid.add({x, y, z}, particle);
    solid.rebin();
}

// A solid block in free fall falls like anything else, and keeps its shape.
TEST(SolidBlock, FallsFreely)
{
    CoupledSolver solver(settingsOf(0.05, 1e-8));
    solver.setMaterials({rubber(1e5, 0.3)});
    fillSolid(solver, {0, 0, 0}, {0.3, 0.3, 0.3}, 800);
    const Vec3d begin = meanPlace(solver.solid());
    Surroundings surroundings;
    sdk::parallel::SerialExecutor serial;
    for (int i = 0; i < 30; ++i)
        solver.step(surroundings, 0.01 * i, 0.01, serial);
    const Vec3d moved = meanPlace(solver.solid()) - begin;
    EXPECT_NEAR(moved.y, -kGravity * 1e-4 * 30 * 31 / 2, 1e-3);
    EXPECT_NEAR(moved.x, 0, 1e-4);
    for (std::size_t b = 0; b < solver.solid().size(); ++b)
        for (const SolidParticle& p : solver.solid()[b].particles) {
            EXPECT_NEAR(p.change, 0, 1e-3);
            EXPECT_NEAR(p.H[0][0], 0, 1e-3);
        }
}

// A column that stands is shortened by its weight: between two heights by the integral of
// rho g (h - y) / M, with the modulus of confined compression M = lambda + 2 mu, since walls hold
// its sides.
TEST(SolidBlock, IsShortenedByItsWeight)
{
    const double cell = 0.05, height = 0.6, density = 1000;
    CoupledSolver solver(settingsOf(cell, 1e-6));
    const SolidMaterial material = rubber(1e5, 0.3);
    solver.setMaterials({material});
    fillSolid(solver, {0, 0, 0}, {0.2, height, 0.2}, density);
    const Surroundings surroundings = tank(0.2, 1, 0.2);
    // Layers of particles at these heights, away from the floor, which a grid of nodes at the
    // centres of cells knows to half a cell only.
    const double low = 0.1125, high = 0.5625;
    const auto heightOf = [&](double layer) {
        double sum = 0, count = 0;
        for (std::size_t b = 0; b < solver.solid().size(); ++b)
            for (const SolidParticle& p : solver.solid()[b].particles)
                if (std::abs(static_cast<double>(p.id) * 0.025 + 0.0125 - layer) < 1e-6) {
                    sum += solver.solid().placeOf(solver.solid()[b], p).y;
                    ++count;
                }
        return sum / count;
    };
    for (std::size_t b = 0; b < solver.solid().size(); ++b)
        for (SolidParticle& p : solver.solid()[b].particles)
            p.id =
                static_cast<std::uint64_t>(solver.solid().placeOf(solver.solid()[b], p).y / 0.025);
    const double before = heightOf(high) - heightOf(low);
    sdk::parallel::SerialExecutor serial;
    double sum = 0;
    const int steps = 160;
    for (int i = 0; i < steps; ++i) {
        solver.step(surroundings, 0.01 * i, 0.01, serial);
        if (i >= steps / 2)
            sum += before - (heightOf(high) - heightOf(low));
    }
    const double modulus = static_cast<double>(material.lambda) + 2 * material.mu;
    const auto sunk = [&](double y) {
        return density * kGravity / modulus * (height * y - 0.5 * y * y);
    };
    const double expected = sunk(high) - sunk(low);
    // The walls at the sides, half a cell beyond the last free nodes, give way by about 5 % of a
    // width of four cells.
    EXPECT_NEAR(2 * sum / steps, expected, 0.12 * expected);
}

// A bar that swings lengthwise in free flight: its first mode has the period 2 L sqrt(rho / E).
TEST(SolidBlock, VibratesAsItsModulusSays)
{
    const double length = 1.2, youngModulus = 1e5, density = 1000, dt = 0.003;
    CoupledSolver solver(settingsOf(0.05, 1e-6));
    solver.setMaterials({rubber(youngModulus, 0.3)});
    fillSolid(solver, {0, 0, 0}, {length, 0.1, 0.1}, density);
    Surroundings surroundings;
    surroundings.gravity = {0, 0, 0};
    Solid& solid = solver.solid();
    const auto shape = [&](const Solid::Bin& bin, const SolidParticle& p) {
        return std::cos(M_PI * solid.placeOf(bin, p).x / length);
    };
    for (std::size_t b = 0; b < solid.size(); ++b)
        for (SolidParticle& p : solid[b].particles)
            p.v.x = static_cast<float>(0.1 * shape(solid[b], p));
    std::vector<double> crossings;
    double before = 1;
    sdk::parallel::SerialExecutor serial;
    for (int i = 0; crossings.size() < 3 && i < 200; ++i) {
        solver.step(surroundings, dt * i, dt, serial);
        double now = 0;
        for (std::size_t b = 0; b < solid.size(); ++b)
            for (const SolidParticle& p : solid[b].particles)
                now += p.v.x * shape(solid[b], p);
        if (i > 0 && before * now < 0)
            crossings.push_back(dt * (i + before / (before - now)));
        before = now;
    }
    ASSERT_EQ(crossings.size(), 3u);
    const double expected = 2 * length * std::sqrt(density / youngModulus);
    // 24 cells a half wave, 80 steps a period: the ends are known to a small part of a cell.
    EXPECT_NEAR(crossings[2] - crossings[0], expected, 0.04 * expected);
}

/// A cube in the middle of a tank of water.
struct Bath {
    Bath(double cell, double width, double depth, double edge, double bottom, double density)
        : solver(settingsOf(cell, 1e-4)), surroundings(tank(width, 2 * depth, width))
    {
        solver.setMaterials({rubber(1e5, 0.3)});
        const Vec3d low{0.5 * (width - edge), bottom, 0.5 * (width - edge)};
        const Vec3d high = low + Vec3d{edge, edge, edge};
        fill(solver, {width, depth, width}, [&](const Vec3d& at) {
            return !(at.x > low.x && at.x < high.x && at.y > low.y && at.y < high.y &&
                     at.z > low.z && at.z < high.z);
        });
        fillSolid(solver, low, high, density);
    }
    /// Returns the mean height of the cube's centre over the last half of some steps.
    double run(int steps, double dt)
    {
        double sum = 0;
        for (int i = 0; i < steps; ++i) {
            solver.step(surroundings, dt * i, dt, serial);
            if (2 * i >= steps)
                sum += meanPlace(solver.solid()).y;
        }
        return 2 * sum / steps;
    }

    CoupledSolver solver;
    Surroundings surroundings;
    sdk::parallel::SerialExecutor serial;
};

// Archimedes: a cube of eight cells floats as deep as its weight says.
TEST(SolidInWater, FloatsAsDeepAsItsWeightSays)
{
    const double cell = 0.05, edge = 0.4, depth = 0.52, width = 0.65;
    for (const double density : {500.0, 900.0}) {
        const double draught = density / kDensity * edge;
        // It begins half a cell too high, and swings about its place.
        Bath bath(cell, width, depth, edge, depth - draught + 0.5 * cell, density);
        const double centre = bath.run(110, 0.01);
        double water = 0;
        for (std::size_t b = 0; b < bath.solver.fluid().size(); ++b)
            for (const FluidParticle& p : bath.solver.fluid()[b].particles)
                water += p.volume;
        const double level = (water + draught * edge * edge) / (width * width);
        // For its pressure, the surface of the water is where a cell begins or ends: its mean error
        // over all depths is a quarter of a cell, and the cube is compressed by a hundredth.
        EXPECT_NEAR(level - (centre - 0.5 * edge), draught, cell / 3) << density;
        EXPECT_EQ(bath.solver.takeStatistics().unconverged, 0u);
    }
}

// The push on a body all in water is the weight of what it displaces, however the grid cuts it: one
// as heavy as water hovers.
TEST(SolidInWater, HoversWhenAsHeavyAsWater)
{
    const double cell = 0.05;
    Bath bath(cell, 0.5, 0.5, 0.2, 0.16, kDensity);
    const double before = meanPlace(bath.solver.solid()).y;
    for (int i = 0; i < 50; ++i)
        bath.solver.step(bath.surroundings, 0.01 * i, 0.01, bath.serial);
    // It is compressed by half a hundredth, hence as much too heavy, and half a second of that part
    // of gravity moves it by 6 mm; the water that goes with it halves this.
    EXPECT_NEAR(meanPlace(bath.solver.solid()).y, before, 0.1 * cell);
}

// A cube that hits the water with a corner first, as fast as the longest steps allow, keeps its
// shape.
TEST(SolidInWater, EntersItWhole)
{
    const double cell = 0.05, edge = 0.25;
    CoupledSolver solver(settingsOf(cell, 1e-4));
    solver.setMaterials({rubber(1e5, 0.3)});
    const Surroundings surroundings = tank(0.7, 1.5, 0.7);
    fill(solver, {0.7, 0.4, 0.7}, everywhere);
    const Vec3d centre{0.35, 0.64, 0.35};
    const Vec3d axes[3] = {{0.877, 0.48, 0}, {-0.451, 0.824, 0.343}, {0.165, -0.301, 0.939}};
    SolidParticle particle{};
    const double step = 0.5 * cell;
    particle.volume = static_cast<float>(step * step * step);
    particle.mass = 700 * particle.volume;
    particle.v = {0, -2, 0};
    for (double x = 0.5 * step; x < 0.7; x += step)
        for (double y = 0.5 * step; y < 1; y += step)
            for (double z = 0.5 * step; z < 0.7; z += step) {
                const Vec3d d = Vec3d{x, y, z} - centre;
                bool inside = true;
                for (const Vec3d& axis : axes)
                    inside = inside && std::abs(physics::dot(d, axis)) < 0.5 * edge;
                if (inside)
                    solver.solid().add({x, y, z}, particle);
            }
    solver.solid().rebin();
    sdk::parallel::SerialExecutor serial;
    double time = 0;
    while (time < 0.3) {
        const double dt = longestStep(solver, surroundings, 1);
        solver.step(surroundings, time, dt, serial);
        time += dt;
    }
    // The pressure of the impact, half of rho v^2, is 5 % of its modulus; a corner takes some more.
    double volume = 0, worst = 0;
    for (std::size_t b = 0; b < solver.solid().size(); ++b)
        for (const SolidParticle& p : solver.solid()[b].particles) {
            volume += 1 + static_cast<double>(p.change);
            worst = std::max(worst, std::abs(static_cast<double>(p.change)));
        }
    EXPECT_NEAR(volume / static_cast<double>(solver.solid().particles()), 1, 0.05);
    EXPECT_LT(worst, 0.5);
    EXPECT_LT(solver.topSpeed(), 3.5);
}

// Twice as heavy as water: it sinks, slower than it would fall, and lies on the floor.
TEST(SolidInWater, SinksWhenHeavier)
{
    const double cell = 0.05, edge = 0.2, bottom = 0.3, dt = 0.01;
    Bath bath(cell, 0.6, 0.6, edge, bottom, 2 * kDensity);
    const double before = meanPlace(bath.solver.solid()).y;
    for (int i = 0; i < 15; ++i)
        bath.solver.step(bath.surroundings, dt * i, dt, bath.serial);
    const double fallen = before - meanPlace(bath.solver.solid()).y;
    // Weight in water over its mass and that of the water it carries along: 0.67 of what a cube in
    // unbounded water displaces (Brennen 1982), more between walls three widths apart.
    const double most = kGravity * 1 / (2 + 0.67) * dt * dt * 15 * 16 / 2;
    EXPECT_LT(fallen, 1.1 * most);
    EXPECT_GT(fallen, 0.6 * most);
    const double rests = bath.run(70, dt);
    EXPECT_NEAR(rests, 0.5 * edge, 0.5 * cell);
}

// What the fluid's pressures give to fluid and solids sums to nothing where there is no wall: each
// row's faces and nodes push back as much as forth.
TEST(SolidInWater, KeepsMomentum)
{
    CoupledSolver solver(settingsOf(0.05, 1e-8));
    solver.setMaterials({rubber(1e5, 0.3)});
    fill(solver, {0.6, 0.6, 0.6}, [](const Vec3d& at) {
        return !(at.x > 0.21 && at.x < 0.41 && at.y > 0.2 && at.y < 0.4 && at.z > 0.2 &&
                 at.z < 0.4);
    });
    fillSolid(solver, {0.21, 0.2, 0.2}, {0.41, 0.4, 0.4}, 2000);
    for (std::size_t b = 0; b < solver.solid().size(); ++b)
        for (SolidParticle& p : solver.solid()[b].particles)
            p.v = {0.5f, 0, 0};
    const auto momentumOf = [](const auto& matter) {
        double sum = 0;
        for (std::size_t b = 0; b < matter.size(); ++b)
            for (const auto& p : matter[b].particles)
                sum += static_cast<double>(p.mass) * static_cast<double>(p.v.x);
        return sum;
    };
    const double before = momentumOf(solver.solid());
    Surroundings surroundings;
    surroundings.gravity = {0, 0, 0};
    sdk::parallel::SerialExecutor serial;
    solver.step(surroundings, 0, 0.01, serial);
    const PressureSystem& system = solver.system();
    const std::size_t faces = system.velocities() / 2;
    double impulse[2][3] = {}, size = 0; // on fluid and solids, by axis
    for (std::size_t i = 0; i < system.velocities(); ++i) {
        const double push = system.transpose().times(i, solver.pressures().data());
        impulse[i / faces][i % faces / sdk::grid::kBlockNodes % 3] += push;
        size += std::abs(push);
    }
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(impulse[0][axis] + impulse[1][axis], 0, 1e-6 * size); // floats
    EXPECT_GT(impulse[1][0] * 0.01, 0.1 * before); // the water takes some at once
    for (int i = 1; i < 10; ++i)
        solver.step(surroundings, 0.01 * i, 0.01, serial);
    EXPECT_LT(momentumOf(solver.solid()), 0.8 * before);
    // Faces weigh what they would hold if they were full, or half full at the surface, not what
    // their particles sum to: within a quarter for these ten cells of water.
    EXPECT_NEAR(momentumOf(solver.solid()) + momentumOf(solver.fluid()), before, 0.25 * before);
}

TEST(SolidInWater, GivesTheSameBitsOnAnyNumberOfThreads)
{
    const auto run = [](int threads) {
        Bath bath(0.05, 0.5, 0.3, 0.2, 0.15, 700);
        floe::test::ThreadExecutor executor(threads);
        for (int i = 0; i < 8; ++i)
            bath.solver.step(bath.surroundings, 0.01 * i, 0.01, executor);
        std::vector<float> state;
        const auto add = [&](const auto& matter) {
            for (std::size_t b = 0; b < matter.size(); ++b)
                for (const auto& p : matter[b].particles)
                    state.insert(state.end(), {p.x.x, p.x.y, p.x.z, p.v.x, p.v.y, p.v.z});
        };
        add(bath.solver.fluid());
        add(bath.solver.solid());
        return state;
    };
    EXPECT_EQ(run(1), run(3));
}

} // namespace
} // namespace floe::coupled
