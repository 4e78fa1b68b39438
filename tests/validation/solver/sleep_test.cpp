// A heap that comes to rest, sleeps, and is struck.

#include "heap.hpp"

#include <cstdint>

#include <gtest/gtest.h>

using namespace floe::mpm;

TEST(Activation, ARestingHeapFallsAsleepAndWakesOnImpact)
{
    SerialExecutor serial;
    Solver solver(settings(), serial);
    fill(solver);
    const SpeedThreshold strategy(0.05f, 0.1f);
    runWith(solver, strategy, 2.0, 40);
    const Counts passive = solver.counts();
    EXPECT_EQ(passive.activeBlocks, 0u) << "of " << passive.blocks;
    const Frame before(solver);
    runWith(solver, strategy, 0.2, 4);
    const Frame after(solver);
    EXPECT_EQ(before.x, after.x); // passive is not moving at all

    // a snowball falls onto it
    solver.addParticles(Lattice({0.4, 0.9, 0.2}, {0.8, 1.3, 0.6}, 0.1, {0, -5, 0}).particles(1));
    std::uint64_t mostActive = 0;
    for (int i = 0; i < 20; ++i) {
        runWith(solver, strategy, 0.02, 1);
        mostActive = std::max(mostActive, solver.counts().activeParticles);
    }
    EXPECT_GT(mostActive, 512u + 500u); // more than the ball itself
    const Frame end(solver);
    double moved = 0;
    for (std::size_t i = 0; i < before.id.size(); ++i)
        moved =
            std::max(moved, std::abs(static_cast<double>(end.x[3 * i + 1]) - before.x[3 * i + 1]));
    EXPECT_GT(moved, 0.005); // the impact was felt below
    EXPECT_EQ(solver.particleCount(), before.id.size() + 512);
    // and it rests again, on top
    runWith(solver, strategy, 3.0, 60);
    EXPECT_LT(solver.counts().activeBlocks, solver.counts().blocks / 4 + 1);
    double lowest = 1e9;
    const Frame last(solver);
    for (std::size_t i = before.id.size(); i < last.id.size(); ++i)
        lowest = std::min(lowest, static_cast<double>(last.x[3 * i + 1]));
    EXPECT_GT(lowest, 0.1);
}
