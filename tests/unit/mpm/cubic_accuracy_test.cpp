// Cubic kernels: crossing cells makes less noise, and errors fall as fast as with quadratic ones.

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

} // namespace

// A bar stretched evenly (F = 1.05 along x) glides through the grid: its stress is one number, so
// every force on an inner node is the quadrature error of particles between nodes (Steffen et al.
// 2008). The smoother kernel makes less of it.
TEST(CubicAccuracy, CrossingCellsMakesLessNoise)
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
TEST(CubicAccuracy, ABarSwingsAtItsSpeedOfSound)
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

TEST(CubicAccuracy, ThreadsRestartsAndInstructionSetsAgree)
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

TEST(CubicAccuracy, SplinesCannotChangeWithParticles)
{
    SerialExecutor serial;
    Solver solver(settings(Kernel::cubic), serial);
    solver.setMaterials({material("snow", 400)});
    solver.addParticles(Lattice({0, 0, 0}, {0.2, 0.2, 0.2}, 0.1).particles());
    EXPECT_THROW(solver.setSettings(settings(Kernel::quadratic)), std::invalid_argument);
}
