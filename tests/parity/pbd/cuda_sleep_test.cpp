// Grains and bodies on the device fall asleep and wake as on the CPU.
#include "device_scene.hpp"

namespace floe::pbd {
namespace {

constexpr float kGrain = 0.02f;
/// Of positions, in radii, after a heap has come to rest: on a card grains do not all end where
/// they do on the CPU.
#if FLOE_TEST_EMULATED
constexpr double kRested = 0.01;
#else
constexpr double kRested = 1;
#endif

/// A small heap in a basin, which falls asleep within two seconds.
void heap(DeviceTrial& trial)
{
    trial.basin({0.2, 1, 0.2});
    trial.domain.friction = 0.6f;
    trial.solver.settings.sleepAfter = 0.25;
    addGrains(trial, {0.01, 0, 0.01}, {4, 3, 4}, kGrain, 1.5f, {0, 0, 0});
    trial.frames = 96;
}
/// Something heavy falls onto the heap.
void drop(DeviceTrial& trial)
{
    trial.solver.scene.addParticle({0.1, 0.3, 0.1}, {0, -1.5f, 0}, 2 * kGrain, 0);
    trial.solver.scene.particles.mass.back() *= 3;
    trial.solver.changed();
    trial.frames = 1;
}
/// Two boxes, one on the other, with grains beside them.
void boxes(DeviceTrial& trial)
{
    trial.basin({0.5, 2, 0.5});
    trial.domain.friction = 0.5f;
    trial.solver.settings.sleepAfter = 0.25;
    trial.addBox(0.2, 0.05, {.x = {0.25, 0.1, 0.25}});
    trial.addBox(0.1, 0.05, {.x = {0.26, 0.251, 0.25}});
    addGrains(trial, {0.02, 0, 0.02}, {2, 1, 6}, kGrain, 1, {0, 0, 0});
    trial.frames = 50;
}
std::size_t asleep(const DeviceTrial& trial)
{
    return trial.solver.sleep().count();
}
bool allSleep(const DeviceTrial& trial)
{
    return asleep(trial) == trial.solver.scene.particles.size();
}

} // namespace

// All that sleep does is of the same bits as on the CPU, from the fall to the sleep, the blow and
// the next sleep; most of the time some sleep and some do not.
TEST(CudaSleep, AHeapFallsAsleepAndAHitWakesIt)
{
    DeviceTrial cpu, gpu;
    heap(cpu);
    heap(gpu);
    const auto device = makeDeviceSolver(test::cudaDevice());
    cpu.runOnCpu();
    gpu.runOn(*device);
    ASSERT_TRUE(allSleep(gpu));
    EXPECT_EQ(device->report().contacts, 0u); // nothing was computed
    EXPECT_LE(distanceBetween(cpu, gpu), kRested);
    const std::size_t all = asleep(gpu);
    drop(cpu);
    drop(gpu);
    std::size_t fewest = all, partly = 0;
    for (int frame = 0; frame < 120; ++frame) {
        cpu.runOnCpu();
        gpu.runOn(*device);
        fewest = std::min(fewest, asleep(gpu));
        partly += asleep(gpu) > 0 && !allSleep(gpu);
#if FLOE_TEST_EMULATED
        expectSame(cpu, gpu);
        if (testing::Test::HasFailure())
            FAIL() << "in frame " << frame;
#endif
    }
    EXPECT_LT(fewest, all / 2);
    EXPECT_GT(partly, 3u);
    EXPECT_TRUE(allSleep(gpu));
}

// Rigid bodies in a stack sleep together, and what falls onto them wakes them.
TEST(CudaSleep, BoxesFallAsleepAndAHitWakesThem)
{
    DeviceTrial cpu, gpu;
    boxes(cpu);
    boxes(gpu);
    const auto device = makeDeviceSolver(test::cudaDevice());
    cpu.runOnCpu();
    gpu.runOn(*device);
    ASSERT_TRUE(allSleep(cpu));
    ASSERT_TRUE(allSleep(gpu));
    EXPECT_LE(distanceBetween(cpu, gpu), kRested);
    for (DeviceTrial* one : {&cpu, &gpu}) {
        one->solver.scene.addParticle({0.28, 0.36, 0.25}, {0, -3, 0}, 1.5f * kGrain, 0);
        one->solver.scene.particles.mass.back() *= 10;
        one->solver.changed();
        one->frames = 4;
    }
    cpu.runOnCpu();
    gpu.runOn(*device);
    for (std::size_t b = 0; b < 2; ++b) {
        const auto sleeps = [&](const DeviceTrial& trial) {
            return trial.solver.sleep().isAsleep(trial.solver.scene.bodies[b]);
        };
        EXPECT_FALSE(sleeps(gpu));
        EXPECT_EQ(sleeps(cpu), sleeps(gpu));
    }
    EXPECT_LE(distanceBetween(cpu, gpu), 2 * kRested);
    cpu.frames = gpu.frames = 60;
    cpu.runOnCpu();
    gpu.runOn(*device);
    EXPECT_TRUE(allSleep(gpu));
    EXPECT_NEAR(asleep(cpu), asleep(gpu), 2); // a grain more or less
}

// A paddle that begins to move wakes what it touches; so does a floor that is gone.
TEST(CudaSleep, SurfacesWake)
{
    const auto still = [](DeviceTrial& trial) {
        heap(trial);
        trial.colliders = {std::make_shared<test::MovingCollider>(
            held(nanovdb::createLevelSetBox<float>(0.12f, 0.2f, 0.3f, nanovdb::Vec3<float>(0.0f),
                                                   0.02)),
            std::vector{pose(0, {-0.05, 0.1, 0.1}), pose(2.1, {-0.05, 0.1, 0.1}),
                        pose(2.4, {-0.01, 0.1, 0.1})})};
    };
    DeviceTrial cpu, gpu;
    still(cpu);
    still(gpu);
    const auto device = makeDeviceSolver(test::cudaDevice());
    cpu.runOnCpu();
    gpu.runOn(*device);
    EXPECT_TRUE(allSleep(gpu));
    EXPECT_NEAR(asleep(cpu), asleep(gpu), 2); // distances differ in the last digit
    cpu.frames = gpu.frames = 16;
    cpu.runOnCpu();
    gpu.runOn(*device);
    EXPECT_LT(asleep(gpu), gpu.solver.scene.particles.size() / 2);
    EXPECT_LE(distanceBetween(cpu, gpu), kRested);

    DeviceTrial fallen;
    heap(fallen);
    fallen.domain.center.y = 0;
    fallen.domain.halfSize.y = 1;
    fallen.colliders = {std::make_shared<test::MovingCollider>(
        held(nanovdb::createLevelSetBox<float>(0.3f, 0.1f, 0.3f, nanovdb::Vec3<float>(0.0f), 0.02)),
        std::vector{pose(0, {0.1, -0.05, 0.1}), pose(2.0, {0.1, -0.05, 0.1}),
                    pose(2.01, {5, -0.05, 0.1})})};
    fallen.runOn(*device);
    ASSERT_TRUE(allSleep(fallen));
    fallen.frames = 3;
    fallen.runOn(*device);
    EXPECT_EQ(asleep(fallen), 0u);
    EXPECT_LT(fallen.meanHeight(), 0.05);
}

TEST(CudaSleep, HasTheSameBitsInAnyOrderAndAfterARestart)
{
    const auto scene = [](DeviceTrial& trial) {
        boxes(trial);
        addGrains(trial, {0.4, 0.25, 0.1}, {2, 2, 5}, kGrain, 1, {0, 0, 0}); // fall meanwhile
        trial.solver.settings.sleepAfter = 0.1;
        trial.frames = 9;
    };
    const auto disturb = [](DeviceTrial& trial) {
        drop(trial);
        trial.frames = 16;
    };
    const auto device = makeDeviceSolver(test::cudaDevice());
    DeviceTrial first;
    scene(first);
    first.runOn(*device);
    EXPECT_GT(asleep(first), 5u);
    EXPECT_FALSE(allSleep(first));
    DeviceTrial restarted;
    scene(restarted);
    restoreFrom(restarted, first);
    disturb(first);
    first.runOn(*device);
    disturb(restarted);
    restarted.runOn(*makeDeviceSolver(test::cudaDevice()));
    expectSame(first, restarted);
    for (const std::uint64_t seed : {0, 1, 2}) {
        test::shuffleCudaThreads(seed);
        DeviceTrial again;
        scene(again);
        const auto other = makeDeviceSolver(test::cudaDevice());
        again.runOn(*other);
        disturb(again);
        again.runOn(*other);
        expectSame(first, again);
    }
    test::shuffleCudaThreads(0);
}

} // namespace floe::pbd
