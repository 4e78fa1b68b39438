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
    const Lattice all({-0.4, -0.3, -0.3}, {1.2, 0.3, 0.3}, 0.05);
    for (std::size_t i = 0; i < all.count(); ++i) {
        const Vec3d at{all.x[3 * i], all.x[3 * i + 1], all.x[3 * i + 2]};
        const Vec3d velocity{0.5 - 0.3 * at.y, 0.3 * at.x, 0.2 * at.x};
        const bool inside = std::max({std::abs(at.x + 0.2), std::abs(at.y), std::abs(at.z)}) < 0.1;
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
    box.halfSize = {0.8, 1, 0.4};
    box.faces = {Contact::separate, Contact::slip,     Contact::stick,
                 Contact::open,     Contact::separate, Contact::slip};
    box.friction = 0.3f;
    solver.setDomain(box);
    solver.addParticles(Lattice({-0.8, 0, -0.4}, {0.8, 0.4, 0.4}, 0.05).particles(0));
    Lattice ball;
    const Vec3d center{-0.4, 0.55, 0};
    const Lattice cube(center - 0.15 * Vec3d{1, 1, 1}, center + 0.15 * Vec3d{1, 1, 1}, 0.05);
    for (std::size_t i = 0; i < cube.count(); ++i) {
        const Vec3d at{cube.x[3 * i], cube.x[3 * i + 1], cube.x[3 * i + 2]};
        if (floe::physics::length(at - center) < 0.15)
            ball.add(at, {0, -2, 0}, cube.volume[i]);
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
    EXPECT_GT(solver.takeStatistics().longSteps, 40u);
    const Totals after = totals(solver);
    EXPECT_EQ(after.mass, before.mass);
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(after.momentum[axis], before.momentum[axis], 1e-5 * before.mass);
}

// Half a per cent for the stress evaluated at the old positions (symplectic Euler).
TEST(LocalSteps, EnergyDoesNotGrow)
{
    SerialExecutor serial;
    Solver solver(settings(true), serial);
    fillFree(solver);
    run(solver, 0.02);
    const Totals before = totals(solver);
    const double first = before.kineticEnergy + before.elasticEnergy;
    for (int i = 0; i < 10; ++i) {
        run(solver, 0.02);
        const Totals t = totals(solver);
        EXPECT_LT(t.kineticEnergy + t.elasticEnergy, 1.005 * first) << i;
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

// The ball's way, and that of all matter, are those of steps of all blocks: within a twentieth and
// a fiftieth of a cell, while the ball falls in by a cell and is thrown out again. Energy differs
// by what a step loses: long steps of soft matter are fewer, and lose less.
TEST(LocalSteps, EndWhereStepsOfAllBlocksEnd)
{
    SerialExecutor serial;
    Solver local(bedSettings(true), serial), global(bedSettings(false), serial);
    fillBed(local);
    fillBed(global);
    const auto ball = [](const Frame& frame) {
        Vec3d sum{0, 0, 0};
        double count = 0;
        for (std::size_t i = 0; i < frame.id.size(); ++i)
            if (frame.mass[i] > 1.5f * frame.mass[0]) {
                sum = sum + Vec3d{frame.x[3 * i], frame.x[3 * i + 1], frame.x[3 * i + 2]};
                ++count;
            }
        return (1 / count) * sum;
    };
    const double h = local.settings().cellSize;
    for (int i = 0; i < 6; ++i) {
        run(local, 0.04);
        run(global, 0.04);
        const Frame a(local), b(global);
        EXPECT_LT(floe::physics::length(ball(a) - ball(b)), 0.05 * h) << local.time();
        EXPECT_LT(floe::physics::length(a.meanPosition() - b.meanPosition()), 0.02 * h)
            << local.time();
        const Totals s = totals(local), t = totals(global);
        EXPECT_NEAR(s.kineticEnergy + s.elasticEnergy, t.kineticEnergy + t.elasticEnergy,
                    0.1 * (t.kineticEnergy + t.elasticEnergy))
            << local.time();
    }
    const StepStatistics steps = local.takeStatistics();
    EXPECT_GT(steps.longSteps, 50u);
    EXPECT_LT(steps.redone, 5u);
}

// Where everything is stiff, or nothing, there is one kind of step, and its bits are those of steps
// of all blocks.
TEST(LocalSteps, StayOutOfTheWayWhereTheyDoNotPay)
{
    SerialExecutor serial;
    const auto after = [&](bool local, const char* law) {
        Solver solver(bedSettings(local), serial);
        solver.setMaterials({material(law, 1000, {{"youngModulus", kSoft}}),
                             material(law, 1000, {{"youngModulus", 2 * kSoft}})});
        solver.addParticles(Lattice({0, 0, 0}, {0.4, 0.4, 0.4}, 0.05).particles(0));
        solver.addParticles(Lattice({0.4, 0, 0}, {0.8, 0.4, 0.4}, 0.05, {1, 0, 0}).particles(1));
        run(solver, 0.05);
        EXPECT_EQ(solver.takeStatistics().longSteps, 0u);
        return Frame(solver);
    };
    for (const char* law : {"neoHookean", "druckerPrager"})
        EXPECT_TRUE(after(true, law) == after(false, law)) << law;
}

// A stiff cube that has been squeezed jumps apart: within a long step nodes get too fast for it,
// and it ends there. Nothing is lost by that.
TEST(LocalSteps, EndEarlyWhereSomethingGetsTooFast)
{
    SerialExecutor serial;
    Solver solver(settings(true), serial);
    solver.setMaterials({material("neoHookean", 1000, {{"youngModulus", kSoft}}),
                         material("fixedCorotated", 1000, {{"youngModulus", kStiff}})});
    solver.addParticles(Lattice({0.4, 0, 0}, {1.6, 0.4, 0.4}, 0.05).particles(0));
    const Lattice cube({0, 0, 0}, {0.4, 0.4, 0.4}, 0.05);
    std::vector<float> strain(9 * cube.count());
    for (std::size_t i = 0; i < cube.count(); ++i)
        for (std::size_t k = 0; k < 9; k += 4)
            strain[9 * i + k] = -0.08f;
    NewParticles squeezed = cube.particles(1);
    squeezed.strain = strain.data();
    solver.addParticles(squeezed);
    const Totals before = totals(solver);
    run(solver, 0.03);
    const StepStatistics steps = solver.takeStatistics();
    EXPECT_GT(steps.redone, 0u);
    EXPECT_GT(steps.longSteps, 0u);
    const Totals after = totals(solver);
    EXPECT_LT(after.kineticEnergy + after.elasticEnergy, 1.005 * before.elasticEnergy);
    for (int axis = 0; axis < 3; ++axis) // as above, of velocities of some metres a second
        EXPECT_NEAR(after.momentum[axis], 0, 1e-4 * before.mass);
}
