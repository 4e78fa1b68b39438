// Surface tension and wetting on the device: what the CPU solver does, up to the order of sums.
#include "device_scene.hpp"

namespace floe::pbd {
namespace {

/// Of positions, in radii, after an eighth of a second.
#if FLOE_TEST_EMULATED
constexpr double kTolerance = 0.01;
#else
constexpr double kTolerance = 0.05;
#endif

constexpr float kRadius = 0.02f;
constexpr float kTension = 50; ///< drops of this size swing in a third of a second [N/m]

Material water(float wetting)
{
    Material material;
    material.kind = Material::Kind::liquid;
    material.surfaceTension = kTension;
    material.wetting = wetting;
    return material;
}
void withoutWeight(DeviceTrial& trial)
{
    trial.solver.settings.gravity = {0, 0, 0};
    trial.solver.settings.sleepSpeed = 0;
}

/// A cube of two emitters' water, and beside it one of a liquid that counts as air for it.
void cubes(DeviceTrial& trial)
{
    Material oil = water(0);
    oil.surfaceTension = 0.4f * kTension;
    oil.density = 800;
    trial.solver.scene.materials = {water(0), water(0), oil};
    withoutWeight(trial);
    trial.fill({0, 0, 0}, {3, 6, 6}, kRadius, 0);
    trial.fill({0.12, 0, 0}, {3, 6, 6}, kRadius, 1);
    trial.fill({0.24, 0.04, 0.04}, {4, 4, 4}, kRadius, 2);
}
/// Wet on a floor, a wall, a ball and grains, beside a box.
void puddle(DeviceTrial& trial)
{
    Material body;
    body.kind = Material::Kind::body;
    body.density = 500;
    trial.solver.scene.materials = {body, water(0.8f), Material{.density = 2000}};
    trial.basin({0.6, 1, 0.3});
    trial.colliders = {ball(0.08, {0.3, 0.0, 0.12})};
    trial.fill({0, 0, 0}, {6, 5, 6}, kRadius, 1);
    trial.addBox(0.12, 0.04, {.x = {0.31, 0.15, 0.12}, .spin = {0, 1, 0}});
    for (int k = 0; k < 6; ++k)
        trial.solver.scene.addParticle({0.04 + 0.05 * (k % 3), 0.22, 0.07 + 0.06 * (k / 3)},
                                       {0, 0, 0}, 0.015f, 2);
}

/// Runs a scene on both, though nothing may touch. @return how far apart they are [radii]
template <class Scenery>
double apart(const Scenery& scenery)
{
    DeviceTrial cpu, gpu;
    scenery(cpu);
    scenery(gpu);
    cpu.runOnCpu();
    gpu.runOn(*makeDeviceSolver(test::cudaDevice()));
    return distanceBetween(cpu, gpu);
}
/// How far a scene on the device is from itself with another water. @return [radii]
template <class Scenery>
double differenceBy(const Scenery& scenery, float Material::*what, float value)
{
    DeviceTrial one, other;
    scenery(one);
    scenery(other);
    for (Material& material : other.solver.scene.materials)
        if (material.kind == Material::Kind::liquid)
            material.*what = value;
    for (DeviceTrial* trial : {&one, &other})
        trial->runOn(*makeDeviceSolver(test::cudaDevice()));
    return distanceBetween(one, other);
}

} // namespace

TEST(CudaTension, PullsAsOnTheCpu)
{
    EXPECT_LE(apart(cubes), kTolerance);
    EXPECT_GT(differenceBy(cubes, &Material::surfaceTension, 0), 0.5);
    EXPECT_GT(differenceBy(cubes, &Material::surfaceTension, kTension), 0.1); // of the oil
}

// The corners of a cube come in; its momentum stays 0.
TEST(CudaTension, ADropBecomesRound)
{
    DeviceTrial trial;
    trial.solver.scene.materials = {water(0)};
    trial.solver.scene.materials[0].viscosity = 20;
    withoutWeight(trial);
    const double half = 0.12;
    trial.fill({-half, -half, -half}, {6, 6, 6}, kRadius);
    trial.frames = 12;
    const Particles& particles = trial.solver.scene.particles;
    const auto farthest = [&] {
        double most = 0;
        for (const Vec3d& x : particles.x)
            most = std::max(most, physics::length(x));
        return most;
    };
    const double before = farthest();
    trial.runOn(*makeDeviceSolver(test::cudaDevice()));
    EXPECT_LT(farthest(), 0.85 * before); // of a ball of that volume: 0.74
    double mass = 0;
    for (const float each : particles.mass)
        mass += double{each};
    EXPECT_LT(physics::length(trial.momentum()), 1e-6 * mass);
}

TEST(CudaTension, WetsAsOnTheCpu)
{
    const auto withoutBall = [](DeviceTrial& trial) {
        puddle(trial);
        trial.colliders.clear();
    };
    EXPECT_LE(compare(withoutBall), kTolerance);
    EXPECT_LE(compare(puddle), 3 * kTolerance); // distances from it differ in the last digit
    EXPECT_GT(differenceBy(puddle, &Material::wetting, 0), 0.1);
}

// A drop and the crate that it draws to itself pull each other alike.
TEST(CudaTension, WettingKeepsMomentum)
{
    const auto drawn = [](DeviceTrial& trial) {
        Material body;
        body.kind = Material::Kind::body;
        trial.solver.scene.materials = {body, water(0.9f)};
        withoutWeight(trial);
        trial.addBox(0.24, 0.04, {.x = {0.1, -0.13, 0.1}});
        trial.fill({0, 0, 0}, {5, 4, 5}, kRadius, 1);
    };
    DeviceTrial trial;
    drawn(trial);
    trial.frames = 12;
    const Body& crate = trial.solver.scene.bodies[0];
    const Vec3d before = crate.x;
    trial.runOn(*makeDeviceSolver(test::cudaDevice()));
    EXPECT_GT(crate.x.y - before.y, 0.001);
    double mass = crate.rest->mass;
    for (const float each : trial.solver.scene.particles.mass)
        mass += double{each};
    EXPECT_LT(physics::length(trial.momentum()), 1e-6 * mass);
    EXPECT_LE(apart(drawn), kTolerance);
}

TEST(CudaTension, HasTheSameBitsInAnyOrderAndAfterARestart)
{
    const auto device = makeDeviceSolver(test::cudaDevice());
    DeviceTrial first;
    puddle(first);
    first.frames = 2;
    first.runOn(*device);
    DeviceTrial restarted;
    puddle(restarted);
    restarted.frames = 2;
    restoreFrom(restarted, first);
    first.runOn(*device);
    restarted.runOn(*makeDeviceSolver(test::cudaDevice()));
    expectSame(first, restarted);
    for (const std::uint64_t seed : {0, 1, 2}) {
        test::shuffleCudaThreads(seed);
        DeviceTrial again;
        puddle(again);
        again.frames = 4;
        again.runOn(*makeDeviceSolver(test::cudaDevice()));
        expectSame(first, again);
    }
    test::shuffleCudaThreads(0);
}

} // namespace floe::pbd
