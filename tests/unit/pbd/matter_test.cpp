// Grains, liquids and soft bodies.
#include "solver_scene.hpp"
#include "threads.hpp"

#include "floe/sdk/sampling.hpp"
#include "solver/kernel.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace floe::pbd {
namespace {

constexpr double kStep = 1.0 / 480;

Material liquid()
{
    Material material;
    material.kind = Material::Kind::liquid;
    material.staticFriction = material.kineticFriction = 0;
    material.smoothing = 5;
    return material;
}

} // namespace

TEST(Rotation, AllMethodsFindTheSame)
{
    const Mat3d R = rotationAbout(Vec3d{0.4, -1.1, 0.3});
    const Mat3d stretch = {{{1.3, 0.1, 0}, {0.1, 0.9, 0.2}, {0, 0.2, 1.1}}};
    const Mat3d A = R * stretch;
    for (const auto& found : {polarRotation(A), iterativeRotation(A, Mat3d::identity())})
        EXPECT_LT(physics::squaredNorm(found - R), 1e-10);
    EXPECT_LT(physics::squaredNorm(gramSchmidtRotation(R) - R), 1e-20);
    // Flat matter still has a rotation: the iterative one keeps to the last.
    const Mat3d flat = R * Mat3d::diagonal({1, 1, 0});
    EXPECT_LT(physics::squaredNorm(iterativeRotation(flat, R) - R), 1e-10);
}

TEST(Kernel, SumsToTheDensityOfALattice)
{
    const float factor = latticeFactor(4);
    // The spline's own factor is 8 / pi; a lattice of four radii differs by a percent or two.
    EXPECT_NEAR(factor, 8 / 3.14159265, 0.06);
    for (const float q : {0.1f, 0.4f, 0.6f, 0.9f})
        EXPECT_NEAR(kernelSlope(q), (kernelShape(q + 1e-3f) - kernelShape(q - 1e-3f)) / 2e-3f,
                    2e-3);
}

TEST(Grains, KeepMomentum)
{
    Trial trial;
    trial.solver.settings.gravity = {0, 0, 0};
    sdk::RandomSequence random(1);
    const auto spread = [&](double a) {
        return static_cast<float>(a * (random.uniform() - 0.5));
    };
    for (int i = 0; i < 400; ++i)
        trial.solver.scene.addParticle(
            Vec3d{spread(1), spread(1), spread(1)}, {spread(4), spread(4), spread(4)},
            0.02f * static_cast<float>(std::pow(4, random.uniform())), 0);
    const Vec3d before = trial.momentum();
    double mass = 0;
    for (const float m : trial.solver.scene.particles.mass)
        mass += m;
    const double energy = trial.kineticEnergy();
    trial.run(0.3, kStep);
    EXPECT_LT(trial.kineticEnergy(), 0.9 * energy);
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(trial.momentum()[axis], before[axis], 1e-5 * mass);
}

// Two of unlike size meet head on, without restitution: they go on together.
TEST(Grains, CollideInelastically)
{
    Trial trial;
    trial.solver.settings.gravity = {0, 0, 0};
    trial.solver.scene.addParticle({-0.5, 0, 0}, {1, 0, 0}, 0.2f, 0);
    trial.solver.scene.addParticle({0.3, 0, 0}, {-2, 0, 0}, 0.1f, 0);
    trial.run(0.5, kStep);
    const Particles& p = trial.solver.scene.particles;
    const double v = (8 * 1.0 - 1 * 2.0) / 9;
    EXPECT_NEAR(p.v[0].x, v, 1e-4);
    EXPECT_NEAR(p.v[1].x, v, 1e-4);
    EXPECT_NEAR(p.x[1].x - p.x[0].x, 0.3, 0.005);
}

// A column of 40 layers drops onto the floor: each bears those above it, and none is pressed into
// another.
TEST(Grains, ATallHeapStands)
{
    Trial trial;
    constexpr float kRadius = 0.01f;
    constexpr std::array<int, 3> kLayers{8, 40, 8};
    trial.basin({0.168, 2, 0.168});
    sdk::RandomSequence random(3);
    for (int z = 0; z < kLayers[2]; ++z)
        for (int y = 0; y < kLayers[1]; ++y)
            for (int x = 0; x < kLayers[0]; ++x) {
                const auto at = [&](int k) {
                    return double{kRadius} * (2.1 * k + 1.05 + 0.1 * (random.uniform() - 0.5));
                };
                const Vec3d place{at(x), at(y), at(z)};
                trial.solver.scene.addParticle(place, {0, 0, 0}, kRadius, 0);
            }
    for (int k = 0; k < 8; ++k) {
        trial.run(0.125, kStep);
        EXPECT_LT(trial.solver.contacts().overlapOfGrains(trial.solver.scene),
                  k < 2 ? 0.06 : 0.015);
    }
    double height = 0;
    for (const Vec3d& x : trial.solver.scene.particles.x)
        height += x.y / static_cast<double>(trial.solver.scene.particles.size());
    EXPECT_GT(height, 20 * 2 * 0.9 * kRadius); // half of 40 layers, a little denser
    EXPECT_LT(std::sqrt(trial.kineticEnergy()), 0.05);
}

TEST(Grains, ASettledPileStays)
{
    Trial trial;
    trial.colliders = {std::make_shared<Ground>(0.6f)};
    sdk::RandomSequence random(5);
    for (int i = 0; i < 500; ++i) {
        const double y = 0.06 + 0.05 * (i / 25);
        const auto at = [&](int k) {
            return 0.07 * (k - 2) + 0.02 * random.uniform();
        };
        trial.solver.scene.addParticle({at(i % 5), y, at(i / 5 % 5)}, {0, 0, 0},
                                       i % 3 ? 0.02f : 0.03f, 0);
    }
    trial.run(4, kStep);
    const std::vector<Vec3d> settled = trial.solver.scene.particles.x;
    double top = 0;
    for (const Vec3d& x : settled) {
        top = std::max(top, x.y);
        EXPECT_GT(x.y, 0.015);
    }
    EXPECT_GT(top, 0.1); // it is a pile, not a layer
    trial.run(4, kStep);
    double worst = 0, sum = 0;
    for (std::size_t i = 0; i < settled.size(); ++i) {
        const double way = physics::length(trial.solver.scene.particles.x[i] - settled[i]);
        worst = std::max(worst, way);
        sum += way;
    }
    EXPECT_LT(worst, 0.02);       // no grain by its radius
    EXPECT_LT(sum / 500, 0.0004); // a fiftieth of a radius in 4 s
}

// A drop that was drawn out swings through a ball and back: after half of Rayleigh's period it is
// at its flattest. No drop leaves it, and its momentum stays 0.
TEST(Liquid, ADropSwingsAtRayleighsPeriod)
{
    constexpr float kRadius = 0.001f, kTension = 0.072f;
    Material water;
    water.kind = Material::Kind::liquid;
    water.staticFriction = water.kineticFriction = 0;
    water.surfaceTension = kTension;
    Trial trial(water);
    trial.solver.settings.gravity = {0, 0, 0};
    trial.solver.settings.sleepSpeed = 0;
    const double half = 10 * std::pow(1.3, -1.0 / 3), longer = 1.3 * half; // of a particle's radius
    sdk::RandomSequence random(3);
    for (int z = -8; z < 8; ++z)
        for (int y = -8; y < 8; ++y)
            for (int x = -8; x < 8; ++x) {
                const auto at = [&](int k) {
                    return 2 * (k + random.uniform());
                };
                const double px = at(x), py = at(y), pz = at(z);
                if ((px * px + pz * pz) / (half * half) + py * py / (longer * longer) < 1)
                    trial.solver.scene.addParticle(double{kRadius} * Vec3d{px, py, pz}, {0, 0, 0},
                                                   kRadius, 0);
            }
    trial.solver.changed();
    trial.solver.settle({{}, {}, &trial.domain}, 30, serialLoops);
    const auto& particles = trial.solver.scene.particles;
    const auto count = static_cast<double>(particles.size());
    const double R = kRadius * std::cbrt(6 * count / std::numbers::pi);
    const double period =
        2 * std::numbers::pi * std::sqrt(1000 * R * R * R / (8 * double{kTension}));
    double flattest = 2, when = 0;
    while (trial.time < 0.75 * period) {
        trial.run(0.005, 1.0 / 2000);
        double along = 0, across = 0;
        for (const Vec3d& x : particles.x) {
            along += x.y * x.y;
            across += 0.5 * (x.x * x.x + x.z * x.z);
            EXPECT_LT(physics::length(x), 1.4 * R);
        }
        if (along / across >= flattest)
            continue;
        flattest = along / across;
        when = trial.time;
    }
    EXPECT_LT(flattest, 0.85);
    EXPECT_NEAR(when, 0.5 * period, 0.1 * period);
    const double mass = count * double{particles.mass[0]};
    EXPECT_LT(physics::length(trial.momentum()), 1e-6 * mass);
    EXPECT_LT(physics::length(trial.angularMomentum()), 1e-3 * mass * R);
}

TEST(Liquid, KeepsMomentum)
{
    Trial trial;
    trial.solver.scene.materials.push_back(liquid());
    trial.solver.settings.gravity = {0, 0, 0};
    trial.fill({0, 0, 0}, {6, 6, 6}, 0.02f, 1);
    trial.fill({0.3, 0.02, 0}, {5, 5, 5}, 0.02f, 1);
    Particles& p = trial.solver.scene.particles;
    for (std::size_t i = 0; i < p.size(); ++i)
        p.v[i] = {i < 216 ? 1.0f : -1.0f, 0, 0};
    trial.addBox(0.16, 0.04, {.x = {0.15, 0.4, 0.1}, .v = {0, -1, 0}});
    const Vec3d before = trial.momentum();
    trial.run(0.4, kStep);
    for (int axis = 0; axis < 3; ++axis) // 24 kg
        EXPECT_NEAR(trial.momentum()[axis], before[axis], 1e-5 * 24);
}

// Archimedes: a light box floats, a heavy one goes to the ground.
TEST(Liquid, CarriesWhatIsLighter)
{
    for (const float density : {300.0f, 3000.0f}) {
        Trial trial;
        trial.solver.scene.materials[0].density = density;
        trial.solver.scene.materials.push_back(liquid());
        trial.basin({0.36, 2, 0.36});
        trial.addBox(0.16, 0.04, {.x = {0.18, 0.45, 0.18}});
        trial.fill({0, 0, 0}, {9, 8, 9}, 0.02f, 1);
        trial.run(1.5, kStep);
        const double y = trial.solver.scene.bodies[0].x.y;
        if (density < 1000)
            EXPECT_GT(y, 0.3);
        else
            EXPECT_LT(y, 0.14); // on the floor, or a layer of water on it
    }
}

// A soft cube swings about its shape at the frequency that it is given, whatever the step.
TEST(SoftBody, SwingsAtItsFrequency)
{
    for (const double dt : {1.0 / 480, 1.0 / 1920})
        for (const int iterations : {1, 4}) {
            Trial trial;
            trial.solver.settings.gravity = {0, 0, 0};
            trial.solver.settings.iterations = iterations;
            trial.addBox(0.4, 0.1, {}, false, 2);
            Particles& p = trial.solver.scene.particles;
            for (Vec3d& x : p.x)
                x.y *= 1.1;
            const auto height = [&] {
                double low = 1, high = -1;
                for (const Vec3d& x : p.x) {
                    low = std::min(low, x.y);
                    high = std::max(high, x.y);
                }
                return high - low;
            };
            // Half a swing of 2 Hz takes a quarter of a second.
            int k = 0;
            double least = 1;
            int when = 0;
            for (; k * dt < 0.4; ++k) {
                trial.run(dt, dt);
                if (height() < least) {
                    least = height();
                    when = k;
                }
            }
            EXPECT_NEAR(when * dt, 0.25, 0.02) << dt << ' ' << iterations;
            EXPECT_LT(least, 0.29); // 0.3 at rest, 0.33 at first
        }
}

// Shape matching pulls towards goals about the same centre, turned by the nearest rotation: no net
// force and no net torque at the end of a step. As in any implicit step of size dt, the spin w then
// decays by w^2 dt a second; linear momentum stays.
TEST(SoftBody, KeepsMomentumAndSpin)
{
    for (const double dt : {1.0 / 480, 1.0 / 1920}) {
        const double spin = 4, seconds = 1;
        Trial trial;
        trial.solver.settings.gravity = {0, 0, 0};
        trial.addBox(0.4, 0.1, {.x = {1, 2, 3}, .v = {1, -0.5, 0.2}, .spin = {0, 0, spin}}, false,
                     20);
        const Vec3d linear = trial.momentum(), center = trial.solver.scene.bodies[0].x;
        const double mass = trial.solver.scene.bodies[0].rest->mass;
        const auto spinMomentum = [&](const Vec3d& at) {
            return (trial.angularMomentum() - physics::cross(at, trial.momentum())).z;
        };
        const double before = spinMomentum(center);
        trial.run(seconds, dt);
        const double after = spinMomentum(center + (seconds / mass) * linear);
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(trial.momentum()[axis], linear[axis], 1e-4 * mass);
        const double lost = -std::log(after / before);
        EXPECT_NEAR(lost, spin * spin * dt * seconds, 0.25 * spin * spin * dt * seconds) << dt;
    }
}

TEST(SoftBody, RestsOnTheGroundAndKeepsItsShape)
{
    Trial trial;
    trial.colliders = {std::make_shared<Ground>(0.5f)};
    trial.addBox(0.4, 0.1, {.x = {0, 0.3, 0}}, false, 20, 5);
    trial.run(2, kStep);
    const Body& body = trial.solver.scene.bodies[0];
    EXPECT_NEAR(body.x.y, 0.2, 0.02);
    EXPECT_GT(body.R[1][1], 0.99);
    EXPECT_LT(trial.kineticEnergy(), 0.05);
}

namespace {

/// A beam of 0.8 x 0.1 x 0.1 m along x. @return its number
std::uint32_t addBeam(Trial& trial, int regions, const Scene::Placed& placed, float frequency,
                      float damping)
{
    const auto rest = std::make_shared<const RestBody>(
        makeRestBody(test::gridBox({-0.4, -0.05, -0.05}, {0.4, 0.05, 0.05}).view(),
                     {.voxel = 0.025, .density = 1000, .regions = regions}, serialLoops));
    return trial.solver.scene.addBody(rest, 0, placed, false, frequency, damping);
}

} // namespace

// Every particle belongs to regions with all of its mass, and these are the body.
TEST(Regions, AddUpToTheBody)
{
    const RestBody body =
        makeRestBody(test::cube(0.4).view(), {.voxel = 0.025, .regions = 4}, serialLoops);
    EXPECT_EQ(body.regions.size(), 125u);
    double mass = 0;
    Vec3d first{0, 0, 0};
    for (const Region& region : body.regions) {
        mass += region.mass;
        first = first + region.mass * region.center;
    }
    EXPECT_NEAR(mass, body.mass, 1e-6 * body.mass);
    EXPECT_LT(physics::length(first), 1e-6 * body.mass);
    float largest = 0;
    for (std::size_t i = 0; i < body.particles.size(); ++i) {
        double sum = 0;
        for (const float share : body.regionShare[i])
            sum += share;
        EXPECT_NEAR(sum, 1, 1e-6);
        largest = std::max(largest, body.particles[i].radius);
    }
    EXPECT_EQ(largest, 0.025f); // regions of 9 cm: two voxels in one particle, not four
    EXPECT_THROW(makeRestBody(test::cube(0.4).view(), {.voxel = 0.1, .regions = 3}, serialLoops),
                 std::invalid_argument);
}

// A beam that lies across a ridge hangs down on both sides if it has regions, and keeps straight if
// it has none; both keep their lengths.
TEST(Regions, LetABodyBend)
{
    double sag[2], length[2];
    for (const int regions : {1, 8}) {
        Trial trial;
        const std::size_t k = regions > 1;
        const std::uint32_t beam = addBeam(trial, regions, {}, 40, 4);
        Scene& scene = trial.solver.scene;
        const Body& body = scene.bodies[beam];
        std::size_t left = 0, right = 0, middle = 0;
        for (std::size_t i = 0; i < scene.particles.size(); ++i) {
            const Vec3d &x = scene.particles.x[i], &l = scene.particles.x[left],
                        &r = scene.particles.x[right], &m = scene.particles.x[middle];
            left = x.x < l.x ? i : left;
            right = x.x > r.x ? i : right;
            middle = std::abs(x.x) < std::abs(m.x) ? i : middle;
        }
        for (std::size_t i = 0; i < scene.particles.size(); ++i) // the ridge
            if (std::abs(scene.particles.x[i].x) < 0.05)
                scene.particles.mass[i] = INFINITY;
        trial.run(1.5, kStep);
        const auto& x = scene.particles.x;
        sag[k] = x[middle].y - 0.5 * (x[left].y + x[right].y);
        length[k] = physics::length(x[left] - x[middle]) + physics::length(x[right] - x[middle]);
        EXPECT_EQ(body.turns.size(), regions > 1 ? body.rest->regions.size() : 0u);
        if (regions > 1) { // its left end points down
            EXPECT_GT(body.turnAt(left)[1][0], 0.1);
        }
    }
    EXPECT_LT(sag[0], 0.01);
    EXPECT_GT(sag[1], 0.05);
    EXPECT_LT(sag[1], 0.3);
    EXPECT_NEAR(length[1], 0.775, 0.06); // as the crow flies
}

// Regions pull at each other and at nothing else. What spins loses by the step, as above.
TEST(Regions, KeepMomentumAndSpin)
{
    for (const double dt : {1.0 / 480, 1.0 / 1920}) {
        const double spin = 3, seconds = 1;
        Trial trial;
        trial.solver.settings.gravity = {0, 0, 0};
        addBeam(trial, 6, {.x = {1, 2, 3}, .v = {1, -0.5, 0.2}, .spin = {0, 0, spin}}, 20, 0);
        Particles& p = trial.solver.scene.particles;
        for (std::size_t i = 0; i < p.size(); ++i) // and it is bent
            p.v[i].z += static_cast<float>(2 * (p.x[i].x - 1) * (p.x[i].x - 1));
        const Vec3d linear = trial.momentum(), center = trial.solver.scene.bodies[0].x;
        const double mass = trial.solver.scene.bodies[0].rest->mass;
        const auto about = [&](const Vec3d& at) {
            return (trial.angularMomentum() - physics::cross(at, trial.momentum())).z;
        };
        const double before = about(center);
        trial.run(seconds, dt);
        const double after = about(center + (seconds / mass) * linear);
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(trial.momentum()[axis], linear[axis], 1e-4 * mass);
        EXPECT_LT(std::abs(1 - after / before), 1.5 * spin * spin * dt * seconds) << dt;
    }
}

TEST(MatterThreads, ChangeNoBit)
{
    const auto run = [](int threads) {
        test::ThreadExecutor executor(threads);
        Trial trial;
        trial.solver.scene.materials.push_back(liquid());
        trial.solver.scene.materials.back().surfaceTension = 0.5f;
        trial.solver.scene.materials.back().wetting = 0.5f;
        trial.solver.scene.materials.back().vorticity = 5;
        trial.basin({0.4, 2, 0.4});
        trial.addBox(0.16, 0.04, {.x = {0.2, 0.5, 0.2}});
        trial.addBox(0.16, 0.04, {.x = {0.1, 0.7, 0.2}}, false, 10, 1);
        trial.fill({0, 0, 0}, {10, 6, 10}, 0.02f, 1);
        trial.fill({0, 0.8, 0}, {4, 4, 4}, 0.03f, 0);
        trial.run(0.3, kStep, executor);
        return trial.solver.scene;
    };
    const Scene one = run(1), four = run(4);
    for (std::size_t i = 0; i < one.particles.size(); ++i)
        for (int axis = 0; axis < 3; ++axis) {
            ASSERT_EQ(one.particles.x[i][axis], four.particles.x[i][axis]);
            ASSERT_EQ(one.particles.v[i][axis], four.particles.v[i][axis]);
        }
}

} // namespace floe::pbd
