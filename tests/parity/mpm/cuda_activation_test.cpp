// What sleeps and wakes on the CUDA solver, against the CPU solver.
#include "cuda_device.hpp"

#include "cpu_backend.hpp"
#include "cuda_stepper.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <random>

namespace floe::mpm {
namespace {

constexpr double kDx = 0.05;

SolverMaterial rubber()
{
    SolverMaterial m;
    m.name = "rubber";
    m.law.kind = physics::LawKind::fixedCorotated;
    m.law.density = 1000;
    const physics::Lame soft = physics::lameFromYoung(1e5f, 0.3f);
    m.law.fixedCorotated = {soft.mu, soft.lambda};
    return m;
}

SolverMaterial water()
{
    SolverMaterial m;
    m.name = "water";
    m.law.kind = physics::LawKind::liquid;
    m.law.density = 1000;
    m.law.liquid = {5e4f, 7, 0.1f, 0};
    return m;
}

/// Eight particles a cell of a box.
void addBox(Stepper& solver, Vec3d low, Vec3d high,
            const std::function<Vec3d(std::size_t)>& velocity, std::uint16_t material = 0)
{
    std::vector<float> x, v, volume;
    const double h = kDx / 2;
    for (double a = low.x + h / 2; a < high.x; a += h)
        for (double b = low.y + h / 2; b < high.y; b += h)
            for (double c = low.z + h / 2; c < high.z; c += h) {
                const Vec3d u = velocity(volume.size());
                for (const double p : {a, b, c})
                    x.push_back(static_cast<float>(p));
                for (int axis = 0; axis < 3; ++axis)
                    v.push_back(static_cast<float>(u[axis]));
                volume.push_back(static_cast<float>(h * h * h));
            }
    NewParticles particles;
    particles.count = volume.size();
    particles.material = material;
    particles.x = x.data();
    particles.v = v.data();
    particles.volume = volume.data();
    solver.addParticles(particles);
}

Vec3d still(std::size_t)
{
    return {0, 0, 0};
}

/// Both solvers, alike.
struct Pair {
    SerialExecutor serial;
    std::unique_ptr<Stepper> solvers[2];

    explicit Pair(const SolverSettings& settings)
        : solvers{makeCpuStepper(settings, serial),
                  makeCudaStepper(settings, test::cudaDevice(), serial)}
    {
        for (auto& solver : solvers)
            solver->setMaterials({rubber(), water()});
    }
};

SolverSettings settings()
{
    SolverSettings s;
    s.cellSize = kDx;
    s.gravity = {0, 0, 0};
    s.wakeSpeed = 0.05;
    return s;
}

struct Motion {
    Vec3d momentum{0, 0, 0};
    double moved = 0; ///< mean over those that slept [m]
};
Motion motionOf(Stepper& solver, std::size_t slept, const std::vector<float>& from)
{
    const std::size_t n = solver.particleCount();
    std::vector<float> x(3 * n), v(3 * n), mass(n);
    std::vector<std::uint64_t> id(n);
    Snapshot to;
    to.x = x.data();
    to.v = v.data();
    to.mass = mass.data();
    to.id = id.data();
    solver.snapshot(to);
    Motion motion;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            motion.momentum[static_cast<int>(axis)] += double(mass[i]) * v[3 * i + axis];
        if (id[i] < slept && !from.empty())
            motion.moved +=
                (double(x[3 * i + 1]) - from[3 * id[i] + 1]) / static_cast<double>(slept);
    }
    return motion;
}
std::vector<float> positionsById(Stepper& solver)
{
    const std::size_t n = solver.particleCount();
    std::vector<float> x(3 * n), sorted(3 * n);
    std::vector<std::uint64_t> id(n);
    Snapshot to;
    to.x = x.data();
    to.id = id.data();
    solver.snapshot(to);
    for (std::size_t i = 0; i < n; ++i)
        std::copy_n(&x[3 * i], 3, &sorted[3 * id[i]]);
    return sorted;
}

} // namespace

// Both group particles when they have drifted by a cell, not in the same step: a particle may count
// with the block beside for a while, so blocks need not wake in the very same step.
TEST(CudaActivation, TheGuardPassesTheSameBlowOn)
{
    SolverSettings equalSteps = settings();
    equalSteps.longestStep = 5e-4;
    Pair pair(equalSteps);
    Motion motion[2];
    Counts counts[2];
    std::uint64_t wakes[2];
    for (int i = 0; i < 2; ++i) {
        Stepper& solver = *pair.solvers[i];
        addBox(solver, {-0.4, 0, -0.2}, {0.4, 0.2, 0.2}, still);
        const std::size_t slept = solver.particleCount();
        ActivationRequest request = solver.activationRequest();
        std::fill(request.state.begin(), request.state.end(), std::uint8_t(0));
        solver.applyActivation(request);
        const std::vector<float> from = positionsById(solver);
        addBox(solver, {-0.1, 0.25, -0.1}, {0.1, 0.4, 0.1}, [](std::size_t) {
            return Vec3d{0, -4, 0};
        });
        for (const double end = 0.02; end - solver.time() > 1e-9;)
            solver.advance(end - solver.time());
        motion[i] = motionOf(solver, slept, from);
        counts[i] = solver.counts();
        wakes[i] = solver.takeStatistics().guardWakes;
    }
    EXPECT_GT(wakes[0], 4u);
    EXPECT_NEAR(double(counts[1].activeBlocks), double(counts[0].activeBlocks),
                0.1 * double(counts[0].activeBlocks) + 1);
    EXPECT_LT(motion[0].momentum.y, -10);
    EXPECT_NEAR(motion[1].momentum.y, motion[0].momentum.y, -0.02 * motion[0].momentum.y);
    EXPECT_LT(motion[0].moved, -0.02 * kDx);
    EXPECT_NEAR(motion[1].moved, motion[0].moved, -0.03 * motion[0].moved);
}

TEST(CudaActivation, WhatRequestsSayIsTheSame)
{
    Pair pair(settings());
    std::map<BlockCoordinate, std::array<float, 4>> said[2];
    std::map<BlockCoordinate, std::array<float, 64>> speed[2];
    for (int i = 0; i < 2; ++i) {
        Stepper& solver = *pair.solvers[i];
        std::mt19937 random(3);
        std::uniform_real_distribution<double> any(-1, 1);
        addBox(solver, {-0.3, 0, -0.1}, {0.3, 0.2, 0.1}, [&](std::size_t) {
            return Vec3d{any(random), any(random), any(random)};
        });
        addBox(solver, {0.2, 0.2, -0.1}, {0.5, 0.3, 0.1}, still, 1);
        const ActivationRequest request = solver.activationRequest();
        for (std::size_t b = 0; b < request.state.size(); ++b)
            said[i][{request.block[3 * b], request.block[3 * b + 1], request.block[3 * b + 2]}] = {
                request.soundSpeed[b], request.liquidShare[b], float(request.state[b]),
                std::round(1e4f * request.maxSpeed[b])};
        const SpeedField field = solver.speedField();
        for (std::size_t b = 0; b < field.block.size() / 3; ++b)
            std::copy_n(
                &field.speed[64 * b], 64,
                speed[i][{field.block[3 * b], field.block[3 * b + 1], field.block[3 * b + 2]}]
                    .begin());
    }
    EXPECT_EQ(said[0], said[1]);
    EXPECT_GT(said[0].begin()->second[3], 0); // before any step
    ASSERT_EQ(speed[0].size(), speed[1].size());
    ASSERT_FALSE(speed[0].empty());
    for (const auto& [block, cells] : speed[0])
        for (std::size_t cell = 0; cell < 64; ++cell)
            EXPECT_NEAR(speed[1].at(block)[cell], cells[cell], 1e-3); // 2^-12 m/s a particle
}

// Particles are added passive where that is wanted, and what never sleeps does not.
TEST(CudaActivation, ItStartsAsleepAndTheRestlessStayAwake)
{
    SolverSettings s = settings();
    s.startsPassive = true;
    Pair pair(s);
    for (auto& solver : pair.solvers) {
        SolverMaterial restless = water();
        restless.sleeps = false;
        solver->setMaterials({rubber(), restless});
        addBox(*solver, {0, 0, 0}, {0.2, 0.2, 0.2}, still);
        EXPECT_EQ(solver->counts().activeBlocks, 0u);
        addBox(*solver, {1, 0, 0}, {1.2, 0.2, 0.2}, still, 1);
        const Counts counts = solver->counts();
        EXPECT_GT(counts.activeBlocks, 0u);
        ActivationRequest request = solver->activationRequest();
        std::fill(request.state.begin(), request.state.end(), std::uint8_t(0));
        solver->applyActivation(request);
        EXPECT_EQ(solver->counts().activeBlocks, counts.activeBlocks);
    }
}

// What is forked goes on as the original would.
TEST(CudaActivation, AForkGoesOnAlike)
{
    Pair pair(settings());
    for (auto& solver : pair.solvers) {
        addBox(*solver, {0, 0, 0}, {0.2, 0.2, 0.2}, [](std::size_t) { return Vec3d{0, 1, 0}; });
        addBox(*solver, {0, 0.2, 0}, {0.2, 0.4, 0.2}, still);
        solver->advance(1e-3);
        const auto fork = solver->fork();
        for (int i = 0; i < 5; ++i) {
            fork->advance(1e-3);
            solver->advance(1e-3);
        }
        EXPECT_EQ(positionsById(*solver), positionsById(*fork));
    }
}

} // namespace floe::mpm
