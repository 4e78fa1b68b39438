// Blocks that rest are left alone, and wake when they are struck.

#include "heap.hpp"

#include <gtest/gtest.h>

using namespace floe::mpm;

// Asking a strategy that never lets anything sleep is the plain solver, bit for bit.
TEST(Activation, AllActiveIsThePlainSolver)
{
    SerialExecutor serial;
    Solver plain(settings(), serial), asked(settings(), serial);
    fill(plain);
    fill(asked);
    const SpeedThreshold never(0, 1e9f);
    for (int i = 0; i < 5; ++i) {
        run(plain, 0.02);
        runWith(asked, never, 0.02, 1);
        ASSERT_TRUE(Frame(plain) == Frame(asked));
    }
}

// A sleeping lower half carries an active upper half: boundary blocks are on the grid, at rest.
TEST(Activation, BoundaryBlocksCarryActiveOnes)
{
    SerialExecutor serial;
    Solver solver(settings(), serial);
    solver.setMaterials({material("fixedCorotated", 1000, {{"youngModulus", 1e6}})});
    solver.setDomain(floorOnly());
    solver.addParticles(Lattice({0, 0, 0}, {0.8, 1.6, 0.8}, 0.1).particles());
    run(solver, 0.5);
    ActivationRequest request = solver.activationRequest();
    for (std::size_t i = 0; i < request.state.size(); ++i)
        request.state[i] = request.block[3 * i + 1] >= 2;
    solver.applyActivation(request);
    EXPECT_GT(solver.counts().boundaryBlocks, 0u);
    EXPECT_GT(solver.counts().activeBlocks, 0u);
    const double before = Frame(solver).meanPosition().y;
    SolverSettings s = settings();
    s.wakeSpeed = 0; // nobody wakes
    solver.setSettings(s);
    run(solver, 0.5);
    // it swings by its own weight's compression, rho g h / E = 1.6 % of 1.6 m; free fall would
    // be 1.2 m
    EXPECT_NEAR(Frame(solver).meanPosition().y, before, 0.05);
}
