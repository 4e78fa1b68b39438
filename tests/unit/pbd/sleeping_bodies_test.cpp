// Rigid bodies at rest fall asleep as whole islands, and wake when something disturbs them.
#include "solver_scene.hpp"
#include "threads.hpp"

#include <gtest/gtest.h>

namespace floe::pbd {
namespace {

constexpr double kStep = 1.0 / 480;
constexpr double kEdge = 0.2, kVoxel = 0.05;

struct Bodies : Trial {
    explicit Bodies(double sleepAfter = 0.25)
    {
        solver.settings.sleepAfter = sleepAfter;
        colliders = {std::make_shared<Ground>(0.6f)};
    }
    void stack(int count, double x = 0)
    {
        for (int k = 0; k < count; ++k)
            addBox(kEdge, kVoxel, {.x = {x, kEdge * (k + 0.5) + 0.0001 * k, 0}});
    }
    std::size_t asleep() const
    {
        std::size_t count = 0;
        for (const Body& body : solver.scene.bodies)
            count += solver.sleep().isAsleep(body);
        return count;
    }
    bool allSleep() const { return asleep() == solver.scene.bodies.size(); }
    const Vec3d& place(std::size_t body) const { return solver.scene.bodies[body].x; }
};

} // namespace

TEST(SleepingBodies, AStackSleepsAndStands)
{
    Bodies stack, awake(0);
    for (Bodies* one : {&stack, &awake}) {
        one->stack(6);
        one->run(2, kStep);
    }
    ASSERT_TRUE(stack.allSleep()) << stack.asleep();
    EXPECT_EQ(awake.asleep(), 0u);
    EXPECT_EQ(stack.kineticEnergy(), 0);
    std::vector<Vec3d> before;
    for (std::size_t b = 0; b < 6; ++b) {
        before.push_back(stack.place(b));
        EXPECT_NEAR(stack.place(b).y, awake.place(b).y, 0.002) << b;
        EXPECT_NEAR(stack.place(b).x, awake.place(b).x, 0.002) << b;
    }
    const std::size_t searches = stack.solver.contacts().searches();
    stack.run(1, kStep);
    EXPECT_EQ(stack.solver.contacts().searches(), searches);
    for (std::size_t b = 0; b < 6; ++b)
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_EQ(stack.place(b)[axis], before[b][axis]);
}

// One that still moves keeps awake all that it touches, by way of others too.
TEST(SleepingBodies, AnIslandSleepsAsAWhole)
{
    Bodies scene;
    scene.stack(3);
    scene.stack(1, 1);
    const std::uint32_t spinning = scene.addBox(kEdge, kVoxel, {.x = {0, 3.5 * kEdge + 0.001, 0}});
    for (int k = 0; k < 480; ++k) {
        scene.solver.scene.bodies[spinning].angularMomentum.y = 0.3; // [kg m^2/s]
        scene.run(kStep, kStep);
        for (std::size_t b = 0; b < 3; ++b)
            ASSERT_FALSE(scene.solver.sleep().isAsleep(scene.solver.scene.bodies[b])) << k;
    }
    EXPECT_TRUE(scene.solver.sleep().isAsleep(scene.solver.scene.bodies[3])); // beside it
    scene.run(2, kStep);
    EXPECT_TRUE(scene.allSleep());
}

TEST(SleepingBodies, WhatFallsOnThemWakesThem)
{
    Bodies stack, awake(0);
    for (Bodies* one : {&stack, &awake}) {
        one->stack(3);
        one->run(1.5, kStep);
        const std::uint32_t ball =
            one->addBox(kEdge, kVoxel, {.x = {-0.6, 0.45, 0}, .v = {6, 0, 0}});
        one->solver.changed();
        EXPECT_EQ(ball, 3u);
        one->run(0.3, kStep);
    }
    EXPECT_FALSE(stack.allSleep());
    for (std::size_t b = 0; b < 4; ++b) // the blow and what follows are those of bodies awake
        EXPECT_LT(physics::length(stack.place(b) - awake.place(b)), 0.03) << b;
    EXPECT_GT(physics::length(stack.place(2) - Vec3d{0, 2.5 * kEdge, 0}), 0.1);
    stack.run(4, kStep);
    EXPECT_TRUE(stack.allSleep());
}

// Set down without any speed, a weight is borne by a soft heap as before: it wakes by load.
TEST(SleepingBodies, AWeightThatIsSetDownWakes)
{
    Bodies scene;
    scene.stack(1);
    scene.run(1.5, kStep);
    ASSERT_TRUE(scene.allSleep());
    scene.addBox(kEdge, kVoxel, {.x = {0, 1.5 * kEdge + 1e-4, 0}});
    scene.solver.scene.bodies[1].rest = [&] {
        auto heavy = std::make_shared<RestBody>(*scene.solver.scene.bodies[1].rest);
        heavy->mass *= 20;
        heavy->inertia = 20.0 * heavy->inertia;
        return heavy;
    }();
    scene.solver.changed();
    bool woke = false;
    for (int k = 0; k < 240; ++k) {
        scene.run(kStep, kStep);
        woke = woke || !scene.solver.sleep().isAsleep(scene.solver.scene.bodies[0]);
    }
    EXPECT_TRUE(woke);
    scene.run(2, kStep);
    EXPECT_TRUE(scene.allSleep());
    EXPECT_NEAR(scene.place(1).y, 1.5 * kEdge, 0.01);
}

TEST(SleepingBodies, LostSupportOtherGravityAndAMovingFloorWake)
{
    Bodies undone, tilted, lifted;
    for (Bodies* one : {&undone, &tilted, &lifted}) {
        one->stack(3);
        one->run(1.5, kStep);
        ASSERT_TRUE(one->allSleep());
    }
    undone.colliders.clear();
    undone.run(0.3, kStep);
    EXPECT_LT(undone.place(2).y, 2.5 * kEdge - 0.3);
    tilted.solver.settings.gravity = {9.81, 0, 0};
    tilted.run(0.2, kStep);
    EXPECT_GT(tilted.place(1).x, 0.1);
    lifted.colliders = {std::make_shared<Ground>(0.6f, Vec3f{0, 1, 0}, Vec3f{0, 0.2f, 0})};
    lifted.time = 0;
    lifted.run(0.5, kStep);
    for (std::size_t b = 0; b < 3; ++b)
        EXPECT_NEAR(lifted.place(b).y, kEdge * (static_cast<double>(b) + 0.5) + 0.1, 0.01) << b;
}

// A block that friction holds on a slope slides once there is less of it.
TEST(SleepingBodies, LessFrictionOfTheGroundWakes)
{
    Bodies scene;
    const double angle = 0.35; // friction of 0.36 holds it
    scene.solver.settings.gravity = {9.81 * std::sin(angle), -9.81 * std::cos(angle), 0};
    scene.stack(1);
    scene.run(1.5, kStep);
    ASSERT_TRUE(scene.allSleep());
    const double before = scene.place(0).x;
    scene.colliders[0]->friction = 0.1f;
    scene.run(0.5, kStep);
    const double slides = 9.81 * (std::sin(angle) - 0.1 * std::cos(angle));
    EXPECT_NEAR(scene.place(0).x - before, 0.5 * slides * 0.25, 0.02);
}

// What hangs on a joint sleeps and wakes with what it hangs on; what a motor turns never does.
TEST(SleepingBodies, JointsTieTheirSleep)
{
    Bodies scene;
    scene.stack(1);
    scene.stack(1, 0.5);
    Joint joint;
    joint.a = {.body = 0, .anchor = {0.25, 0, 0}};
    joint.b = {.body = 1, .anchor = {-0.25, 0, 0}};
    scene.solver.joints = {joint};
    scene.run(1.5, kStep);
    ASSERT_TRUE(scene.allSleep());
    scene.addBox(0.5 * kEdge, kVoxel, {.x = {-0.5, 0.05, 0}, .v = {4, 0, 0}});
    scene.solver.changed();
    scene.run(0.12, kStep);
    EXPECT_EQ(scene.asleep(), 0u);
    scene.run(3, kStep);
    EXPECT_TRUE(scene.allSleep());
    scene.solver.joints[0].motor = true;
    scene.run(1, kStep);
    EXPECT_EQ(scene.asleep(), 1u);
}

TEST(SleepingBodiesThreads, ChangeNoBit)
{
    const auto run = [](int threads) {
        test::ThreadExecutor executor(threads);
        Bodies scene;
        scene.stack(3);
        scene.stack(2, 0.3);
        scene.run(1.5, kStep, executor);
        scene.addBox(kEdge, kVoxel, {.x = {-0.6, 0.5, 0}, .v = {6, 0, 0}});
        scene.solver.changed();
        scene.run(0.2, kStep, executor);
        return std::pair(scene.solver.scene, scene.asleep());
    };
    const auto [one, sleepers] = run(1);
    const auto [four, same] = run(4);
    EXPECT_EQ(sleepers, same);
    for (std::size_t i = 0; i < one.particles.size(); ++i)
        for (int axis = 0; axis < 3; ++axis)
            ASSERT_EQ(one.particles.x[i][axis], four.particles.x[i][axis]);
}

} // namespace floe::pbd
