// Cubic kernels: what holds for quadratic ones holds, and crossing cells makes less noise.

#include "scene.hpp"

#include <gtest/gtest.h>

using namespace floe::mpm;

namespace {

SolverSettings settings(Kernel spline, double cell = 0.1)
{
    SolverSettings s;
    s.cellSize = cell;
    s.gravity = {0, 0, 0};
    s.kernel = spline;
    return s;
}

Lattice spinningBlock(double cell, double half, Vec3d center, Vec3d velocity)
{
    Lattice block(center - half * Vec3d{1, 1, 1}, center + half * Vec3d{1, 1, 1}, cell);
    for (std::size_t i = 0; i < block.count(); ++i) {
        const Vec3d r = Vec3d{block.x[3 * i], block.x[3 * i + 1], block.x[3 * i + 2]} - center;
        const Vec3d v = velocity + floe::physics::cross(Vec3d{0, 1, 2}, r);
        for (int axis = 0; axis < 3; ++axis)
            block.v[3 * i + axis] = static_cast<float>(v[axis]);
    }
    return block;
}

} // namespace

// An affine velocity field goes to the grid and back unchanged, wherever in their cells the
// particles are: the mean by partition of unity, the gradient by D = h^2/3. Particles that lose a
// node at a block's border would show. The outermost cells see matter on one side alone: left out.
TEST(Cubic, AnAffineFieldIsReproduced)
{
    SerialExecutor serial;
    Solver solver(settings(Kernel::cubic), serial);
    solver.setMaterials({material("fixedCorotated", 1000, {{"youngModulus", 1}})});
    Lattice block({-1.03, -0.97, -1.01}, {1.03, 0.97, 1.01}, 0.1, {0, 0, 0}, 3);
    for (std::size_t i = 0; i < block.count(); ++i) {
        const float *x = &block.x[3 * i], y = x[1], z = x[2];
        block.v[3 * i] = 0.3f + 0.2f * y - 0.1f * z;
        block.v[3 * i + 1] = -0.2f * x[0] + 0.4f * z;
        block.v[3 * i + 2] = 0.1f * x[0] - 0.4f * y;
    }
    solver.addParticles(block.particles());
    // The lattice brings no C: particles of one cell then differ from the field by its variation
    // over the kernel. After one step they have the gradient.
    const double dt = 1e-4;
    solver.advance(dt);
    const Frame first(solver);
    solver.advance(dt);
    const Frame second(solver);
    int checked = 0;
    for (std::size_t i = 0; i < second.id.size(); ++i) {
        const float* x = &first.x[3 * i];
        if (std::abs(x[0]) > 0.5f || std::abs(x[1]) > 0.5f || std::abs(x[2]) > 0.5f)
            continue;
        ++checked;
        // 8.5 particles a cell and axis: their sums differ from the integrals by some per mille.
        ASSERT_NEAR(second.v[3 * i], 0.3 + 0.2 * x[1] - 0.1 * x[2], 1e-3);
        ASSERT_NEAR(second.v[3 * i + 1], -0.2 * x[0] + 0.4 * x[2], 1e-3);
        ASSERT_NEAR(second.v[3 * i + 2], 0.1 * x[0] - 0.4 * x[1], 1e-3);
    }
    EXPECT_GT(checked, 20000);
}

TEST(Cubic, MomentumAndAngularMomentumAreKept)
{
    SerialExecutor serial;
    for (const char* law : {"fixedCorotated", "vonMises"}) {
        Solver solver(settings(Kernel::cubic), serial);
        solver.setMaterials({material(law, 400, {{"youngModulus", 1e5}})});
        solver.addParticles(spinningBlock(0.1, 0.4, {0.03, 0.07, 0}, {1, 0, 0}).particles());
        solver.addParticles(spinningBlock(0.1, 0.3, {1.1, 0.2, 0.1}, {-1, 0, 0}).particles());
        solver.advance(1e-3); // the lattice has no C yet: the first step gives it one
        const Totals before = totals(solver);
        run(solver, 0.4); // they meet, and cross many cells
        // Weights sum to one but for rounding, in every step.
        const double rounding = 1e-7 * solver.takeStatistics().steps;
        const Totals after = totals(solver);
        EXPECT_EQ(after.mass, before.mass);
        const double size = floe::physics::length(before.angularMomentum);
        for (int axis = 0; axis < 3; ++axis) {
            EXPECT_NEAR(after.momentum[axis], before.momentum[axis], rounding * before.mass) << law;
            EXPECT_NEAR(after.angularMomentum[axis], before.angularMomentum[axis], 3e-4 * size)
                << law;
        }
    }
}

// A cube that spins keeps its shape: centrifugal strain is rho w^2 r^2 / E = 5e-4.
TEST(Cubic, RigidRotationLeavesFARotation)
{
    SerialExecutor serial;
    Solver solver(settings(Kernel::cubic, 0.05), serial);
    solver.setMaterials({material("fixedCorotated", 1000, {{"youngModulus", 1e6}})});
    solver.addParticles(spinningBlock(0.05, 0.2, {0, 0, 0}, {0, 0, 0}).particles());
    run(solver, 0.5);
    const Frame frame(solver);
    double turn = 0;
    for (std::size_t i = 0; i < frame.id.size(); ++i) {
        const float* F = &frame.F[9 * i];
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                ASSERT_NEAR(F[a] * F[b] + F[3 + a] * F[3 + b] + F[6 + a] * F[6 + b], a == b, 0.01);
        turn += std::acos((F[0] + F[4] + F[8] - 1) / 2) / static_cast<double>(frame.id.size());
    }
    EXPECT_GT(turn, 0.8); // of 0.5 sqrt(5) = 1.1 less what C took of the spin at the start
}

TEST(Cubic, FreeFallIsExactToRounding)
{
    SerialExecutor serial;
    SolverSettings s = settings(Kernel::cubic, 0.05);
    s.gravity = {0, -9.81, 0};
    Solver solver(s, serial);
    solver.setMaterials({material("snow", 400)});
    solver.addParticles(Lattice({0, 0, 0}, {0.4, 0.4, 0.4}, 0.05).particles());
    run(solver, 0.3); // 0.44 m: nine cells
    const double steps = solver.takeStatistics().steps;
    const Frame frame(solver);
    for (std::size_t i = 0; i < frame.id.size(); ++i) {
        ASSERT_NEAR(frame.v[3 * i + 1], -9.81 * 0.3, 1e-7 * steps * 2.943);
        ASSERT_NEAR(frame.J[i], 1, 1e-5);
    }
}

// A bar stretched evenly (F = 1.05 along x) glides through the grid: its stress is one number, so
// every force on an inner node is the quadrature error of particles between nodes (Steffen et al.
// 2008). The smoother kernel makes less of it.
TEST(Cubic, CrossingCellsMakesLessNoise)
{
    SerialExecutor serial;
    const auto noise = [&](Kernel spline) {
        SolverSettings s = settings(spline);
        Solver solver(s, serial);
        solver.setMaterials({material("neoHookean", 1000, {{"youngModulus", 1e5}})});
        // Squeezed by its velocity for a moment, then let go: particles no longer sit on a lattice
        // that fits the cells.
        Lattice bar({0, 0, 0}, {2, 2, 2}, 0.1);
        for (std::size_t i = 0; i < bar.count(); ++i)
            for (int axis = 0; axis < 3; ++axis) {
                const double x = bar.x[3 * i + axis];
                bar.x[3 * i + axis] = static_cast<float>(1.137 * x);
                bar.v[3 * i + axis] =
                    static_cast<float>(axis == 0 ? 1 : 0) - 0.8f * (bar.x[3 * i + axis] - 1.137f);
            }
        for (float& volume : bar.volume)
            volume *= static_cast<float>(1.137 * 1.137 * 1.137);
        solver.addParticles(bar.particles());
        run(solver, 0.03);
        // Deep inside, further than sound came (10 m/s), the field stays linear.
        const Frame frame(solver);
        double sum = 0;
        int count = 0;
        double mean = 0;
        for (int pass = 0; pass < 2; ++pass) {
            for (std::size_t i = 0; i < frame.id.size(); ++i) {
                bool inside = true;
                for (int axis = 0; axis < 3; ++axis)
                    inside = inside && std::abs(bar.x[3 * i + axis] - 1.137f) < 0.55f;
                if (!inside)
                    continue;
                if (pass == 0) {
                    mean += frame.J[i];
                    ++count;
                } else {
                    sum += (frame.J[i] - mean) * (frame.J[i] - mean);
                }
            }
            if (pass == 0)
                mean /= count;
        }
        EXPECT_GT(count, 1000);
        EXPECT_LT(mean, 0.97); // it is squeezed
        return std::sqrt(sum / count);
    };
    EXPECT_LT(noise(Kernel::cubic), 0.6 * noise(Kernel::quadratic));
}

// Second order in space, as with quadratic kernels: a standing wave's period against L / c.
TEST(Cubic, ABarSwingsAtItsSpeedOfSound)
{
    SerialExecutor serial;
    const auto period = [&](double cell) {
        SolverSettings s = settings(Kernel::cubic, cell);
        Solver solver(s, serial);
        const double E = 1e5, length = 1.6, k = M_PI / length;
        solver.setMaterials(
            {material("fixedCorotated", 1000, {{"youngModulus", E}, {"poissonRatio", 0}})});
        Lattice bar({0, 0, 0}, {length, 0.2, 0.2}, cell);
        for (std::size_t i = 0; i < bar.count(); ++i)
            bar.v[3 * i] = static_cast<float>(0.05 * std::cos(k * bar.x[3 * i]));
        solver.addParticles(bar.particles());
        double previous = 1, last = 0;
        while (solver.time() < 0.6) {
            solver.advance(0.002);
            const Frame f(solver);
            double amplitude = 0;
            for (std::size_t i = 0; i < f.id.size(); ++i)
                amplitude += f.v[3 * i] * std::cos(k * bar.x[3 * i]);
            if (amplitude * previous < 0) { // between the two, by their sizes
                const double now = solver.time();
                const double at =
                    now - 0.002 * std::abs(amplitude) / (std::abs(amplitude) + std::abs(previous));
                if (last > 0)
                    return 2 * (at - last);
                last = at;
            }
            previous = amplitude;
        }
        return 0.0;
    };
    const double exact = 2 * 1.6 / 10;
    const double coarse = std::abs(period(0.1) / exact - 1),
                 fine = std::abs(period(0.05) / exact - 1);
    EXPECT_LT(fine, 0.04);
    EXPECT_LT(fine,
              0.6 * coarse + 0.002); // free ends, where half a kernel is empty, are first order
}

TEST(Cubic, ThreadsRestartsAndInstructionSetsAgree)
{
    SerialExecutor serial;
    ThreadExecutor threads(4);
    const auto fill = [](Solver& solver) {
        solver.setMaterials({material("snow", 400), material("liquid", 1000)});
        Domain box;
        box.bounded = true;
        box.center = {0, 1, 0};
        box.faces = {Contact::separate, Contact::slip,     Contact::separate,
                     Contact::open,     Contact::separate, Contact::stick};
        solver.setDomain(box);
        solver.addParticles(
            Lattice({-0.4, 0.1, -0.4}, {0.4, 0.3, 0.4}, 0.1, {0, -3, 0}).particles(0));
        solver.addParticles(
            Lattice({-0.3, 0.5, -0.3}, {0.3, 0.8, 0.3}, 0.1, {3, -4, 0.3}).particles(1));
    };
    SolverSettings s = settings(Kernel::cubic);
    s.gravity = {0, -9.81, 0};
    s.transfer = Transfer::picFlip;
    Solver one(s, serial), many(s, threads), base(s, serial), second(s, serial);
    base.setKernels(kBaselineKernels);
    for (Solver* solver : {&one, &many, &base, &second})
        fill(*solver);
    run(one, 0.05);
    run(many, 0.05);
    run(base, 0.05);
    ASSERT_EQ(one.save(), many.save());
    second.load(one.save());
    const Frame a(one), b(base);
    for (std::size_t i = 0; i < a.x.size(); ++i) // rounding, before chaos
        ASSERT_NEAR(a.x[i], b.x[i], 1e-4);
    run(one, 0.05);
    run(second, 0.05);
    EXPECT_EQ(one.save(), second.save());
}

TEST(Cubic, SplinesCannotChangeWithParticles)
{
    SerialExecutor serial;
    Solver solver(settings(Kernel::cubic), serial);
    solver.setMaterials({material("snow", 400)});
    solver.addParticles(Lattice({0, 0, 0}, {0.2, 0.2, 0.2}, 0.1).particles());
    EXPECT_THROW(solver.setSettings(settings(Kernel::quadratic)), std::invalid_argument);
}
