// Elastic solids, and solids in water.
#include "scene.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace floe::coupled {
namespace {

using namespace test;

SolidMaterial rubber(double youngModulus, double poissonRatio)
{
    SolidMaterial material;
    material.law.kind = physics::LawKind::fixedCorotated;
    const auto lame =
        physics::lameFromYoung(static_cast<float>(youngModulus), static_cast<float>(poissonRatio));
    material.law.fixedCorotated = {lame.mu, 0, 0};
    material.mu = lame.mu;
    material.lambda = lame.lambda;
    return material;
}

void fillSolid(CoupledSolver& solver, const Vec3d& low, const Vec3d& high, double density)
{
    Solid& solid = solver.solid();
    const double step = 0.5 * solid.cellSize();
    SolidParticle particle{};
    particle.volume = static_cast<float>(step * step * step);
    particle.mass = static_cast<float>(density * step * step * step);
    for (double x = low.x + 0.5 * step; x < high.x; x += step)
        for (double y = low.y + 0.5 * step; y < high.y; y += step)
            for (double z = low.z + 0.5 * step; z < high.z; z += step)
                solid.add({x, y, z}, particle);
    solid.rebin();
}

double momentum(const CoupledSolver& solver, int axis)
{
    double sum = 0;
    const auto add = [&](const auto& matter) {
        for (std::size_t b = 0; b < matter.size(); ++b)
            for (const auto& p : matter[b].particles)
                sum += static_cast<double>(p.mass) * p.v[axis];
    };
    add(solver.fluid());
    add(solver.solid());
    return sum;
}

// A solid block in free fall falls like anything else, and keeps its shape.
TEST(SolidBlock, FallsFreely)
{
    CoupledSolver solver(settingsOf(0.05, 1e-8));
    solver.setMaterials({rubber(1e5, 0.3)});
    fillSolid(solver, {0, 0, 0}, {0.3, 0.3, 0.3}, 800);
    const Vec3d begin = meanPlace(solver.solid());
    Surroundings surroundings;
    sdk::parallel::SerialExecutor serial;
    for (int i = 0; i < 30; ++i)
        solver.step(surroundings, 0.01 * i, 0.01, serial);
    const Vec3d moved = meanPlace(solver.solid()) - begin;
    EXPECT_NEAR(moved.y, -kGravity * 1e-4 * 30 * 31 / 2, 1e-3);
    EXPECT_NEAR(moved.x, 0, 1e-4);
    for (std::size_t b = 0; b < solver.solid().size(); ++b)
        for (const SolidParticle& p : solver.solid()[b].particles) {
            EXPECT_NEAR(p.change, 0, 1e-3);
            EXPECT_NEAR(p.H[0][0], 0, 1e-3);
        }
}

// A column on a floor is shortened by its weight: rho g h^2 / (2 M), with the modulus of confined
// compression M = lambda + 2 mu, since walls hold its sides.
TEST(SolidBlock, IsCompressedByItsWeight)
{
    const double cell = 0.05, height = 0.6, density = 1000;
    CoupledSolver solver(settingsOf(cell, 1e-6));
    const SolidMaterial material = rubber(1e5, 0.3);
    solver.setMaterials({material});
    fillSolid(solver, {0, 0, 0}, {0.2, height, 0.2}, density);
    const double before = meanPlace(solver.solid()).y;
    const Surroundings surroundings = tank(0.2, 1, 0.2);
    sdk::parallel::SerialExecutor serial;
    double sum = 0;
    const int steps = 300;
    for (int i = 0; i < steps; ++i) {
        solver.step(surroundings, 0.01 * i, 0.01, serial);
        if (i >= steps / 2)
            sum += before - meanPlace(solver.solid()).y;
    }
    // The centre sinks by the integral of the displacement: rho g h^2 / (3 M).
    const double modulus = static_cast<double>(material.lambda) + 2 * material.mu;
    const double expected = density * kGravity * height * height / (3 * modulus);
    // Nodes at the centres of cells bring the floor half a cell too high or low: 1/12 of the
    // height, and the strain there is the largest.
    EXPECT_NEAR(2 * sum / steps, expected, 0.25 * expected);
}

// Archimedes: a cube of three densities floats as deep as its weight says.
TEST(SolidInWater, FloatsAsDeepAsItsWeightSays)
{
    const double cell = 0.05, edge = 0.3, depth = 0.5;
    for (const double share : {0.35, 0.5, 0.7}) {
        CoupledSolver solver(settingsOf(cell, 1e-4));
        solver.setMaterials({rubber(2e5, 0.3)});
        const Surroundings surroundings = tank(0.8, 1.2, 0.8);
        const double bottom = depth - share * edge;
        const Vec3d low{0.25, bottom, 0.25}, high{0.55, bottom + edge, 0.55};
        fill(solver, {0.8, depth, 0.8}, [&](const Vec3d& at) {
            return !(at.x > low.x && at.x < high.x && at.y > low.y && at.z > low.z &&
                     at.z < high.z);
        });
        fillSolid(solver, low, high, kDensity * share);
        sdk::parallel::SerialExecutor serial;
        double sum = 0;
        const int steps = 200;
        for (int i = 0; i < steps; ++i) {
            solver.step(surroundings, 0.01 * i, 0.01, serial);
            if (i >= steps / 2)
                sum += meanPlace(solver.solid()).y;
        }
        const double centre = 2 * sum / steps;
        // The volume of water is known, and so is its level once the cube displaces its weight.
        double water = 0;
        for (std::size_t b = 0; b < solver.fluid().size(); ++b)
            for (const FluidParticle& p : solver.fluid()[b].particles)
                water += p.volume;
        const double level = (water + share * edge * edge * edge) / (0.8 * 0.8);
        const double draught = level - (centre - 0.5 * edge);
        std::printf("density %.2f: draught %.3f of %.3f m, iterations %.1f a step\n", share,
                    draught, share * edge,
                    static_cast<double>(solver.takeStatistics().iterations) / steps);
        // Surfaces of cube and water are each known to half a cell.
        EXPECT_NEAR(draught, share * edge, cell) << share;
    }
}

// A solid that drops into water gives it what it loses: the interface keeps momentum.
TEST(SolidInWater, SharesItsMomentum)
{
    CoupledSolver solver(settingsOf(0.05, 1e-8));
    solver.setMaterials({rubber(1e5, 0.3)});
    fill(solver, {0.6, 0.6, 0.6}, [](const Vec3d& at) {
        return !(at.x > 0.2 && at.x < 0.4 && at.y > 0.2 && at.y < 0.4 && at.z > 0.2 && at.z < 0.4);
    });
    fillSolid(solver, {0.2, 0.2, 0.2}, {0.4, 0.4, 0.4}, 2000);
    for (std::size_t b = 0; b < solver.solid().size(); ++b)
        for (SolidParticle& p : solver.solid()[b].particles)
            p.v = {0.5f, 0, 0};
    const double before = momentum(solver, 0);
    Surroundings surroundings;
    surroundings.gravity = {0, 0, 0};
    sdk::parallel::SerialExecutor serial;
    for (int i = 0; i < 10; ++i)
        solver.step(surroundings, 0.01 * i, 0.01, serial);
    // Light faces count as 2 % of full ones at least, which gives a little momentum away.
    EXPECT_NEAR(momentum(solver, 0), before, 0.02 * before);
    double solid = 0;
    for (std::size_t b = 0; b < solver.solid().size(); ++b)
        for (const SolidParticle& p : solver.solid()[b].particles)
            solid += static_cast<double>(p.mass) * p.v.x;
    EXPECT_LT(solid, 0.9 * before); // the water moves too
}

} // namespace
} // namespace floe::coupled
