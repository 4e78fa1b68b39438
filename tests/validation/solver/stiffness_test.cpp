// Explicit steps at the stiffness of real metal, where a step strains the body by 1e-10 and moves
// it by 1e-7 of a cell.

#include "scene.hpp"

#include <gtest/gtest.h>

using namespace floe::mpm;

namespace {

SolverMaterial aluminium()
{
    return material("hencky", 2700, {{"youngModulus", 7e10}, {"poissonRatio", 0.33}});
}

} // namespace

// A cantilever that is let go bends about its deflection at rest: over a whole period of its lowest
// mode the mean is that deflection,
//
//     w L^4 / (8 E I) (1 + 4 E I / (k G A L^2)),
//
// the second term the shear of a bar that is not slender (Timoshenko 1921, k = 5/6). The mode's
// period T = 2 pi L^2 / 1.8751^2 sqrt(rho A / E I) is that of a slender bar too; shear and rotary
// inertia lengthen it by about 5 % at L = 6 h, which changes the mean by less than that. The wall
// holds the nodes at x = 0 and the bar reaches 0.1 m into it; four cells across.
TEST(StiffBody, AnAluminiumBarSagsAsMuchAsItShould)
{
    const double h = 0.1, L = 0.6, E = 7e10, density = 2700, g = 9.81, nu = 0.33;
    const double I = h * h * h * h / 12, w = density * g * h * h;
    const double shear = 4 * E * I * 2 * (1 + nu) / (5.0 / 6 * E * h * h * L * L);
    const double expected = w * std::pow(L, 4) / (8 * E * I) * (1 + shear);
    const double period =
        2 * M_PI * L * L / (1.8751 * 1.8751) * std::sqrt(density * h * h / (E * I)) * 1.05;

    SerialExecutor serial;
    SolverSettings settings;
    settings.cellSize = 0.025;
    settings.gravity = {0, -g, 0};
    Solver solver(settings, serial);
    solver.setMaterials({aluminium()});
    Domain box;
    box.bounded = true;
    box.center = {5, 0, 0};
    box.halfSize = {5, 5, 5};
    box.faces = {Contact::stick, Contact::open, Contact::open,
                 Contact::open,  Contact::open, Contact::open};
    solver.setDomain(box);
    solver.addParticles(Lattice({-h, 0, 0}, {L, h, h}, settings.cellSize).particles());

    const Frame before(solver);
    std::vector<std::size_t> tip;
    double end = 0;
    for (std::size_t i = 0; i < before.id.size(); ++i)
        if (before.x[3 * i] > L - settings.cellSize) {
            tip.push_back(i);
            end += before.x[3 * i];
        }
    end /= static_cast<double>(tip.size());
    // Of the end itself: near it the bar is straight, with the slope w L^3 / 6 E I.
    const double beyond = (L - end) * w * L * L * L / (6 * E * I);
    const int samples = 40;
    double mean = 0;
    for (int n = 0; n < samples; ++n) {
        run(solver, period / samples);
        const Frame now(solver);
        double sag = 0;
        for (const std::size_t i : tip)
            sag += before.x[3 * i + 1] - now.x[3 * i + 1];
        mean += sag / static_cast<double>(tip.size()) / samples;
    }
    EXPECT_NEAR(mean + beyond, expected, 0.05 * expected);
}

// A block that creeps at half a millimetre a second moves by 4e-8 cells in a step, a fifth of what
// separates two positions: all of its steps were rounded away once. Its velocity is a sum of
// rounded numbers, 1e-5 of it after a thousand steps; its mean place is that of 512 particles, each
// of which errs by the root of a thousand times 2e-7 cells.
TEST(StiffBody, ASlowOneMoves)
{
    SerialExecutor serial;
    SolverSettings settings;
    settings.cellSize = 0.025;
    settings.gravity = {0, 0, 0};
    Solver solver(settings, serial);
    solver.setMaterials({aluminium()});
    const Vec3d speed{5e-4, 0, -3e-4};
    solver.addParticles(Lattice({0, 0, 0}, {0.1, 0.1, 0.1}, settings.cellSize, speed).particles());
    const Vec3d start = Frame(solver).meanPosition();
    run(solver, 2e-3);
    ASSERT_GT(solver.takeStatistics().steps, 800u);
    const Vec3d way = Frame(solver).meanPosition() - start;
    EXPECT_NEAR(way.x, 2e-3 * speed.x, 0.02 * 2e-3 * speed.x);
    EXPECT_NEAR(way.y, 0, 0.01 * 2e-3 * speed.x);
    EXPECT_NEAR(way.z, 2e-3 * speed.z, -0.03 * 2e-3 * speed.z);
}
