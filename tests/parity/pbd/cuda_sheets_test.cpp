// Cloth and ropes on the device: what the CPU solver does.
#include "device_scene.hpp"
#include "sheet_scene.hpp"
#include "ties.hpp"

namespace floe::pbd {
namespace {

/// Of positions, in radii: sums are added in another order, and conjugate gradients end within
/// 1e-4 of where they began.
constexpr double kTolerance = 0.01;

/// A cloth of 0.4 m with its upper corners pinned, in the plane z = 0.
Cloth curtain(int cells, const SheetStiffness& stiffness = {})
{
    std::vector<std::uint8_t> pinned(static_cast<std::size_t>((cells + 1) * (cells + 1)), 0);
    pinned[0] = pinned[static_cast<std::size_t>(cells)] = 1;
    return makeCloth(rectangle(0.4, 0.4, cells, cells, true).view(), pinned, 0.2, 0, stiffness);
}
Joint tieOf(const Trial& trial, std::uint32_t particle, std::uint32_t body, const Vec3d& place)
{
    Joint joint = tie(trial, JointKind::ball, place, {0, 1, 0}, kNoBody, body);
    joint.b.particle = particle;
    return joint;
}

/// A curtain of more particles than a block has threads swings in the wind onto a ball, and grains
/// fall on it; another, of silk, falls freely.
void curtains(DeviceTrial& trial)
{
    trial.colliders = {ball(0.1, {0.2, -0.25, 0.12})};
    trial.forces = {std::make_shared<sdk::world::Wind>(Vec3d{1, 0, 3}, 4, 0.3, 5, 0)};
    add(trial, curtain(12), 1);
    Cloth free = makeCloth(rectangle(0.3, 0.3, 6, 6, true).view(), std::vector<std::uint8_t>(49, 0),
                           0.05, 0, {.stretch = 100, .shear = 5, .bend = 1e-6});
    trial.solver.scene.addSheet(std::make_shared<Cloth>(std::move(free)), 0,
                                {.x = {0.05, 0.03, 0.12}, .R = rotationAbout(Vec3d{1.3, 0, 0.2})},
                                0, 0);
    addGrains(trial, {0.1, 0.05, -0.05}, {4, 2, 2}, 0.02f, 1.5f, {0, -1, 1});
    trial.frames = 12;
}

/// A rope between two pins bears a box; another is pushed by the floor; a third hangs on the first
/// one, a fourth lies free, and a cloth hangs on it.
void ropes(DeviceTrial& trial)
{
    trial.basin({2, 2, 2});
    trial.domain.friction = 0.4f;
    const SheetStiffness stiffness{.stretch = 2000, .bend = 1e-3};
    add(trial,
        makeRope(line({0.4, 0.3, 1}, {1.2, 0.3, 1}, 16), firstOf(17, true), 0.1, 0.01, stiffness));
    add(trial,
        makeRope(line({0.3, 0.0101, 0.5}, {1.3, 0.05, 0.5}, 20), firstOf(21), 0.1, 0.01, stiffness),
        2);
    const Vec3d middle{0.8, 0.3, 1};
    add(trial, makeRope(line(middle, {0.8, 0.05, 1.2}, 8), std::vector<std::uint8_t>(9, 0), 0.1,
                        0.01, stiffness));
    add(trial, makeRope(line({0.5, 0.5, 1.5}, {1, 0.5, 1.5}, 8), std::vector<std::uint8_t>(9, 0),
                        0.1, 0.01, stiffness));
    const Vec3d corner{0.5, 0.5, 1.5};
    trial.solver.scene.addSheet(
        std::make_shared<Cloth>(makeCloth(rectangle(0.3, 0.3, 5, 5, false).view(),
                                          std::vector<std::uint8_t>(36, 0), 0.2, 0, {})),
        0, {.x = corner}, 0, 0);
    trial.addBox(0.1, 0.05, {.x = {0.6, 0.2, 1}, .v = {0, 0, 0.5}});
    const std::vector<Body>& bodies = trial.solver.scene.bodies;
    Joint hangs, holds;
    hangs.a.particle = bodies[2].first; // from the first rope's middle
    hangs.b.particle = bodies[0].first + 8;
    holds.a.particle = bodies[4].first;
    holds.b.particle = bodies[3].first;
    trial.solver.joints = {tieOf(trial, bodies[0].first + 4, 5, {0.6, 0.3, 1}), hangs, holds};
    trial.solver.joints[2].strength = 1;
    addGrains(trial, {0.75, 0.4, 0.97}, {3, 1, 2}, 0.02f, 1.5f, {0, -2, 0});
    trial.frames = 12;
}

void onBoth(DeviceTrial& cpu, DeviceTrial& gpu)
{
    cpu.runOnCpu();
    gpu.runOn(*makeDeviceSolver(test::cudaDevice()));
    EXPECT_LE(distanceBetween(cpu, gpu), kTolerance);
    for (std::size_t b = 0; b < cpu.solver.scene.bodies.size(); ++b) {
        const Body &one = cpu.solver.scene.bodies[b], &other = gpu.solver.scene.bodies[b];
        EXPECT_LT(physics::length(one.x - other.x), 1e-4) << b;
        EXPECT_LT(physics::length(one.v - other.v), 1e-2) << b;
        EXPECT_EQ(one.torn, other.torn) << b;
    }
}

} // namespace

TEST(CudaSheets, ClothInTheWind)
{
    DeviceTrial cpu, gpu, calm;
    for (DeviceTrial* trial : {&cpu, &gpu, &calm})
        curtains(*trial);
    onBoth(cpu, gpu);
    EXPECT_GT(cpu.solver.contacts().active().size(), 10u);
    const auto all = cpu.solver.sheets().takeSolves(), same = gpu.solver.sheets().takeSolves();
    EXPECT_EQ(all.all, 12u * kSubsteps * 2 * 4);
    EXPECT_EQ(same.all, all.all);
    EXPECT_EQ(same.left, all.left);
    calm.forces.clear();
    calm.runOn(*makeDeviceSolver(test::cudaDevice()));
    EXPECT_GT(distanceBetween(calm, gpu), 1); // the wind matters
}

TEST(CudaSheets, RopesWithWhatHangsOnThem)
{
    DeviceTrial cpu, gpu;
    for (DeviceTrial* trial : {&cpu, &gpu})
        ropes(*trial);
    onBoth(cpu, gpu);
    const Scene& scene = gpu.solver.scene;
    const auto placeOf = [&](std::uint32_t body, std::uint32_t particle) {
        return scene.particles.x[scene.bodies[body].first + particle];
    };
    const Body& box = scene.bodies[5];
    EXPECT_LT(physics::length(box.x + box.R * gpu.solver.joints[0].a.anchor - placeOf(0, 4)), 2e-3);
    EXPECT_LT(physics::length(placeOf(2, 0) - placeOf(0, 8)), 2e-3);
    for (std::size_t k = 0; k < 3; ++k)
        EXPECT_EQ(cpu.solver.joints[k].broken, gpu.solver.joints[k].broken) << k;
    EXPECT_LT(placeOf(1, 20).y, 0.02); // it lies
    EXPECT_GT(placeOf(1, 20).y, 0.005);
}

TEST(CudaSheets, Tear)
{
    DeviceTrial cpu, gpu;
    for (DeviceTrial* trial : {&cpu, &gpu}) {
        add(*trial, curtain(8, {.stretch = 200, .shear = 20, .bend = 1e-5}), 0, 0.1f);
        add(*trial,
            makeRope(line({1, 0, 0}, {1, -0.4, 0}, 12), firstOf(13), 0.1, 0.01,
                     {.stretch = 100, .bend = 1e-4}),
            1, 0.1f);
        for (const double x : {0.2, 1.0})
            trial->solver.scene.addParticle({x, -0.3, 0.06}, {0, 0, -8}, 0.03f, 0);
        trial->frames = 12;
    }
    onBoth(cpu, gpu);
    for (const std::uint32_t b : {0u, 1u}) {
        const std::vector<std::uint8_t>& torn = gpu.solver.scene.bodies[b].torn;
        EXPECT_GT(std::count(torn.begin(), torn.end(), 1), 0) << b;
        EXPECT_GT(std::count(torn.begin(), torn.end(), 0), 5) << b;
    }
}

TEST(CudaSheets, HaveTheSameBitsInAnyOrder)
{
    for (const auto& scenery : {curtains, ropes}) {
        DeviceTrial first;
        scenery(first);
        first.frames = 2;
        first.runOn(*makeDeviceSolver(test::cudaDevice()));
        for (const std::uint64_t seed : {1, 2}) {
            test::shuffleCudaThreads(seed);
            DeviceTrial again;
            scenery(again);
            again.frames = 2;
            again.runOn(*makeDeviceSolver(test::cudaDevice()));
            expectSame(first, again);
        }
        test::shuffleCudaThreads(0);
    }
}

} // namespace floe::pbd
