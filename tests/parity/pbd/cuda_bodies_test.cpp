// Rigid and soft bodies on the device. Their sums are added in another order than on the CPU,
// always in the same one.
#include "device_scene.hpp"

namespace floe::pbd {
namespace {

/// Of positions, in radii, after an eighth of a second: sums in double precision differ in the last
/// digits, impulses are single.
#if FLOE_TEST_EMULATED
constexpr double kTolerance = 1e-3;
#else
constexpr double kTolerance = 0.01;
#endif

/// Boxes fall onto each other, the lowest onto the floor, with grains between and on them.
void stack(DeviceTrial& trial)
{
    trial.basin({0.6, 2, 0.6});
    trial.domain.friction = 0.5f;
    trial.solver.settings.massScaling = 1;
    for (int k = 0; k < 3; ++k)
        trial.addBox(0.2, 0.05,
                     {.x = {0.3 + 0.02 * k, 0.105 + 0.205 * k, 0.3},
                      .R = rotationAbout(Vec3d{0, 0.2 * k, 0}),
                      .v = {0, -0.3, 0},
                      .spin = {0, 0.5, 0.1}});
    addGrains(trial, {0.24, 0.62, 0.24}, {3, 3, 3}, 0.02f, 1.5f, {0, -1, 0});
}

/// A soft box of one piece and one that bends, with grains on them.
void softBoxes(DeviceTrial& trial)
{
    trial.basin({0.6, 2, 0.6});
    trial.addBox(0.2, 0.05, {.x = {0.3, 0.105, 0.3}, .v = {0, -1, 0}, .spin = {0, 2, 0}}, false,
                 20);
    const auto rest = std::make_shared<RestBody>(
        makeRestBody(test::gridBox({-0.2, -0.05, -0.05}, {0.2, 0.05, 0.05}).view(),
                     {.voxel = 0.05,
                      .density = trial.solver.scene.materials[0].density,
                      .skinned = true,
                      .regions = 3},
                     serialLoops));
    EXPECT_GT(rest->regions.size(), 1u);
    trial.solver.scene.addBody(
        rest, 0,
        {.x = {0.32, 0.26, 0.3}, .R = rotationAbout(Vec3d{0, 0.4, 0.1}), .v = {0, -1.5, 0}}, false,
        10, 2);
    addGrains(trial, {0.24, 0.33, 0.24}, {3, 2, 3}, 0.02f, 1.5f, {0, -1, 0});
}

void stackOnABall(DeviceTrial& trial)
{
    stack(trial);
    trial.domain = {};
    trial.colliders = {ball(0.3, {0.3, -0.29, 0.3})};
}

} // namespace

TEST(CudaBodies, StackWithGrains)
{
    EXPECT_LE(compare(stack), kTolerance);
}

TEST(CudaBodies, OnABall)
{
    EXPECT_LE(compare(stackOnABall), kTolerance);
}

// The longest edges of the softer one change: it is not carried as a rigid body.
TEST(CudaBodies, SoftOnes)
{
    EXPECT_LE(compare(softBoxes), kTolerance);
    DeviceTrial trial;
    softBoxes(trial);
    const Body& body = trial.solver.scene.bodies[1];
    const auto last = body.first + body.rest->particles.size() - 1;
    const auto across = [&] {
        const std::vector<Vec3d>& x = trial.solver.scene.particles.x;
        return physics::length(x[last] - x[body.first]);
    };
    const double before = across();
    trial.runOn(*makeDeviceSolver(test::cudaDevice()));
    EXPECT_GT(std::abs(across() - before), 1e-3);
    EXPECT_LT(std::abs(across() - before), 0.1);
}

// Two boxes meet off their centres, far from everything: what they have together stays, as on the
// CPU.
TEST(CudaBodies, KeepMomentum)
{
    DeviceTrial trial;
    trial.solver.settings.gravity = {0, 0, 0};
    trial.addBox(0.2, 0.05, {.x = {-0.15, 0, 0}, .v = {1, 0, 0}});
    trial.addBox(
        0.2, 0.05,
        {.x = {0.15, 0.07, 0.02}, .R = rotationAbout(Vec3d{0.3, 0.2, 0.5}), .v = {-1, 0, 0}});
    const Vec3d momentum = trial.momentum(), spin = trial.angularMomentum();
    const double energy = trial.energy();
    trial.frames = 8;
    trial.runOn(*makeDeviceSolver(test::cudaDevice()));
    double mass = 0;
    for (const float m : trial.solver.scene.particles.mass)
        mass += m;
    EXPECT_LT(trial.energy(), 0.8 * energy); // they have met
    for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(trial.momentum()[axis], momentum[axis], 1e-5 * mass);
        EXPECT_NEAR(trial.angularMomentum()[axis], spin[axis], 1e-5 * mass);
    }
}

TEST(CudaBodies, HaveTheSameBitsInAnyOrder)
{
    DeviceTrial first;
    stack(first);
    first.frames = 4;
    first.runOn(*makeDeviceSolver(test::cudaDevice()));
    DeviceTrial soft;
    softBoxes(soft);
    soft.frames = 4;
    soft.runOn(*makeDeviceSolver(test::cudaDevice()));
    for (const std::uint64_t seed : {0, 1, 2}) {
        test::shuffleCudaThreads(seed);
        DeviceTrial again, softAgain;
        stack(again);
        softBoxes(softAgain);
        again.frames = softAgain.frames = 4;
        again.runOn(*makeDeviceSolver(test::cudaDevice()));
        softAgain.runOn(*makeDeviceSolver(test::cudaDevice()));
        expectSame(first, again);
        expectSame(soft, softAgain);
    }
    test::shuffleCudaThreads(0);
}

TEST(CudaBodies, GoOnFromACheckpoint)
{
    const auto device = makeDeviceSolver(test::cudaDevice());
    DeviceTrial whole, rest;
    stack(whole);
    stack(rest);
    whole.frames = rest.frames = 3;
    whole.runOn(*device);
    restoreFrom(rest, whole);
    whole.runOn(*device);
    rest.runOn(*makeDeviceSolver(test::cudaDevice()));
    expectSame(whole, rest);
}

} // namespace floe::pbd
