// The same bits whatever the threads, and after a restart; the same physics on every instruction
// set.

#include "scene.hpp"

#include <gtest/gtest.h>

using namespace floe::mpm;

namespace {

/// Several materials fall onto a floor and each other: blocks are made, left and woken.
void fill(Solver& solver)
{
    solver.setMaterials({material("snow", 400), material("liquid", 1000),
                         material("druckerPrager", 1600), material("neoHookean", 1000)});
    Domain box;
    box.bounded = true;
    box.center = {0, 1, 0};
    box.halfSize = {1, 1, 1};
    box.faces = {Contact::separate, Contact::slip,     Contact::separate,
                 Contact::open,     Contact::separate, Contact::stick};
    box.friction = 0.3f;
    solver.setDomain(box);
    solver.addParticles(Lattice({-0.4, 0.1, -0.4}, {0.4, 0.3, 0.4}, 0.1).particles(0));
    solver.addParticles(
        Lattice({-0.3, 0.5, -0.3}, {0.3, 0.8, 0.3}, 0.1, {3, -4, 0.3}).particles(1));
    solver.addParticles(
        Lattice({-0.2, 0.9, -0.2}, {0.2, 1.2, 0.2}, 0.1, {-1, -6, 0.7}).particles(2));
    solver.addParticles(Lattice({0.3, 0.4, 0.2}, {0.7, 0.9, 0.6}, 0.1, {-5, 0, -3}).particles(3));
}

SolverSettings settings()
{
    SolverSettings s;
    s.cellSize = 0.1;
    return s;
}

} // namespace

TEST(Reproducibility, OneThreadAndManyGiveTheSameBits)
{
    SerialExecutor serial;
    ThreadExecutor threads(4);
    Solver one(settings(), serial), many(settings(), threads);
    fill(one);
    fill(many);
    for (int i = 0; i < 10; ++i) {
        run(one, 0.03);
        run(many, 0.03);
        ASSERT_TRUE(Frame(one) == Frame(many)) << "after " << one.time() << " s";
        ASSERT_EQ(one.save(), many.save());
    }
}

TEST(Reproducibility, SavingAndLoadingChangesNothing)
{
    SerialExecutor serial;
    Solver whole(settings(), serial);
    fill(whole);
    run(whole, 0.1);
    const std::vector<unsigned char> state = whole.save();
    run(whole, 0.2);

    Solver second(settings(), serial);
    fill(second); // whatever it held before
    run(second, 0.01);
    second.load(state);
    ASSERT_EQ(second.save(), state);
    run(second, 0.2);
    EXPECT_TRUE(Frame(whole) == Frame(second));
    EXPECT_EQ(whole.save(), second.save());
    // new particles get the ids they would have had
    const Lattice more({-0.1, 1.5, -0.1}, {0.1, 1.7, 0.1}, 0.1);
    whole.addParticles(more.particles(1));
    second.addParticles(more.particles(1));
    run(whole, 0.02);
    run(second, 0.02);
    EXPECT_TRUE(Frame(whole) == Frame(second));
}

TEST(Reproducibility, DamagedStatesAreRefused)
{
    SerialExecutor serial;
    Solver solver(settings(), serial);
    fill(solver);
    const std::vector<unsigned char> state = solver.save();
    const auto load = [&](std::vector<unsigned char> bytes) {
        solver.load(bytes);
    };
    EXPECT_THROW(load({}), std::runtime_error);
    for (std::size_t size : {std::size_t{7}, std::size_t{100}, state.size() / 2, state.size() - 1})
        EXPECT_THROW(load({state.begin(), state.begin() + static_cast<std::ptrdiff_t>(size)}),
                     std::runtime_error);
    auto longer = state;
    longer.push_back(0);
    EXPECT_THROW(load(longer), std::runtime_error);
    for (std::size_t at = 0; at < 400;
         ++at) { // any damaged header: refused or harmless, never a crash
        auto bytes = state;
        bytes[at] ^= 0xff;
        try {
            solver.load(bytes);
        } catch (const std::runtime_error&) {
        }
    }
    solver.load(state);
    run(solver, 0.01);
}

// Fused multiply-adds and other orders of lanes: rounding apart, it is one solver. The bodies are
// soft and the time short, so that chaos has not amplified rounding yet.
TEST(Reproducibility, EveryInstructionSetComputesTheSamePhysics)
{
    SerialExecutor serial;
    Solver base(settings(), serial);
    base.setKernels(kBaselineKernels);
    fill(base);
    run(base, 0.05);
    const Frame expected(base);
    for (const char* name : {"avx2", "avx512"}) {
        const Kernels* kernels = findKernels(name);
        if (!kernels)
            continue;
        Solver other(settings(), serial);
        other.setKernels(*kernels);
        fill(other);
        run(other, 0.05);
        const Frame got(other);
        ASSERT_EQ(got.id, expected.id);
        for (std::size_t i = 0; i < got.x.size(); ++i) {
            ASSERT_NEAR(got.x[i], expected.x[i], 1e-4) << name;
            ASSERT_NEAR(got.v[i], expected.v[i], 0.02) << name;
        }
    }
}

// Positions are kept relative to their block: a scene computed a kilometre away moves the same.
TEST(Reproducibility, FarFromTheOriginNothingIsLost)
{
    SerialExecutor serial;
    const auto speedAfter = [&](double shift) {
        SolverSettings s = settings();
        s.cellSize = 0.125; // a power of two: the shifted lattice is exactly the same one
        Solver solver(s, serial);
        solver.setMaterials({material("neoHookean", 1000)});
        solver.addParticles(
            Lattice({shift, 0, 0}, {shift + 1, 1, 1}, 0.125, {1, 0, 0}).particles());
        solver.addParticles(
            Lattice({shift + 1.25, 0, 0}, {shift + 2, 1, 1}, 0.125, {-1, 0, 0}).particles());
        run(solver, 0.3);
        return Frame(solver).v;
    };
    EXPECT_EQ(speedAfter(0), speedAfter(1024));
}
