/// Scenes that both solvers run, and how far apart their results are.
#pragma once

#include "cuda_device.hpp"
#include "device_solver.hpp"
#include "refusals.hpp"
#include "solver_scene.hpp"
#include "tracked_collider.hpp"

#include "floe/sdk/sampling.hpp"
#include "floe/sdk/world/forces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nanovdb/util/Primitives.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

namespace floe::pbd {

constexpr double kSubstep = 1.0 / 480;
constexpr int kSubsteps = 10; ///< of a frame

/// Emulated, both solvers do the same arithmetic in the same order where only particles move; a
/// card fuses multiplications with additions, and what touches goes on from there.
#if FLOE_TEST_EMULATED
constexpr double kGrainTolerance = 0;
#else
constexpr double kGrainTolerance = 0.01;
#endif

struct DeviceTrial : Trial {
    std::vector<std::shared_ptr<const sdk::world::Force>> forces;
    int frames = 6;

    World world() const { return {colliders, forces, &domain}; }
    void runOnCpu()
    {
        for (int frame = 0; frame < frames; ++frame) {
            for (int k = 0; k < kSubsteps; ++k)
                solver.step(world(), time + k * kSubstep, kSubstep, serialLoops);
            time += kSubsteps * kSubstep;
        }
    }
    void runOn(DeviceSolver& device)
    {
        for (int frame = 0; frame < frames; ++frame) {
            EXPECT_EQ(refusalOf(solver, world()), std::nullopt);
            device.advance(
                solver, world(), time, kSubstep, kSubsteps, [](int) {}, serialLoops);
            time += kSubsteps * kSubstep;
        }
    }
};

/// As a checkpoint has it.
inline void restoreFrom(DeviceTrial& to, const DeviceTrial& from)
{
    to.solver.scene = from.solver.scene;
    to.solver.changed();
    to.solver.contacts().setMemory(from.solver.contacts().memory());
    to.solver.contacts().setSearched(from.solver.contacts().searched());
    to.solver.setLastStep(from.solver.lastStep());
    to.solver.sleep().setState(from.solver.sleep().state());
    to.time = from.time;
}

/// Grains of two sizes or more, thrown together.
inline void addGrains(DeviceTrial& trial, const Vec3d& low, std::array<int, 3> counts, float radius,
                      float ratio, const Vec3f& velocity)
{
    sdk::RandomSequence random(7);
    const auto shift = [&] {
        return 0.2 * radius * (random.uniform() - 0.5);
    };
    for (int z = 0; z < counts[2]; ++z)
        for (int y = 0; y < counts[1]; ++y)
            for (int x = 0; x < counts[0]; ++x) {
                const bool small = (x + y + z) % 3 != 0;
                const double gap = 2.1 * radius;
                trial.solver.scene.addParticle(low + Vec3d{gap * (x + 0.5) + shift(),
                                                           gap * (y + 0.5) + shift(),
                                                           gap * (z + 0.5) + shift()},
                                               velocity, small ? radius / ratio : radius, 0);
            }
}

inline std::shared_ptr<const nanovdb::GridHandle<>> held(nanovdb::GridHandle<> grid)
{
    return std::make_shared<const nanovdb::GridHandle<>>(std::move(grid));
}
inline floe_transform_key pose(double seconds, std::array<double, 3> position,
                               std::array<double, 3> degrees = {0, 0, 0})
{
    floe_transform_key key{};
    const auto q = sdk::fromEuler(degrees);
    key.frame = seconds;
    std::copy(position.begin(), position.end(), key.position);
    std::copy(q.begin(), q.end(), key.rotation);
    key.scale = 1;
    return key;
}
inline std::shared_ptr<test::MovingCollider> ball(double radius, std::array<double, 3> at)
{
    const auto made = std::make_shared<test::MovingCollider>(
        held(nanovdb::createLevelSetSphere<float>(static_cast<float>(radius),
                                                  nanovdb::Vec3<float>(0.0f), 0.02)),
        std::vector{pose(0, at)});
    made->contact = sdk::world::Contact::separate;
    made->friction = 0.3f;
    return made;
}

/// Largest distance between the same particles of two runs, in radii.
inline double distanceBetween(const Trial& a, const Trial& b)
{
    const Particles &p = a.solver.scene.particles, &q = b.solver.scene.particles;
    EXPECT_EQ(p.id, q.id);
    double most = 0;
    for (std::size_t i = 0; i < std::min(p.size(), q.size()); ++i)
        most = std::max(most, physics::length(p.x[i] - q.x[i]) / p.radius[i]);
    return most;
}

/// Everything that a run goes on from, bit for bit.
inline void expectSame(const Trial& a, const Trial& b)
{
    const auto same = [](const auto& l, const auto& r) {
        return l.size() == r.size() &&
               (l.empty() || std::memcmp(l.data(), r.data(), l.size() * sizeof l[0]) == 0);
    };
    const Scene &s = a.solver.scene, &t = b.solver.scene;
    EXPECT_TRUE(same(s.particles.x, t.particles.x));
    EXPECT_TRUE(same(s.particles.v, t.particles.v));
    EXPECT_EQ(s.particles.id, t.particles.id);
    ASSERT_EQ(s.bodies.size(), t.bodies.size());
    for (std::size_t k = 0; k < s.bodies.size(); ++k) {
        const Body &l = s.bodies[k], &r = t.bodies[k];
        EXPECT_EQ(std::memcmp(&l.x, &r.x, sizeof l.x), 0);
        EXPECT_EQ(std::memcmp(&l.R, &r.R, sizeof l.R), 0);
        EXPECT_EQ(std::memcmp(&l.v, &r.v, sizeof l.v), 0);
        EXPECT_TRUE(same(l.turns, r.turns));
        EXPECT_EQ(std::memcmp(&l.angularMomentum, &r.angularMomentum, sizeof l.v), 0);
    }
    EXPECT_TRUE(same(a.solver.contacts().memory(), b.solver.contacts().memory()));
    EXPECT_TRUE(same(a.solver.contacts().searched().x, b.solver.contacts().searched().x));
    const Sleep::State &sleep = a.solver.sleep().state(), &other = b.solver.sleep().state();
    EXPECT_TRUE(same(sleep.place, other.place));
    EXPECT_TRUE(same(sleep.calm, other.calm));
    EXPECT_TRUE(same(sleep.load, other.load));
    EXPECT_EQ(sleep.asleep, other.asleep);
    EXPECT_EQ(sleep.sinceCheck, other.sinceCheck);
    EXPECT_EQ(a.solver.sleep().count(), b.solver.sleep().count());
}

/// Runs a scene on both. @return how far apart they are [radii]
template <class Scenery>
double compare(const Scenery& scenery)
{
    DeviceTrial cpu, gpu;
    scenery(cpu);
    scenery(gpu);
    const std::vector<Vec3d> start = cpu.solver.scene.particles.x;
    cpu.runOnCpu();
    const auto device = makeDeviceSolver(test::cudaDevice());
    gpu.runOn(*device);
    EXPECT_GT(cpu.solver.contacts().active().size(), 10u); // something happens
    EXPECT_EQ(cpu.solver.counts().taken, gpu.solver.counts().taken);
    EXPECT_EQ(cpu.solver.counts().leftDomain, gpu.solver.counts().leftDomain);
    return distanceBetween(cpu, gpu);
}

} // namespace floe::pbd
