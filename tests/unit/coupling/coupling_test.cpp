// Matter on a grid and rigid bodies: momentum, buoyancy, rest, sleep.
#include "coupled_scene.hpp"
#include "threads.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace floe::coupling {
namespace {

using mpm::material;
using mpm::run;

mpm::SolverSettings cells(double size, Vec3d gravity = {0, -9.81, 0})
{
    mpm::SolverSettings settings;
    settings.cellSize = size;
    settings.gravity = gravity;
    settings.longestStep = 1.0 / 240;
    return settings;
}

/// A block of jelly that flies into a turned cube, both free.
struct Impact {
    mpm::SerialExecutor serial;
    sdk::parallel::Executor* loops;
    Bodies bodies;
    mpm::Solver matter;
    mpm::Totals before;

    explicit Impact(sdk::parallel::Executor& executor, double density = 600)
        : loops(&executor), bodies(executor), matter(cells(0.05, {0, 0, 0}), executor)
    {
        bodies.trial.solver.settings.gravity = {0, 0, 0};
        bodies.addBox(0.3, 0.05, density,
                      {.x = {0.52, 0.03, -0.12},
                       .R = pbd::rotationAbout(Vec3d{0.2, 0.5, 0.3}),
                       .v = {-1, 0, 0},
                       .spin = {0, 2, 0}});
        matter.setMaterials({material("fixedCorotated", 1000, {{"youngModulus", 5e4}})});
        matter.setColliders({bodies.collider()});
        matter.addParticles(
            mpm::Lattice({0, 0, 0}, {0.4, 0.3, 0.3}, 0.05, {3, 0.3, 0}).particles());
        before = mpm::totals(matter);
    }
};

} // namespace

// What matter loses in contact, the body gains: the sum is kept to the rounding of the particles'
// single precision over some hundred steps, a few in a million of what is exchanged.
TEST(Coupling, KeepsMomentum)
{
    mpm::SerialExecutor serial;
    Impact impact(serial);
    const Vec3d matter = impact.before.momentum, body = impact.bodies.trial.momentum();
    const Vec3d turned = impact.bodies.trial.angularMomentum();
    run(impact.matter, 0.25);
    const mpm::Totals after = mpm::totals(impact.matter);
    const double exchanged = physics::length(impact.bodies.pushed);
    EXPECT_GT(exchanged, 0.15 * physics::length(matter));
    const Vec3d bodyNow = impact.bodies.trial.momentum();
    for (int axis = 0; axis < 3; ++axis) {
        // The body's own account has double precision.
        EXPECT_NEAR(bodyNow[axis] - body[axis], impact.bodies.pushed[axis], 1e-10 * exchanged);
        EXPECT_NEAR(after.momentum[axis] + bodyNow[axis], matter[axis] + body[axis],
                    1e-5 * exchanged);
    }
    const Vec3d sum = impact.before.angularMomentum + turned;
    const Vec3d now = after.angularMomentum + impact.bodies.trial.angularMomentum();
    // Angular momentum of single precision positions and velocities: ten times that.
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(now[axis], sum[axis], 1e-4 * exchanged);
}

// A thousand times lighter or heavier than matter: nothing bursts, and energy is not gained.
TEST(Coupling, TakesAnyDensity)
{
    for (const double density : {1.0, 1e6}) {
        mpm::SerialExecutor serial;
        Impact impact(serial, density);
        const double before = impact.before.kineticEnergy + impact.bodies.trial.kineticEnergy();
        const Vec3d sum = impact.before.momentum + impact.bodies.trial.momentum();
        run(impact.matter, 0.25);
        const mpm::Totals after = mpm::totals(impact.matter);
        EXPECT_LT(after.kineticEnergy + after.elasticEnergy + impact.bodies.trial.kineticEnergy(),
                  1.001 * before)
            << density;
        const Vec3d now = after.momentum + impact.bodies.trial.momentum();
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(now[axis], sum[axis], 1e-5 * physics::length(sum)) << density;
    }
}

// A step that is tried again moves no body: nothing is taken before it ends.
TEST(Coupling, AStepThatIsRedoneMovesNothing)
{
    mpm::SerialExecutor serial;
    Impact impact(serial);
    const auto collider = impact.bodies.collider();
    const pbd::Body before = impact.bodies.body();
    for (const double dt : {1e-2, 1e-3, 1e-4})
        collider->moveTo(0, dt);
    EXPECT_EQ(std::memcmp(&before.x, &impact.bodies.body().x, sizeof before.x), 0);
    EXPECT_EQ(std::memcmp(&before.v, &impact.bodies.body().v, sizeof before.v), 0);
    run(impact.matter, 0.2);
    const auto steps = impact.matter.takeStatistics();
    EXPECT_GT(impact.bodies.begun, impact.bodies.taken);
    EXPECT_EQ(static_cast<std::uint64_t>(impact.bodies.taken), steps.steps);
    EXPECT_NEAR(impact.bodies.trial.time, impact.matter.time(), 1e-12);
}

TEST(CouplingThreads, ChangeNoBit)
{
    mpm::SerialExecutor serial;
    test::ThreadExecutor four(4);
    Impact one(serial), other(four);
    run(one.matter, 0.15);
    run(other.matter, 0.15);
    EXPECT_TRUE(mpm::Frame(one.matter) == mpm::Frame(other.matter));
    EXPECT_EQ(std::memcmp(&one.bodies.body().x, &other.bodies.body().x, sizeof(Vec3d)), 0);
    EXPECT_EQ(std::memcmp(&one.bodies.body().R, &other.bodies.body().R, sizeof(Mat3<double>)), 0);
}

// Archimedes: a cube of half the density of water floats with half its height below the surface,
// to within a cell; half of it then displaces its weight of water.
TEST(Coupling, ACubeOfHalfTheDensityFloatsHalfUnderWater)
{
    mpm::SerialExecutor serial;
    const double h = 0.05, edge = 0.3, depth = 0.35, side = 0.8;
    Bodies bodies;
    bodies.addBox(edge, 0.05, 500, {.x = {0.4, depth + 0.04, 0.4}});
    mpm::Solver matter(cells(h), serial);
    matter.setMaterials({material("liquid", 1000)});
    matter.setDomain(tank({side, 1, side}, sdk::world::Contact::slip));
    matter.setColliders({bodies.collider()});
    const double half = 0.5 * edge, low = depth + 0.04 - half;
    matter.addParticles(boxWithout({0, 0, 0}, {side, depth, side}, {0.4 - half, low, 0.4 - half},
                                   {0.4 + half, 1, 0.4 + half}, h)
                            .particles());
    const double volume = static_cast<double>(matter.particleCount()) * h * h * h / 8;
    run(matter, 2);
    double mean = 0, least = 1;
    for (int k = 0; k < 20; ++k) {
        run(matter, 0.05);
        mean += bodies.body().x.y / 20;
        least = std::min(least, bodies.body().R[1][1]);
    }
    // The surface stands where the water and the draught together fill the tank.
    const double surface = (volume + edge * edge * half) / (side * side);
    EXPECT_NEAR(mean, surface, h);
    EXPECT_GT(least, 0.9); // upright, but for waves
    EXPECT_LT(physics::length(bodies.body().v), 0.2);
}

// On a bed of sand a box stays where it lies.
TEST(Coupling, ABoxAtRestOnSandStays)
{
    mpm::SerialExecutor serial;
    const double h = 0.05;
    Bodies bodies;
    bodies.addBox(0.2, 0.05, 1500, {.x = {0.3, 0.2 + 0.1, 0.3}});
    mpm::Solver matter(cells(h), serial);
    matter.setMaterials({material("druckerPrager", 1600, {{"youngModulus", 5e5}})});
    matter.setDomain(tank({0.6, 1, 0.6}, sdk::world::Contact::separate, 0.6));
    matter.setColliders({bodies.collider()});
    matter.addParticles(mpm::Lattice({0, 0, 0}, {0.6, 0.2, 0.6}, h).particles());
    run(matter, 1); // sand settles under it
    const Vec3d began = bodies.body().x;
    run(matter, 3);
    // A twentieth of a cell in the remaining three seconds would be seen.
    EXPECT_LT(physics::length(bodies.body().x - began), 0.05 * h);
    EXPECT_GT(bodies.body().R[1][1], 0.999);
    EXPECT_GT(began.y, 0.25);
}

// Sand that sleeps wakes under a box that falls on it, and holds it up.
TEST(Coupling, SleepingMatterWakesUnderABody)
{
    mpm::SerialExecutor serial;
    const double h = 0.05;
    for (const double guard : {0.0, 0.1}) {
        Bodies bodies;
        bodies.addBox(0.2, 0.05, 1500, {.x = {0.4, 0.2 + 0.1 + 0.15, 0.4}});
        mpm::SolverSettings settings = cells(h);
        settings.startsPassive = true;
        settings.wakeSpeed = guard;
        mpm::Solver matter(settings, serial);
        matter.setMaterials({material("druckerPrager", 1600, {{"youngModulus", 5e5}})});
        matter.setDomain(tank({0.8, 1, 0.8}, sdk::world::Contact::separate, 0.6));
        matter.setColliders({bodies.collider()});
        matter.addParticles(mpm::Lattice({0, 0, 0}, {0.8, 0.2, 0.8}, h).particles());
        EXPECT_EQ(matter.counts().activeParticles, 0u);
        run(matter, 0.1); // still in the air
        EXPECT_EQ(matter.counts().activeParticles, 0u);
        run(matter, 0.9);
        EXPECT_GT(matter.counts().activeParticles, 0u) << guard;
        EXPECT_GT(bodies.body().x.y, 0.2) << guard; // it fell by 0.15 and sinks in a little
        EXPECT_LT(bodies.body().x.y, 0.32) << guard;
        EXPECT_LT(physics::length(bodies.body().v), 0.05) << guard;
        // A strategy that wants all asleep does not get what bears the box.
        mpm::ActivationRequest request = matter.activationRequest();
        std::fill(request.state.begin(), request.state.end(), std::uint8_t{0});
        matter.applyActivation(request);
        EXPECT_GT(matter.counts().activeParticles, 0u) << guard;
        EXPECT_LT(matter.counts().activeParticles, matter.particleCount()) << guard;
        if (guard <= 0)
            continue; // nothing wakes what the woken lean on
        const double height = bodies.body().x.y;
        run(matter, 0.5);
        EXPECT_NEAR(bodies.body().x.y, height, 0.1 * h) << guard;
    }
}

// Without matter bodies fall all the same.
TEST(Coupling, BodiesMoveWithoutMatter)
{
    mpm::SerialExecutor serial;
    Bodies bodies;
    bodies.addBox(0.2, 0.05, 1500, {.x = {0, 10, 0}});
    mpm::Solver matter(cells(0.05), serial);
    matter.setColliders({bodies.collider()});
    run(matter, 1);
    EXPECT_NEAR(bodies.body().x.y, 10 - 0.5 * 9.81, 0.02); // symplectic Euler, steps of 1/480 s
    EXPECT_NEAR(bodies.trial.time, 1, 1e-12);
}

TEST(Coupling, IsRefusedByTheSemiImplicitIntegrator)
{
    mpm::SerialExecutor serial;
    Bodies bodies;
    mpm::SolverSettings settings = cells(0.05);
    settings.integrator = mpm::Integrator::semiImplicit;
    mpm::Solver matter(settings, serial);
    EXPECT_THROW(matter.setColliders({bodies.collider()}), std::invalid_argument);
}

// The distance field of a turned box against the formula.
TEST(BodyField, OfABoxIsItsDistance)
{
    const auto rest = pbd::makeRestBody(test::cube(0.4).view(), {.voxel = 0.05}, pbd::serialLoops);
    const pbd::BodyField field(rest, pbd::serialLoops);
    for (int k = 0; k < 200; ++k) {
        // Points within a voxel of the surface, and outside.
        const auto at = [&](int step) {
            return static_cast<float>(0.25 * std::sin(1.7 * k * step + step));
        };
        const pbd::Vec3f x{at(1), at(2), at(3)};
        pbd::Vec3f gradient;
        const float d = field.at(x, gradient);
        pbd::Vec3f q{std::abs(x.x) - 0.2f, std::abs(x.y) - 0.2f, std::abs(x.z) - 0.2f};
        const float most = std::max({q.x, q.y, q.z});
        for (int axis = 0; axis < 3; ++axis)
            q[axis] = std::max(q[axis], 0.0f);
        const float expected = physics::length(q) + std::min(most, 0.0f);
        if (std::abs(expected) > 0.06f)
            EXPECT_EQ(d > 0, expected > 0) << k;
        else // linear between voxels: bent only at edges
            EXPECT_NEAR(d, expected, 0.0125) << k;
    }
}

} // namespace floe::coupling
