// Bodies that break on the device: what the CPU solver does.
#include "breakables.hpp"
#include "device_scene.hpp"
#include "ties.hpp"

namespace floe::pbd {
namespace {

/// Of positions, in radii: contacts are summed in another order.
constexpr double kTolerance = 0.01;

/// A cube that falls flat onto the floor from half a metre.
void fall(DeviceTrial& trial, double strength)
{
    trial.basin({2, 2, 2});
    addBreakable(trial, breakable(0.4, 0.1, 6), {.x = {1, 0.7, 1}}, strength);
    trial.frames = 18;
}
/// One that hangs by a corner, in whose pieces there are pieces, and what strikes it.
void struck(DeviceTrial& trial)
{
    addBreakable(trial, breakable(0.4, 0.1, 6, 2), {.x = {0, 2, 0}}, 0.5);
    trial.solver.joints = {tie(trial, JointKind::ball, {0.17, 2.17, 0.02}, {0, 1, 0})};
    trial.solver.scene.addParticle({-0.1, 1.9, 0.6}, {0, 0, -12}, 0.15f, 0);
    trial.frames = 6;
}

void onBoth(DeviceTrial& cpu, DeviceTrial& gpu)
{
    cpu.runOnCpu();
    gpu.runOn(*makeDeviceSolver(test::cudaDevice()));
    ASSERT_EQ(cpu.solver.scene.bodies.size(), gpu.solver.scene.bodies.size());
    EXPECT_EQ(cpu.solver.scene.particles.body, gpu.solver.scene.particles.body);
    EXPECT_EQ(cpu.solver.counts().broken, gpu.solver.counts().broken);
    EXPECT_LE(distanceBetween(cpu, gpu), kTolerance);
}

} // namespace

// Of sqrt(2 g h) = 3.1 m/s; those as strong bear it.
TEST(CudaBreaking, BeginsAtTheStrength)
{
    for (const double strength : {2.5, 3.5}) {
        DeviceTrial cpu, gpu;
        fall(cpu, strength);
        fall(gpu, strength);
        onBoth(cpu, gpu);
        EXPECT_EQ(gpu.solver.scene.bodies.size(), strength < 3 ? 6u : 1u);
        if (strength > 3) {
            EXPECT_NEAR(gpu.solver.scene.bodies[0].blow, cpu.solver.scene.bodies[0].blow,
                        1e-4 * cpu.solver.scene.bodies[0].blow);
        }
    }
}

TEST(CudaBreaking, JointsHoldTheirPiece)
{
    DeviceTrial cpu, gpu;
    struck(cpu);
    struck(gpu);
    onBoth(cpu, gpu);
    EXPECT_GE(gpu.solver.scene.bodies.size(), 6u);
    const JointSide& side = gpu.solver.joints[0].a;
    EXPECT_EQ(side.body, cpu.solver.joints[0].a.body);
    const Body& held = gpu.solver.scene.bodies[side.body];
    EXPECT_LT(physics::length(held.x + held.R * side.anchor - Vec3d{0.17, 2.17, 0.02}), 1e-3);
}

// A grain falls hard onto one of two that sleep.
TEST(CudaBreaking, WakesWhatBreaks)
{
    DeviceTrial cpu, gpu;
    for (DeviceTrial* trial : {&cpu, &gpu}) {
        trial->basin({2, 2, 2});
        trial->solver.settings.sleepAfter = 0.05;
        for (const double x : {0.5, 1.5})
            addBreakable(*trial, breakable(0.4, 0.1, 6), {.x = {x, 0.2, 1}}, 0.5);
        trial->frames = 24;
    }
    onBoth(cpu, gpu);
    EXPECT_EQ(gpu.solver.sleep().count(), gpu.solver.scene.particles.size());
    for (DeviceTrial* trial : {&cpu, &gpu}) {
        trial->solver.scene.addParticle({0.5, 0.55, 1}, {0, -20, 0}, 0.1f, 0);
        trial->solver.changed();
        trial->frames = 2;
    }
    onBoth(cpu, gpu);
    const Scene& scene = gpu.solver.scene;
    ASSERT_EQ(scene.bodies.size(), 7u);
    for (std::size_t b = 0; b < scene.bodies.size(); ++b)
        EXPECT_EQ(gpu.solver.sleep().isAsleep(scene.bodies[b]), b == 1) << b;
}

TEST(CudaBreaking, HasTheSameBitsInAnyOrder)
{
    DeviceTrial first;
    struck(first);
    first.runOn(*makeDeviceSolver(test::cudaDevice()));
    for (const std::uint64_t seed : {1, 2}) {
        test::shuffleCudaThreads(seed);
        DeviceTrial again;
        struck(again);
        again.runOn(*makeDeviceSolver(test::cudaDevice()));
        expectSame(first, again);
    }
    test::shuffleCudaThreads(0);
}

} // namespace floe::pbd
