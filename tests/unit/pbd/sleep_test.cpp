// Grains fall asleep when they rest, and wake when something disturbs them.
#include "solver_scene.hpp"
#include "threads.hpp"

#include "floe/sdk/sampling.hpp"

#include <gtest/gtest.h>

namespace floe::pbd {
namespace {

constexpr double kStep = 1.0 / 480;
constexpr float kRadius = 0.01f;

/// A heap that was poured out, with sleeping grains or without.
struct Heap : Trial {
    explicit Heap(double sleepAfter = 0.25)
    {
        solver.settings.sleepAfter = sleepAfter;
        colliders = {std::make_shared<Ground>(0.6f)};
        sdk::RandomSequence random(3);
        for (int k = 0; k < 288; ++k) {
            const auto at = [&](int n) {
                return double{kRadius} * (2.1 * n + 1.05 + 0.3 * (random.uniform() - 0.5));
            };
            solver.scene.addParticle({at(k % 6), at(k / 36), at(k / 6 % 6)}, {0, 0, 0}, kRadius, 0);
        }
    }
    void rest(sdk::parallel::Executor& executor = serialLoops) { run(2.5, kStep, executor); }
    bool allSleep() const { return solver.sleep().count() == solver.scene.particles.size(); }
    double top() const
    {
        double height = 0;
        for (const Vec3d& x : solver.scene.particles.x)
            height = std::max(height, x.y);
        return height;
    }
    /// A grain of three times the radius and density, in the air or at rest above the heap.
    void drop(double height, float speed)
    {
        solver.scene.addParticle({0.065, height, 0.065}, {0, -speed, 0}, 3 * kRadius, 0);
        solver.scene.particles.mass.back() *= 3;
        solver.changed();
    }
};

} // namespace

TEST(Sleep, AHeapAtRestSleepsAndStays)
{
    Heap heap, awake(0);
    heap.rest();
    awake.rest();
    ASSERT_TRUE(heap.allSleep()) << heap.solver.sleep().count();
    EXPECT_EQ(awake.solver.sleep().count(), 0u);
    EXPECT_EQ(heap.kineticEnergy(), 0);
    EXPECT_NEAR(heap.meanHeight(), awake.meanHeight(), 0.02 * awake.meanHeight());
    EXPECT_GT(heap.top(), 4 * kRadius);
    const std::vector<Vec3d> before = heap.solver.scene.particles.x;
    heap.run(1, kStep);
    for (std::size_t i = 0; i < before.size(); ++i)
        for (int axis = 0; axis < 3; ++axis)
            ASSERT_EQ(heap.solver.scene.particles.x[i][axis], before[i][axis]);
}

TEST(Sleep, WhatFallsOnItMakesTheSameDent)
{
    Heap heap, awake(0);
    for (Heap* one : {&heap, &awake}) {
        one->rest();
        one->drop(0.2, 1.5f);
        one->run(0.1, kStep);
    }
    EXPECT_FALSE(heap.allSleep());
    for (Heap* one : {&heap, &awake})
        one->run(0.9, kStep);
    const double dent = heap.solver.scene.particles.x.back().y;
    EXPECT_NEAR(dent, awake.solver.scene.particles.x.back().y, kRadius);
    heap.run(2, kStep);
    EXPECT_TRUE(heap.allSleep());
}

// A stone that is set down without any speed: nothing strikes, and still it sinks in.
TEST(Sleep, AWeightIsNotBorneByWhoSleeps)
{
    Heap heap, awake(0);
    for (Heap* one : {&heap, &awake}) {
        one->rest();
        one->drop(one->top() + 4 * kRadius, 0);
        one->solver.scene.particles.mass.back() *= 20;
        one->run(1.5, kStep);
    }
    const double sunk = heap.solver.scene.particles.x.back().y;
    EXPECT_NEAR(sunk, awake.solver.scene.particles.x.back().y, kRadius);
    EXPECT_LT(sunk, 0.8 * heap.top() + 3 * kRadius);
}

TEST(Sleep, LostSupportAndOtherGravityWake)
{
    Heap undone, tilted, lifted;
    for (Heap* one : {&undone, &tilted, &lifted})
        one->rest();
    const double rest = undone.meanHeight();
    ASSERT_TRUE(undone.allSleep() && tilted.allSleep() && lifted.allSleep());
    undone.colliders.clear();
    undone.run(0.3, kStep);
    EXPECT_LT(undone.meanHeight(), rest - 0.1);
    EXPECT_EQ(undone.solver.sleep().count(), 0u);

    tilted.solver.settings.gravity = {9.81, 0, 0};
    tilted.run(0.2, kStep);
    double middle = 0;
    for (const Vec3d& x : tilted.solver.scene.particles.x)
        middle += x.x / static_cast<double>(tilted.solver.scene.particles.size());
    EXPECT_GT(middle, 0.2);

    // A floor that begins to rise takes the heap along.
    lifted.colliders = {std::make_shared<Ground>(0.6f, Vec3f{0, 1, 0}, Vec3f{0, 0.2f, 0})};
    lifted.time = 0;
    lifted.run(0.5, kStep);
    EXPECT_NEAR(lifted.meanHeight(), rest + 0.1, 0.2 * kRadius);
}

TEST(Sleep, ALogAndALiquidKeepAwake)
{
    Heap logged;
    ContactLog log;
    logged.solver.log = &log;
    logged.rest();
    EXPECT_EQ(logged.solver.sleep().count(), 0u);
    logged.solver.log = nullptr;
    logged.run(1, kStep);
    ASSERT_TRUE(logged.allSleep());
    logged.solver.log = &log;
    logged.run(kStep, kStep);
    EXPECT_EQ(logged.solver.sleep().count(), 0u);

    Heap wet;
    wet.solver.scene.materials.emplace_back();
    wet.solver.scene.materials.back().kind = Material::Kind::liquid;
    wet.rest();
    EXPECT_EQ(wet.solver.sleep().count(), 0u);
}

TEST(Sleep, WhoLeavesTakesNobodysPlace)
{
    Heap heap;
    heap.domain.bounded = true;
    heap.domain.halfSize = {0.4, 0.4, 0.4};
    heap.domain.faces.fill(sdk::world::Contact::open);
    heap.rest();
    ASSERT_TRUE(heap.allSleep());
    const auto ids = heap.solver.scene.particles.id;
    heap.drop(0.3, 0);
    heap.solver.scene.particles.v.back() = {5, 2, 0}; // away, above the heap
    heap.run(1, kStep);
    EXPECT_EQ(heap.solver.scene.particles.id, ids);
    EXPECT_TRUE(heap.allSleep());
}

TEST(SleepThreads, ChangeNoBit)
{
    const auto run = [](int threads) {
        test::ThreadExecutor executor(threads);
        Heap heap;
        heap.rest(executor);
        heap.drop(0.2, 1.5f);
        heap.run(0.13, kStep, executor);
        return std::pair(heap.solver.scene, heap.solver.sleep().count());
    };
    const auto [one, sleepers] = run(1);
    const auto [four, same] = run(4);
    EXPECT_EQ(sleepers, same);
    EXPECT_GT(sleepers, 10u);
    EXPECT_LT(sleepers, one.particles.size());
    for (std::size_t i = 0; i < one.particles.size(); ++i)
        for (int axis = 0; axis < 3; ++axis)
            ASSERT_EQ(one.particles.x[i][axis], four.particles.x[i][axis]);
}

} // namespace floe::pbd
