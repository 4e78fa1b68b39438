// Walls, colliders and friction.

#include "plane.hpp"

#include <gtest/gtest.h>

using namespace floe::mpm;

TEST(Contact, StickSlipAndSeparateDoWhatTheySay)
{
    PointBatch nodes;
    ColliderSample sample;
    const auto apply = [&](Contact contact, float friction, Vec3d v) {
        nodes.count = 1;
        for (int axis = 0; axis < 3; ++axis) {
            nodes.v[axis][0] = static_cast<float>(v[axis]);
            sample.v[axis][0] = 0;
            sample.normal[axis][0] = axis == 1;
        }
        sample.distance[0] = -0.01f;
        applyContact(sample, contact, friction, nodes);
        return Vec3d{nodes.v[0][0], nodes.v[1][0], nodes.v[2][0]};
    };
    const auto expect = [](const Vec3d& a, double x, double y) {
        EXPECT_NEAR(a.x, x, 1e-6);
        EXPECT_NEAR(a.y, y, 1e-6);
    };
    expect(apply(Contact::stick, 0, {1, 2, 0}), 0, 0);
    expect(apply(Contact::slip, 0, {1, 2, 0}), 1, 0);
    expect(apply(Contact::separate, 0.5f, {1, 2, 0}), 1, 2);    // leaving: untouched
    expect(apply(Contact::separate, 0.5f, {2, -1, 0}), 1.5, 0); // 2 - 0.5 * 1
    expect(apply(Contact::separate, 0.5f, {0.2, -1, 0}), 0, 0); // stops, is not reversed
}

// A floor that rises at 2 m/s lifts what lies on it.
TEST(Contact, AMovingColliderCarriesWhatItTouches)
{
    SerialExecutor serial;
    SolverSettings settings;
    settings.cellSize = 0.05;
    Solver solver(settings, serial);
    solver.setMaterials({material("fixedCorotated", 1000, {{"youngModulus", 1e5}})});
    auto plane = std::make_shared<Plane>(Vec3d{0, 1, 0});
    plane->speed = 2;
    plane->contact = Contact::slip;
    solver.setColliders({plane});
    solver.addParticles(Lattice({0, 0, 0}, {0.4, 0.2, 0.4}, 0.05, {0, 2, 0}).particles());
    run(solver, 0.5);
    EXPECT_NEAR(Frame(solver).meanVelocity().y, 2, 0.1);
    EXPECT_NEAR(Frame(solver).meanPosition().y, 0.1 + 1.0, 0.03);
}

// Bounce acts on particles that are already inside, whose grid does not see the collider.
TEST(Contact, ParticlesInsideAColliderBounceOrVanish)
{
    for (const ParticleContact mode : {ParticleContact::bounce, ParticleContact::remove}) {
        SerialExecutor serial;
        SolverSettings settings;
        settings.cellSize = 0.05;
        settings.gravity = {0, 0, 0};
        Solver solver(settings, serial);
        solver.setMaterials({material("liquid", 1000)});
        auto plane = std::make_shared<Plane>(Vec3d{0, 1, 0});
        plane->contact = Contact::separate;
        plane->particles = mode;
        solver.setColliders({plane});
        Lattice particles({0, -0.2, 0}, {0.2, 0.2, 0.2}, 0.05, {0, -1, 0});
        solver.addParticles(particles.particles());
        const std::uint64_t all = solver.particleCount();
        run(solver, 0.01);
        if (mode == ParticleContact::remove) {
            EXPECT_EQ(solver.particleCount(), all / 2);
            EXPECT_EQ(solver.counts().deletedByCollider, all / 2);
            const Frame f(solver);
            for (std::size_t i = 0; i < f.id.size(); ++i)
                EXPECT_GT(f.x[3 * i + 1], 0);
        } else {
            EXPECT_EQ(solver.particleCount(), all);
            const Frame f(solver);
            for (std::size_t i = 0; i < f.id.size(); ++i)
                EXPECT_TRUE(f.x[3 * i + 1] > 0 || f.v[3 * i + 1] >= -1e-4);
        }
    }
}

// Water in a closed, turned box stays inside: nothing is farther out than the half cell a wall can
// give.
TEST(Contact, AnOrientedBoxHoldsWater)
{
    SerialExecutor serial;
    SolverSettings settings;
    settings.cellSize = 0.05;
    Solver solver(settings, serial);
    solver.setMaterials({material("liquid", 1000)});
    Domain box;
    box.bounded = true;
    box.center = {0, 0, 0};
    box.halfSize = {0.4, 0.3, 0.3};
    const double c = std::cos(0.5), s = std::sin(0.5);
    box.axes = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
    box.faces.fill(Face::slip);
    solver.setDomain(box);
    Lattice water;
    const double step = 0.025;
    for (double a = -0.2; a < 0.2; a += step)
        for (double b = -0.15; b < 0.15; b += step)
            for (double d = -0.15; d < 0.15; d += step)
                water.add({a, b, d}, {0, 0, 0}, step * step * step);
    solver.addParticles(water.particles());
    run(solver, 0.6);
    EXPECT_EQ(solver.particleCount(), water.count());
    const Frame f(solver);
    for (std::size_t i = 0; i < f.id.size(); ++i) {
        const Vec3d x{f.x[3 * i], f.x[3 * i + 1], f.x[3 * i + 2]};
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_LT(std::abs(floe::physics::dot(box.axes.column(axis), x)),
                      box.halfSize[axis] + 0.05);
    }
}
