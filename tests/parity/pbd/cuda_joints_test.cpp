// Joints on the device: what the CPU solver does.
#include "device_scene.hpp"
#include "ties.hpp"

namespace floe::pbd {
namespace {

/// Of positions, in radii: joints are projected in the same order, in double precision.
constexpr double kTolerance = 1e-4;

/// A chain of boxes that hangs from the world, of all kinds of joints, and two that a motor turns.
void chain(DeviceTrial& trial)
{
    constexpr int kLinks = 5;
    for (int k = 0; k < kLinks; ++k)
        trial.addBox(0.1, 0.05, {.x = {0.07 + 0.14 * k, 0, 0}, .spin = {0.3 * k, 0, 0.1}});
    trial.solver.joints = {tie(trial, JointKind::ball, {0, 0, 0}, {0, 0, 1})};
    for (std::uint32_t k = 1; k < kLinks; ++k)
        trial.solver.joints.push_back(tie(trial,
                                          k % 3 == 0   ? JointKind::fixed
                                          : k % 3 == 1 ? JointKind::hinge
                                                       : JointKind::ball,
                                          {0.14 * k, 0, 0}, {0, 0, 1}, k, k - 1));
    trial.addBox(0.1, 0.05, {.x = {0, 1, 0}});
    trial.addBox(0.1, 0.05, {.x = {0.2, 1, 0}});
    Joint motor = tie(trial, JointKind::hinge, {0.1, 1, 0}, {1, 0, 0}, kLinks + 1, kLinks);
    motor.motor = true;
    motor.speed = 5;
    motor.torque = 0.5;
    trial.solver.joints.push_back(motor);
    trial.frames = 12;
}
/// Boxes on the ground, of which two and two are tied.
void pairs(DeviceTrial& trial)
{
    trial.basin({2, 2, 2});
    trial.solver.settings.sleepAfter = 0.05;
    for (const double x : {0.3, 0.5, 1.0, 1.2})
        trial.addBox(0.1, 0.05, {.x = {x, 0.0501, 1}});
    trial.solver.joints = {tie(trial, JointKind::fixed, {0.4, 0.05, 1}, {0, 1, 0}, 1, 0),
                           tie(trial, JointKind::ball, {1.1, 0.05, 1}, {0, 1, 0}, 3, 2)};
}

/// Runs a scene on both. @return how far apart they are [radii]
double apart(DeviceTrial& cpu, DeviceTrial& gpu)
{
    cpu.runOnCpu();
    gpu.runOn(*makeDeviceSolver(test::cudaDevice()));
    return distanceBetween(cpu, gpu);
}

} // namespace

TEST(CudaJoints, HoldAsOnTheCpu)
{
    DeviceTrial cpu, gpu;
    chain(cpu);
    chain(gpu);
    const Vec3d end = gpu.solver.scene.bodies[4].x;
    EXPECT_LE(apart(cpu, gpu), kTolerance);
    EXPECT_GT(physics::length(gpu.solver.scene.bodies[4].x - end), 0.1); // it swings
    const Body& turned = gpu.solver.scene.bodies[5];
    EXPECT_GT(std::abs(turned.angularMomentum.x), 0.1 * turned.rest->inertia[0][0]);
    for (const Joint& joint : gpu.solver.joints) {
        const auto placeOf = [&](const JointSide& side) {
            if (side.body == kNoBody)
                return side.anchor;
            const Body& body = gpu.solver.scene.bodies[side.body];
            return body.x + body.R * side.anchor;
        };
        EXPECT_LT(physics::length(placeOf(joint.a) - placeOf(joint.b)), 0.002);
    }
}

TEST(CudaJoints, BreakAsOnTheCpu)
{
    DeviceTrial cpu, gpu;
    for (DeviceTrial* trial : {&cpu, &gpu}) {
        chain(*trial);
        trial->solver.joints[0].strength = 1e6;
        trial->solver.joints[2].strength = 15; // two kilograms swing on it
    }
    EXPECT_LE(apart(cpu, gpu), kTolerance);
    for (std::size_t k = 0; k < cpu.solver.joints.size(); ++k) {
        EXPECT_EQ(cpu.solver.joints[k].broken, gpu.solver.joints[k].broken) << k;
        EXPECT_EQ(gpu.solver.joints[k].broken, k == 2) << k;
    }
}

TEST(CudaJoints, FallAsleepAndWakeTogether)
{
    DeviceTrial cpu, gpu;
    for (DeviceTrial* trial : {&cpu, &gpu}) {
        pairs(*trial);
        trial->frames = 24;
    }
    apart(cpu, gpu);
    const std::size_t all = cpu.solver.scene.particles.size();
    EXPECT_EQ(cpu.solver.sleep().count(), all);
    EXPECT_EQ(gpu.solver.sleep().count(), all);
    for (DeviceTrial* trial : {&cpu, &gpu}) { // a grain strikes the first
        trial->solver.scene.addParticle({0.3, 0.13, 1}, {0, -2, 0}, 0.025f, 0);
        trial->solver.changed();
        trial->frames = 2;
    }
    apart(cpu, gpu);
    for (DeviceTrial* trial : {&cpu, &gpu})
        for (std::uint32_t b = 0; b < 4; ++b)
            EXPECT_EQ(trial->solver.sleep().isAsleep(trial->solver.scene.bodies[b]), b > 1) << b;
    for (DeviceTrial* trial : {&cpu, &gpu}) { // a motor turns the others
        Joint& joint = trial->solver.joints[1];
        joint.motor = true;
        joint.speed = 1;
        joint.torque = 1e-6; // and is too weak to
        trial->frames = 24;
    }
    apart(cpu, gpu);
    for (DeviceTrial* trial : {&cpu, &gpu})
        for (std::uint32_t b = 0; b < 4; ++b)
            EXPECT_EQ(trial->solver.sleep().isAsleep(trial->solver.scene.bodies[b]), b < 2) << b;
}

TEST(CudaJoints, HaveTheSameBitsInAnyOrder)
{
    DeviceTrial first;
    chain(first);
    first.frames = 3;
    first.runOn(*makeDeviceSolver(test::cudaDevice()));
    for (const std::uint64_t seed : {1, 2}) {
        test::shuffleCudaThreads(seed);
        DeviceTrial again;
        chain(again);
        again.frames = 3;
        again.runOn(*makeDeviceSolver(test::cudaDevice()));
        expectSame(first, again);
    }
    test::shuffleCudaThreads(0);
}

} // namespace floe::pbd
