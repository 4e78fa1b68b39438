// Local time steps: soft matter takes long steps while stiff matter takes several. They conserve,
// repeat bit for bit, and end where steps of all blocks end.

#include "scene.hpp"

#include <gtest/gtest.h>

using namespace floe::mpm;

namespace {

SolverSettings settings(bool local)
{
    SolverSettings s;
    s.cellSize = 0.05;
    s.gravity = {0, 0, 0};
    s.localTimeSteps = local;
    return s;
}

constexpr double kSoft = 2e4, kStiff = 2e7; ///< Young's moduli [Pa]

/// A stiff cube inside a soft one, which moves and spins: no wall, no gravity.
void fillFree(Stepper& solver)
{
    solver.setMaterials({material("neoHookean", 1000, {{"youngModulus", kSoft}}),
                         material("fixedCorotated", 1000, {{"youngModulus", kStiff}})});
    Lattice soft, stiff;
    const Lattice all({-0.8, -0.6, -0.6}, {1.6, 0.6, 0.6}, 0.05);
    for (std::size_t i = 0; i < all.count(); ++i) {
        const Vec3d at{all.x[3 * i], all.x[3 * i + 1], all.x[3 * i + 2]};
        const Vec3d velocity{0.5 - 0.3 * at.y, 0.3 * at.x, 0.2 * at.x};
        const bool inside = std::max({std::abs(at.x + 0.4), std::abs(at.y), std::abs(at.z)}) < 0.2;
        (inside ? stiff : soft).add(at, velocity, all.volume[i]);
    }
    solver.addParticles(soft.particles(0));
    solver.addParticles(stiff.particles(1));
}

/// A stiff ball falls into a bed of soft matter between walls of all kinds.
void fillBed(Stepper& solver)
{
    solver.setMaterials({material("neoHookean", 1000, {{"youngModulus", kSoft}}),
                         material("fixedCorotated", 2000, {{"youngModulus", kStiff}})});
    Domain box;
    box.bounded = true;
    box.center = {0, 1, 0};
    box.halfSize = {1.2, 1, 0.8};
    box.faces = {Contact::separate, Contact::slip,     Contact::stick,
                 Contact::open,     Contact::separate, Contact::slip};
    box.friction = 0.3f;
    solver.setDomain(box);
    solver.addParticles(Lattice({-1.2, 0, -0.8}, {1.2, 0.6, 0.8}, 0.05).particles(0));
    Lattice ball;
    const Lattice cube({-0.8, 0.6, -0.2}, {-0.4, 1.0, 0.2}, 0.05, {0, -2, 0});
    for (std::size_t i = 0; i < cube.count(); ++i) {
        const Vec3d at{cube.x[3 * i] + 0.6, cube.x[3 * i + 1] - 0.8, cube.x[3 * i + 2]};
        if (floe::physics::length(at) < 0.2)
            ball.add({cube.x[3 * i], cube.x[3 * i + 1], cube.x[3 * i + 2]}, {0, -2, 0},
                     cube.volume[i]);
    }
    solver.addParticles(ball.particles(1));
}

SolverSettings bedSettings(bool local)
{
    SolverSettings s = settings(local);
    s.gravity = {0, -9.81, 0};
    return s;
}

/// Runs in frames, as the node does.
void runFrames(Stepper& solver, int frames, double frame = 0.02)
{
    for (int i = 0; i < frames; ++i)
        run(solver, frame);
}

} // namespace

TEST(LocalSteps, SaveMostStepsOfSoftMatter)
{
    SerialExecutor serial;
    Solver solver(settings(true), serial);
    fillFree(solver);
    run(solver, 0.05);
    const StepStatistics steps = solver.takeStatistics();
    EXPECT_GT(steps.longSteps, 5u);
    EXPECT_GT(steps.stepsInLong, 8u * steps.longSteps);
    EXPECT_GT(steps.particleStepsSaved, steps.particleSteps);
}

// Every particle's share of momentum is handed on, never made: rounding of sums, 2e5 numbers, 500
// steps.
TEST(LocalSteps, MomentumIsKept)
{
    SerialExecutor serial;
    Solver solver(settings(true), serial);
    fillFree(solver);
    const Totals before = totals(solver);
    runFrames(solver, 10);
    EXPECT_GT(solver.takeStatistics().longSteps, 50u);
    const Totals after = totals(solver);
    EXPECT_EQ(after.mass, before.mass);
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(after.momentum[axis], before.momentum[axis], 1e-5 * before.mass);
}

TEST(LocalSteps, EnergyDoesNotGrow)
{
    SerialExecutor serial;
    Solver solver(settings(true), serial);
    fillFree(solver);
    run(solver, 0.02);
    const Totals before = totals(solver);
    double last = before.kineticEnergy + before.elasticEnergy;
    const double first = last;
    for (int i = 0; i < 20; ++i) {
        run(solver, 0.02);
        const Totals t = totals(solver);
        last = t.kineticEnergy + t.elasticEnergy;
        EXPECT_LT(last, 1.005 * first) << i;
    }
}

// What falls freely stays as it is, whatever steps it takes.
TEST(LocalSteps, FreeFallIsExactToRounding)
{
    SerialExecutor serial;
    Solver solver(bedSettings(true), serial);
    solver.setMaterials({material("neoHookean", 1000, {{"youngModulus", kSoft}}),
                         material("fixedCorotated", 1000, {{"youngModulus", kStiff}})});
    solver.addParticles(Lattice({0, 0, 0}, {0.4, 0.4, 0.4}, 0.05).particles(1));
    solver.addParticles(Lattice({0.4, 0, 0}, {1.6, 0.4, 0.4}, 0.05).particles(0));
    run(solver, 0.1);
    EXPECT_GT(solver.takeStatistics().longSteps, 10u);
    const Frame frame(solver);
    for (std::size_t i = 0; i < frame.id.size(); ++i) {
        ASSERT_NEAR(frame.v[3 * i + 1], -0.981, 1e-4);
        ASSERT_NEAR(frame.J[i], 1, 1e-4);
    }
}

TEST(LocalSteps, OneThreadAndManyGiveTheSameBits)
{
    SerialExecutor serial;
    ThreadExecutor two(2), four(4);
    Solver one(bedSettings(true), serial), pair(bedSettings(true), two),
        many(bedSettings(true), four);
    for (Solver* solver : {&one, &pair, &many}) {
        fillBed(*solver);
        runFrames(*solver, 3);
        EXPECT_GT(solver->takeStatistics().longSteps, 5u);
    }
    EXPECT_EQ(one.save(), pair.save());
    EXPECT_EQ(one.save(), many.save());
}

TEST(LocalSteps, SavingAndLoadingChangesNothing)
{
    SerialExecutor serial;
    Solver whole(bedSettings(true), serial);
    fillBed(whole);
    runFrames(whole, 3);
    const std::vector<unsigned char> state = whole.save();
    Solver second(bedSettings(true), serial);
    fillBed(second);
    second.load(state);
    ASSERT_EQ(second.save(), state);
    runFrames(whole, 3);
    runFrames(second, 3);
    EXPECT_EQ(whole.save(), second.save());
}

// The ball's way, and the soft matter's, are those of steps of all blocks: within a twentieth of a
// cell and a hundredth of the speed it fell with.
TEST(LocalSteps, EndWhereStepsOfAllBlocksEnd)
{
    SerialExecutor serial;
    Solver local(bedSettings(true), serial), global(bedSettings(false), serial);
    Frame before = [&] {
        fillBed(local);
        return Frame(local);
    }();
    fillBed(global);
    const auto ball = [&](Stepper& solver) {
        const Frame frame(solver);
        Vec3d sum{0, 0, 0};
        double count = 0;
        for (std::size_t i = 0; i < frame.id.size(); ++i)
            if (frame.mass[i] > 1.5f * frame.mass[0]) {
                sum = sum + Vec3d{frame.x[3 * i], frame.x[3 * i + 1], frame.x[3 * i + 2]};
                ++count;
            }
        return (1 / count) * sum;
    };
    for (int i = 0; i < 8; ++i) {
        run(local, 0.04);
        run(global, 0.04);
        const Vec3d away = ball(local) - ball(global);
        EXPECT_LT(floe::physics::length(away), 0.05 * 0.05) << i;
        const Vec3d mean = Frame(local).meanPosition() - Frame(global).meanPosition();
        EXPECT_LT(floe::physics::length(mean), 0.02 * 0.05) << i;
        const Totals a = totals(local), b = totals(global);
        std::printf("%d ball %.2e mean %.2e energy %.5g %.5g elastic %.5g %.5g\n", i,
                    floe::physics::length(away), floe::physics::length(mean), a.kineticEnergy,
                    b.kineticEnergy, a.elasticEnergy, b.elasticEnergy);
    }
    const StepStatistics l = local.takeStatistics(), g = global.takeStatistics();
    std::printf(
        "steps %u long %u redone %u saved %.3f; global %u\n", l.steps, l.longSteps, l.redone,
        double(l.particleStepsSaved) / double(l.particleSteps + l.particleStepsSaved), g.steps);
    EXPECT_GT(l.longSteps, 50u);
}
