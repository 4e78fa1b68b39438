// The affine matrix of APIC, which liquids do not keep, and the stress that particles show.

#include "scene.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace floe::mpm;

namespace {

/// A block that spins, without gravity, stiff enough to stay a block.
Lattice spinningBlock(double cell)
{
    Lattice block({-0.4, -0.4, -0.4}, {0.4, 0.4, 0.4}, cell);
    for (std::size_t i = 0; i < block.count(); ++i) {
        block.v[3 * i] = -2 * block.x[3 * i + 1];
        block.v[3 * i + 1] = 2 * block.x[3 * i];
    }
    return block;
}

} // namespace

// What a particle shows is the law's closed form of the F it shows: Bonet and Wood 2008, eq. 6.28.
TEST(Transfer, StressIsTheLawsOfTheDeformationShown)
{
    SerialExecutor serial;
    SolverSettings settings;
    settings.cellSize = 0.1;
    Solver solver(settings, serial);
    const SolverMaterial rubber = material("neoHookean", 1000, {{"youngModulus", 1e5}});
    solver.setMaterials({rubber});
    solver.addParticles(spinningBlock(0.1).particles());
    for (int i = 0; i < 20; ++i)
        solver.advance(1); // in the midst of steps as well as at the end of a frame
    const std::size_t n = solver.particleCount();
    std::vector<float> F(9 * n), stress(6 * n);
    Snapshot to;
    to.F = F.data();
    to.stress = stress.data();
    solver.snapshot(to);
    const double mu = rubber.law.neoHookean.mu, lambda = rubber.law.neoHookean.lambda;
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const float* f = &F[9 * i];
        const auto b = [&](int r, int c) {
            return double(f[3 * r]) * f[3 * c] + double(f[3 * r + 1]) * f[3 * c + 1] +
                   double(f[3 * r + 2]) * f[3 * c + 2];
        };
        const double J = f[0] * (double(f[4]) * f[8] - double(f[5]) * f[7]) -
                         f[1] * (double(f[3]) * f[8] - double(f[5]) * f[6]) +
                         f[2] * (double(f[3]) * f[7] - double(f[4]) * f[6]);
        const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
        for (int k = 0; k < 6; ++k) {
            const double unit = rows[k] == columns[k] ? 1 : 0;
            const double expected =
                (mu * (b(rows[k], columns[k]) - unit) + unit * lambda * std::log(J)) / J;
            // single precision F: 1e-6 of the modulus
            ASSERT_NEAR(stress[6 * i + static_cast<std::size_t>(k)], expected,
                        1e-6 * (lambda + 2 * mu));
            most = std::max(most, std::abs(expected));
        }
    }
    EXPECT_GT(most, 10.0); // the spin does strain it
}

namespace {

/// A drop that turns and shears, its parts as stiff as `stiffness` says.
void addDrop(Solver& solver, float stiffness)
{
    Lattice drop({-0.4, -0.4, -0.4}, {0.4, 0.4, 0.4}, 0.1);
    for (std::size_t i = 0; i < drop.count(); ++i) {
        drop.v[3 * i] = -3 * drop.x[3 * i + 1] + drop.x[3 * i + 2];
        drop.v[3 * i + 1] = 3 * drop.x[3 * i];
    }
    const std::vector<float> scale(drop.count(), stiffness);
    NewParticles particles = drop.particles();
    particles.stiffnessScale = scale.data();
    solver.addParticles(particles);
}

} // namespace

// Liquids keep no C: after frames, rebins, new particles, and steps that were too long, it is
// gathered again from the nodes of the step before. Those of a stiffness of their own keep it, and
// have to move alike. Rounding differs, and chaos amplifies it.
TEST(Transfer, LiquidsThatKeepNoAffineMatrixMoveAlike)
{
    SerialExecutor serial;
    SolverSettings settings;
    settings.cellSize = 0.1;
    settings.gravity = {0, -2, 0};
    Solver lean(settings, serial), full(settings, serial);
    for (Solver* solver : {&lean, &full}) {
        const float stiffness = solver == &lean ? 1.0f : std::nextafter(1.0f, 2.0f);
        solver->setMaterials({material("liquid", 1000, {{"bulkModulus", 2e5}, {"viscosity", 5}})});
        addDrop(*solver, stiffness);
        run(*solver, 0.02);
        Lattice jet({0.5, -0.1, -0.1}, {0.7, 0.1, 0.1}, 0.1, {-6, 0, 1});
        const std::vector<float> scale(jet.count(), stiffness);
        NewParticles particles = jet.particles();
        particles.stiffnessScale = scale.data();
        solver->addParticles(particles);
        for (int frame = 0; frame < 30; ++frame)
            run(*solver, 0.005);
    }
    EXPECT_GT(lean.takeStatistics().rebins, 2u);
    const Frame got(lean), expected(full);
    ASSERT_EQ(got.id, expected.id);
    for (std::size_t i = 0; i < got.x.size(); ++i) {
        ASSERT_NEAR(got.x[i], expected.x[i], 1e-5) << i;
        ASSERT_NEAR(got.v[i], expected.v[i], 1e-3) << i;
    }
    for (std::size_t i = 0; i < got.J.size(); ++i)
        ASSERT_NEAR(got.J[i], expected.J[i], 1e-5) << i;
    EXPECT_NEAR(totals(lean).angularMomentum.z, totals(full).angularMomentum.z,
                1e-5 * std::abs(totals(full).angularMomentum.z));
}

// FLIP's velocities are not the grid's, so that C has to be kept from then on; nothing is lost.
TEST(Transfer, LiquidsKeepTheirAffineMatrixOnceItCannotBeGatheredAgain)
{
    SerialExecutor serial;
    SolverSettings settings;
    settings.cellSize = 0.1;
    Solver solver(settings, serial);
    solver.setMaterials({material("liquid", 1000)});
    addDrop(solver, 1);
    addDrop(solver, 2);
    run(solver, 0.05);
    const Totals before = totals(solver);
    const Frame frame(solver);
    settings.integrator = Integrator::semiImplicit;
    solver.setSettings(settings);
    const Totals after = totals(solver);
    EXPECT_TRUE(Frame(solver) == frame);
    EXPECT_NEAR(after.angularMomentum.z, before.angularMomentum.z,
                1e-9 * std::abs(before.angularMomentum.z));
    EXPECT_NEAR(after.kineticEnergy, before.kineticEnergy, 1e-9 * before.kineticEnergy);
    EXPECT_NEAR(after.elasticEnergy, before.elasticEnergy, 1e-9 * before.elasticEnergy);
    run(solver, 0.02);
    settings.integrator = Integrator::explicitEuler;
    solver.setSettings(settings);
    addDrop(solver, 1); // beside those that still keep it
    const std::vector<unsigned char> state = solver.save();
    run(solver, 0.02);
    Solver second(settings, serial);
    second.setMaterials({material("liquid", 1000)});
    second.load(state);
    run(second, 0.02);
    EXPECT_TRUE(Frame(solver) == Frame(second));
}
