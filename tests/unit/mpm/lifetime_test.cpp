// Particles come and go; steps that fail say why.

#include "scene.hpp"

#include <gtest/gtest.h>

#include <limits>

using namespace floe::mpm;

namespace {

Domain openBox(double half)
{
    Domain box;
    box.bounded = true;
    box.halfSize = {half, half, half};
    box.faces.fill(Contact::open);
    return box;
}

std::string divergence(Solver& solver, double duration)
{
    try {
        run(solver, duration);
    } catch (const Diverged& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST(Lifetime, OpenFacesDeleteAndTheBalanceHolds)
{
    SerialExecutor serial;
    SolverSettings settings;
    settings.gravity = {0, 0, 0};
    Solver solver(settings, serial);
    solver.setMaterials({material("liquid", 1000)});
    solver.setDomain(openBox(1));
    const Lattice cube({0, -0.4, -0.4}, {0.8, 0.4, 0.4}, 0.1, {4, 0, 0});
    solver.addParticles(cube.particles());
    for (int i = 0; i < 20; ++i) {
        run(solver, 0.02);
        const Counts c = solver.counts();
        ASSERT_EQ(c.emitted, c.alive + c.leftDomain + c.deletedByCollider);
        ASSERT_EQ(solver.particleCount(), c.alive);
        const Frame f(solver); // nothing that is shown is outside
        ASSERT_EQ(f.id.size(), c.alive);
        for (std::size_t k = 0; k < f.id.size(); ++k)
            ASSERT_LE(f.x[3 * k], 1.0001f);
    }
    EXPECT_EQ(solver.counts().alive, 0u); // it moves 1.6 m and all is gone
    EXPECT_EQ(solver.counts().leftDomain, cube.count());
    run(solver, 0.1); // and an empty world goes on
}

// Within one frame a cube flies through eight blocks: rebinned a dozen times between steps that
// run into each other, every particle arrives once, as what it was.
TEST(Lifetime, ParticlesThatCrossManyBlocksInAFrameStayThemselves)
{
    SerialExecutor serial;
    SolverSettings settings;
    settings.gravity = {0, 0, 0};
    Solver solver(settings, serial);
    solver.setMaterials({material("neoHookean", 1000)});
    const Vec3d velocity{3, -2, 1};
    Lattice cube({0, 0, 0}, {0.6, 0.6, 0.6}, 0.1, velocity);
    for (std::size_t i = 0; i < cube.volume.size(); ++i)
        cube.volume[i] *= 1 + 0.01f * static_cast<float>(i % 97);
    solver.addParticles(cube.particles());
    run(solver, 1);
    EXPECT_GT(solver.takeStatistics().rebins, 10u);
    const Frame f(solver);
    ASSERT_EQ(f.id.size(), cube.count());
    for (std::size_t i = 0; i < f.id.size(); ++i) {
        ASSERT_EQ(f.id[i], i);
        ASSERT_EQ(f.mass[i], 1000 * cube.volume[i]);
        for (std::size_t axis = 0; axis < 3; ++axis) // kept to 2^-21 of a cell, in 100 steps
            ASSERT_NEAR(f.x[3 * i + axis], cube.x[3 * i + axis] + velocity[static_cast<int>(axis)],
                        1e-5);
    }
}

TEST(Lifetime, ParticlesBeyondOpenFacesAreNotAdded)
{
    SerialExecutor serial;
    Solver solver({}, serial);
    solver.setMaterials({material("liquid", 1000)});
    solver.setDomain(openBox(0.2));
    const Lattice cube({-0.4, -0.4, -0.4}, {0.4, 0.4, 0.4}, 0.1);
    solver.addParticles(cube.particles());
    EXPECT_EQ(solver.particleCount(), cube.count() / 8);
}

TEST(Lifetime, ParticlesBehindWallsAreNotAddedAndCounted)
{
    SerialExecutor serial;
    Solver solver({}, serial);
    solver.setMaterials({material("liquid", 1000)});
    Domain box = openBox(0.2);
    box.faces.fill(Contact::slip);
    solver.setDomain(box);
    const Lattice cube({-0.4, -0.4, -0.4}, {0.4, 0.4, 0.4}, 0.1);
    EXPECT_EQ(solver.addParticles(cube.particles()), cube.count() - cube.count() / 8);
    EXPECT_EQ(solver.particleCount(), cube.count() / 8);
    // On a wall, up to rounding, they are before it.
    box.halfSize = {0.175 - 1e-8, 0.2, 0.2};
    solver.setDomain(box);
    EXPECT_EQ(solver.addParticles(Lattice({-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2}, 0.1).particles()),
              0u);
}

TEST(Lifetime, MemoryStaysBoundedOverLongEmission)
{
    SerialExecutor serial;
    SolverSettings settings;
    settings.gravity = {0, 0, 0};
    Solver solver(settings, serial);
    solver.setMaterials({material("liquid", 1000)});
    solver.setDomain(openBox(1));
    const Lattice puff({-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2}, 0.1, {5, 1, 0});
    std::size_t early = 0;
    for (int frame = 0; frame < 100; ++frame) {
        solver.addParticles(puff.particles());
        run(solver, 1.0 / 12);
        if (frame == 10)
            early = solver.bytes();
    }
    EXPECT_EQ(solver.counts().emitted, 100 * puff.count());
    EXPECT_LT(solver.particleCount(), 6 * puff.count());
    EXPECT_LE(solver.bytes(), 2 * early);
}

TEST(Lifetime, OccupiedCellsAreFound)
{
    SerialExecutor serial;
    Solver solver({}, serial);
    solver.setMaterials({material("liquid", 1000)});
    solver.addParticles(Lattice({0, 0, 0}, {0.3, 0.1, 0.1}, 0.1).particles());
    const float at[] = {0.05f, 0.05f, 0.05f, 0.29f,  0.01f, 0.09f, 0.31f, 0.05f, 0.05f,
                        0.05f, 0.15f, 0.05f, -0.01f, 0.05f, 0.05f, 1e30f, 0,     0};
    std::uint8_t occupied[6];
    solver.findOccupied(at, 6, occupied);
    const std::uint8_t expected[] = {1, 1, 0, 0, 0, 0};
    for (int i = 0; i < 6; ++i)
        EXPECT_EQ(occupied[i], expected[i]) << i;
}

TEST(Lifetime, UnusableParticlesAreRefusedAndNothingIsAdded)
{
    SerialExecutor serial;
    Solver solver({}, serial);
    solver.setMaterials({material("liquid", 1000)});
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1e20f}) {
        Lattice cube({0, 0, 0}, {0.2, 0.2, 0.2}, 0.1);
        cube.x.back() = bad;
        EXPECT_THROW(solver.addParticles(cube.particles()), std::invalid_argument);
        cube.x.back() = 0;
        cube.v.back() = bad;
        EXPECT_THROW(solver.addParticles(cube.particles()), std::invalid_argument);
    }
    Lattice cube({0, 0, 0}, {0.2, 0.2, 0.2}, 0.1);
    cube.volume.back() = 0;
    EXPECT_THROW(solver.addParticles(cube.particles()), std::invalid_argument);
    EXPECT_THROW(solver.addParticles(cube.particles(7)), std::invalid_argument);
    EXPECT_EQ(solver.particleCount(), 0u);
}

TEST(Lifetime, TheStepFollowsBothLimits)
{
    SerialExecutor serial;
    SolverSettings settings;
    settings.gravity = {0, 0, 0};
    settings.materialLimit = 0.4;
    settings.advectionLimit = 0.3;
    // At rest: a share of dx / c, c = sqrt((lambda + 2 mu) / rho).
    Solver still(settings, serial);
    still.setMaterials({material("hencky", 1000, {{"youngModulus", 1e6}, {"poissonRatio", 0}})});
    still.addParticles(Lattice({0, 0, 0}, {0.4, 0.4, 0.4}, 0.1).particles());
    const double bound = 0.4 * 0.1 / std::sqrt(1e6 / 1000);
    const double dt = still.advance(1);
    EXPECT_LE(dt, bound);
    EXPECT_GT(dt, 0.8 * bound);
    // Fast and soft: a share of dx / v.
    Solver fast(settings, serial);
    fast.setMaterials({material("hencky", 1000, {{"youngModulus", 10}})});
    fast.addParticles(Lattice({0, 0, 0}, {0.4, 0.4, 0.4}, 0.1, {50, 0, 0}).particles());
    EXPECT_LE(fast.advance(1), 0.3 * 0.1 / 50);
    EXPECT_GT(fast.takeStatistics().longest, 0.5 * 0.3 * 0.1 / 50);
}

// Snow that hardens twentyfold as it is packed: the step must shrink with it, by the root of the
// factor.
TEST(Lifetime, HardeningShortensTheStep)
{
    SerialExecutor serial;
    SolverSettings settings;
    settings.gravity = {0, 0, 0};
    Solver solver(settings, serial);
    solver.setMaterials({material("snow", 400)});
    solver.addParticles(Lattice({0, 0, 0}, {0.8, 0.4, 0.4}, 0.1, {8, 0, 0}).particles());
    solver.addParticles(Lattice({0.9, 0, 0}, {1.7, 0.4, 0.4}, 0.1, {-8, 0, 0}).particles());
    const double first = solver.advance(0.01);
    run(solver, 0.05);
    EXPECT_LT(solver.takeStatistics().shortest, 0.6 * first);
}

TEST(Lifetime, AnAbsurdSpeedIsNamed)
{
    SerialExecutor serial;
    SolverSettings settings;
    settings.shortestStep = 1e-5;
    Solver solver(settings, serial);
    SolverMaterial ice = material("fixedCorotated", 900);
    ice.name = "ice";
    solver.setMaterials({ice});
    solver.addParticles(Lattice({0, 0, 0}, {0.2, 0.2, 0.2}, 0.1, {1e6, 0, 0}).particles());
    const std::string message = divergence(solver, 0.1);
    EXPECT_NE(message.find("'ice'"), std::string::npos) << message;
    EXPECT_NE(message.find("speed"), std::string::npos) << message;
}
TEST(Lifetime, ATooStiffMaterialIsNamed)
{
    SerialExecutor serial;
    SolverSettings settings;
    settings.shortestStep = 1e-6;
    Solver solver(settings, serial);
    SolverMaterial diamond = material("fixedCorotated", 1, {{"youngModulus", 1e12}});
    diamond.name = "diamond";
    solver.setMaterials({diamond});
    solver.addParticles(Lattice({0, 0, 0}, {0.2, 0.2, 0.2}, 0.1).particles());
    const std::string message = divergence(solver, 0.1);
    EXPECT_NE(message.find("'diamond'"), std::string::npos) << message;
    EXPECT_NE(message.find("stiffness"), std::string::npos) << message;
}

namespace {

/// Gives NaN after a while, as a broken plugin would.
bool brokenModel(void* self, double, float* const*, float* const*, const float* const*,
                 const float*, float* const stress[6])
{
    for (int i = 0; i < 6; ++i)
        for (int lane = 0; lane < kLanes; ++lane)
            stress[i][lane] = *static_cast<int*>(self) > 50 ? NAN : 0.0f;
    ++*static_cast<int*>(self);
    return true;
}

} // namespace

TEST(Lifetime, NotANumberIsNamedWithItsMaterial)
{
    SerialExecutor serial;
    Solver solver({}, serial);
    int calls = 0;
    SolverMaterial bad;
    bad.name = "homemade";
    bad.custom = std::make_shared<CustomModel>(CustomModel{brokenModel, &calls, 1e5f});
    solver.setMaterials({material("liquid", 1000), bad});
    solver.addParticles(Lattice({0, 0, 0}, {0.2, 0.2, 0.2}, 0.1).particles(1));
    const std::string message = divergence(solver, 1);
    EXPECT_NE(message.find("'homemade'"), std::string::npos) << message;
}
