// The incompressible solver against what water does.
#include "threads.hpp"

#include "scene.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace floe::coupled {
namespace {

using namespace test;

// Water that stands: the pressure of a cell is the weight above it, on its walls too.
TEST(Water, StandsWithThePressureOfItsDepth)
{
    const double cell = 0.05, depth = 0.6;
    CoupledSolver solver(settingsOf(cell));
    const Surroundings surroundings = tank(0.4, 1, 0.4);
    fill(solver, {0.4, depth, 0.4}, everywhere);
    sdk::parallel::SerialExecutor serial;
    for (int i = 0; i < 50; ++i)
        solver.step(surroundings, 0.01 * i, 0.01, serial);

    const PressureSystem& system = solver.system();
    std::vector<double> mean(12), count(12);
    const auto cells = system.rows(Unknown::fluidPressure);
    for (std::size_t row = cells.first; row < cells.last; ++row)
        if (const auto layer = static_cast<std::size_t>(system.cell(row)[1]); layer < 12) {
            mean[layer] += solver.pressures()[row];
            count[layer] += 1;
        }
    for (std::size_t layer = 0; layer < 11; ++layer) {
        ASSERT_EQ(count[layer], 64) << layer; // 8 x 8 cells: no bubbles
        const double weight =
            kDensity * kGravity * (depth - cell * (static_cast<double>(layer) + 0.5));
        // The surface is where a cell begins or ends: known to half a cell.
        EXPECT_NEAR(mean[layer] / count[layer], weight, 0.5 * kDensity * kGravity * cell) << layer;
    }
    // A wall's face belongs to one cell and bears its pressure, outwards.
    const auto walls = system.rows(Unknown::wallPressure);
    double floor = 0;
    for (std::size_t row = walls.first; row < walls.last; ++row)
        if (system.axis(row) == 1 && system.cell(row)[1] == 0)
            floor += solver.pressures()[row];
    // The floor carries all the weight: 64 faces, and pressures held by walls push against them.
    EXPECT_NEAR(-floor / 64, kDensity * kGravity * depth, 0.5 * kDensity * kGravity * cell);
    // Nothing moves: less than a fiftieth of what falling from the surface would give.
    EXPECT_LT(solver.topSpeed(), 0.02 * std::sqrt(2 * kGravity * depth));
    EXPECT_NEAR(meanPlace(solver.fluid()).y, 0.5 * depth, 0.1 * cell);
}

// A collapsing block: after each solve no cell gains or loses volume.
TEST(Water, HasNoDivergenceAfterASolve)
{
    const double cell = 0.05;
    CoupledSolver solver(settingsOf(cell, 1e-8));
    const Surroundings surroundings = tank(1, 1, 0.2);
    fill(solver, {0.4, 0.6, 0.2}, everywhere);
    sdk::parallel::SerialExecutor serial;
    for (int i = 0; i < 60; ++i) {
        solver.step(surroundings, 0.005 * i, 0.005, serial);
        // The right side is at most g dt / cell = 1 per second a cell; some 800 cells share the
        // residual of 1e-8.
        EXPECT_LT(solver.largestDivergence(), 1e-5) << i;
    }
    const CoupledStatistics statistics = solver.takeStatistics();
    EXPECT_EQ(statistics.unconverged, 0u);
    EXPECT_GT(solver.topSpeed(), 1.5); // it does collapse
}

// The same dam after the waves: as deep as its volume says, but for what splashing leaves between
// the particles: less than an eighth, and no more after a thousand steps than after five hundred.
TEST(Water, KeepsItsVolumeOverManySteps)
{
    const double cell = 0.1;
    CoupledSolver solver(settingsOf(cell, 1e-4));
    const Surroundings surroundings = tank(1, 4, 0.2);
    fill(solver, {0.4, 0.8, 0.2}, everywhere);
    const std::size_t before = solver.fluid().particles();
    sdk::parallel::SerialExecutor serial;
    double half[2] = {};
    for (int i = 0; i < 1000; ++i) {
        solver.step(surroundings, 0.016 * i, 0.016, serial);
        if (i % 500 >= 300) // a mean over several swings
            half[i / 500] += meanPlace(solver.fluid()).y / 200;
    }
    EXPECT_EQ(solver.fluid().particles(), before);
    for (const double height : half)
        EXPECT_NEAR(height, 0.16, 0.12 * 0.16);
    EXPECT_LT(half[1], 1.02 * half[0]);
}

// The first mode of a tank of length L and depth d swings with omega^2 = g k tanh(k d), k = pi / L
// (Airy's linear waves).
TEST(Water, SloshesWithThePeriodOfItsTank)
{
    const double cell = 0.05, length = 1, depth = 0.5, k = M_PI / length;
    CoupledSolver solver(settingsOf(cell));
    const Surroundings surroundings = tank(length, 1, 0.2);
    fill(solver, {length, 0.7, 0.2},
         [&](const Vec3d& at) { return at.y < depth + 0.05 * std::cos(k * at.x); });
    sdk::parallel::SerialExecutor serial;
    const double dt = 0.008;
    std::vector<double> crossings;
    double before = meanPlace(solver.fluid()).x - 0.5 * length;
    ASSERT_LT(before, -0.005);
    for (int i = 0; crossings.size() < 4 && i < 500; ++i) {
        solver.step(surroundings, dt * i, dt, serial);
        const double now = meanPlace(solver.fluid()).x - 0.5 * length;
        if (before * now < 0)
            crossings.push_back(dt * (i + before / (before - now)));
        before = now;
    }
    ASSERT_EQ(crossings.size(), 4u);
    const double period = 2 * (crossings[3] - crossings[0]) / 3;
    const double expected = 2 * M_PI / std::sqrt(kGravity * k * std::tanh(k * depth));
    // A depth known to half a cell changes the period by 1 %; linear faces of 20 cells a half wave
    // slow it by less.
    EXPECT_NEAR(period, expected, 0.05 * expected);
}

// Water in free fall has no pressure, wherever it is: the world has no bounds.
TEST(Water, FallsFreelyFarFromAnyOrigin)
{
    CoupledSolver solver(settingsOf(0.1));
    Surroundings surroundings;
    FluidParticle particle{};
    particle.mass = 0.125f;
    particle.volume = 0.125e-3f;
    particle.v = {3, 0, 0};
    const Vec3d far{-5000, 700, 12000};
    for (int i = 0; i < 512; ++i)
        solver.fluid().add(far + Vec3d{0.05 * (i % 8) + 0.025, 0.05 * (i / 8 % 8) + 0.025,
                                       0.05 * (i / 64) + 0.025},
                           particle);
    solver.fluid().rebin();
    const Vec3d begin = meanPlace(solver.fluid());
    sdk::parallel::SerialExecutor serial;
    for (int i = 0; i < 40; ++i)
        solver.step(surroundings, 0.01 * i, 0.01, serial);
    const Vec3d moved = meanPlace(solver.fluid()) - begin;
    EXPECT_NEAR(moved.x, 1.2, 1e-4);
    // Velocities after each step times its length: g dt^2 n (n + 1) / 2.
    EXPECT_NEAR(moved.y, -kGravity * 1e-4 * 40 * 41 / 2, 1e-3);
    EXPECT_NEAR(moved.z, 0, 1e-4);
}

TEST(Water, GivesTheSameBitsOnAnyNumberOfThreads)
{
    const auto run = [](int threads) {
        CoupledSolver solver(settingsOf(0.05));
        const Surroundings surroundings = tank(1, 1, 0.4);
        fill(solver, {0.4, 0.6, 0.4}, everywhere);
        floe::test::ThreadExecutor executor(threads);
        for (int i = 0; i < 12; ++i)
            solver.step(surroundings, 0.01 * i, 0.01, executor);
        std::vector<float> state;
        for (std::size_t b = 0; b < solver.fluid().size(); ++b)
            for (const FluidParticle& p : solver.fluid()[b].particles)
                state.insert(state.end(), {p.x.x, p.x.y, p.x.z, p.v.x, p.v.y, p.v.z});
        return state;
    };
    EXPECT_EQ(run(1), run(3));
}

} // namespace
} // namespace floe::coupled
