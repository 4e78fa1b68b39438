// The kernels of the position-based solver, access by access: no race, nothing read that nobody has
// written, nothing beyond an allocation.

#include "breakables.hpp"
#include "device_scene.hpp"
#include "memory_watch.hpp"
#include "sheet_scene.hpp"
#include "ties.hpp"

namespace floe::pbd {
namespace {

/// A scene whose every access is watched.
template <class Scenery>
Solver::Counts watched(const Scenery& scenery, int frames = 2)
{
    Solver::Counts counts;
    test::MemoryWatch watch;
    {
        DeviceTrial trial;
        scenery(trial);
        trial.frames = frames;
        const auto device = makeDeviceSolver(test::cudaDevice());
        device->settle(trial.solver, trial.world(), 2, serialLoops);
        trial.runOn(*device);
        EXPECT_GT(device->report().contacts, 20u);
        counts = trial.solver.counts();
    }
    EXPECT_THAT(watch.found(), testing::IsEmpty());
    EXPECT_GT(watch.accesses(), 100000u);
    return counts;
}

} // namespace

TEST(PbdRaces, GrainsOnABallWithWindAndADrain)
{
    watched([](DeviceTrial& trial) {
        trial.basin({0.3, 1, 0.3});
        trial.domain.faces[1] = sdk::world::Contact::open;
        const auto hole = ball(0.05, {0.05, 0, 0.05});
        hole->particles = sdk::world::ParticleContact::remove;
        trial.colliders = {ball(0.1, {0.15, 0.02, 0.15}), hole};
        trial.forces = {std::make_shared<sdk::world::RuleForce>(
            sdk::world::ForceRule{.kind = sdk::world::ForceKind::wind,
                                  .strength = 1,
                                  .vector = {2, 0, 0},
                                  .turbulence = 1,
                                  .frequency = 5})};
        addGrains(trial, {0, 0.0, 0}, {7, 3, 6}, 0.02f, 1.5f, {1, -1, 0});
        EXPECT_GT(trial.solver.scene.particles.size(), 100u);
    });
}

// More surfaces than there is room for at first.
TEST(PbdRaces, ManySurfacesAtOnce)
{
    watched([](DeviceTrial& trial) {
        trial.basin({0.3, 1, 0.3});
        for (int k = 0; k < 10; ++k)
            trial.colliders.push_back(
                ball(0.05, {0.02 * (k % 2), 0.02 * (k / 2 % 3), 0.02 * (k / 6)}));
        addGrains(trial, {0, 0, 0}, {4, 3, 4}, 0.02f, 1, {-0.5f, -1, -0.5f});
    });
}

TEST(PbdRaces, BoxesWithGrains)
{
    watched([](DeviceTrial& trial) {
        trial.basin({0.4, 2, 0.4});
        trial.addBox(0.2, 0.05, {.x = {0.2, 0.1, 0.2}});
        trial.addBox(0.2, 0.05, {.x = {0.22, 0.302, 0.2}, .v = {0, -1, 0}, .spin = {0, 1, 0}});
        addGrains(trial, {0.15, 0.4, 0.15}, {2, 2, 2}, 0.02f, 1, {0, -1, 0});
    });
}

TEST(PbdRaces, LiquidWithGrainsAndABox)
{
    watched([](DeviceTrial& trial) {
        Material liquid{.kind = Material::Kind::liquid};
        liquid.viscosity = 20;
        liquid.smoothing = 2;
        liquid.vorticity = 2;
        trial.solver.scene.materials.push_back(liquid);
        trial.basin({0.4, 1, 0.2});
        trial.colliders = {ball(0.06, {0.1, 0.02, 0.2})};
        for (int k = 0; k < 100; ++k)
            trial.solver.scene.addParticle(
                {0.02 + 0.04 * (k % 5), 0.02 + 0.04 * (k / 25), 0.02 + 0.04 * (k / 5 % 5)},
                {0.5f, 0, 0}, 0.02f, 1);
        trial.addBox(0.12, 0.04, {.x = {0.29, 0.06, 0.1}});
        addGrains(trial, {0.05, 0.16, 0.05}, {2, 1, 2}, 0.02f, 1, {0, -1, 0});
    });
}

TEST(PbdRaces, LiquidThatWetsGrainsAndABox)
{
    watched([](DeviceTrial& trial) {
        Material liquid{.kind = Material::Kind::liquid};
        liquid.surfaceTension = 50;
        liquid.wetting = 0.7f;
        trial.solver.scene.materials.push_back(liquid);
        trial.basin({0.4, 1, 0.2});
        trial.colliders = {ball(0.06, {0.1, 0.02, 0.2})};
        trial.fill({0, 0, 0}, {5, 4, 5}, 0.02f, 1);
        trial.addBox(0.12, 0.04, {.x = {0.29, 0.06, 0.1}});
        addGrains(trial, {0.05, 0.16, 0.05}, {2, 1, 2}, 0.02f, 1, {0, -1, 0});
    });
}

// They fall asleep after 20 substeps, and a grain, a paddle and a box disturb them.
TEST(PbdRaces, SleepersThatAreWoken)
{
    watched(
        [](DeviceTrial& trial) {
            trial.basin({0.4, 2, 0.4});
            trial.solver.settings.sleepAfter = 0.01;
            trial.colliders = {std::make_shared<test::MovingCollider>(
                held(nanovdb::createLevelSetBox<float>(0.12f, 0.2f, 0.4f,
                                                       nanovdb::Vec3<float>(0.0f), 0.02)),
                std::vector{pose(0, {-0.07, 0.1, 0.2}), pose(0.04, {-0.07, 0.1, 0.2}),
                            pose(0.1, {-0.03, 0.1, 0.2})})};
            for (int k = 0; k < 40; ++k)
                trial.solver.scene.addParticle({0.02 + 0.04 * (k % 5), 0.02, 0.02 + 0.04 * (k / 5)},
                                               {0, 0, 0}, 0.02f, 0);
            trial.addBox(0.1, 0.05, {.x = {0.3, 0.05, 0.1}});
            trial.addBox(0.1, 0.05, {.x = {0.3, 0.15, 0.1}});
            trial.addBox(0.1, 0.05, {.x = {0.3, 0.05, 0.3}});
            trial.solver.scene.addParticle({0.1, 0.16, 0.1}, {0, -2, 0}, 0.02f, 0);
            trial.solver.scene.addParticle({0.3, 0.32, 0.1}, {0, -2, 0}, 0.02f, 0);
        },
        4);
}

// Two and two, of which a motor turns one; the others fall asleep, and grains wake them.
TEST(PbdRaces, TiedBoxes)
{
    watched(
        [](DeviceTrial& trial) {
            trial.basin({0.8, 2, 0.4});
            trial.solver.settings.sleepAfter = 0.01;
            for (const double x : {0.1, 0.3, 0.5, 0.7})
                trial.addBox(0.1, 0.05, {.x = {x, 0.0501, 0.2}});
            addGrains(trial, {0.05, 0.22, 0.1}, {8, 1, 5}, 0.02f, 1, {0, -3, 0});
            trial.solver.joints = {tie(trial, JointKind::fixed, {0.2, 0.05, 0.2}, {1, 0, 0}, 1),
                                   tie(trial, JointKind::hinge, {0.6, 0.05, 0.2}, {1, 0, 0}, 3, 2)};
            trial.solver.joints[1].motor = true;
            trial.solver.joints[1].torque = 1;
            trial.solver.joints[1].speed = 3;
        },
        4);
}

// A cube breaks on the floor, and grains fall onto its pieces.
TEST(PbdRaces, ABodyThatBreaks)
{
    const Solver::Counts counts = watched([](DeviceTrial& trial) {
        trial.basin({0.4, 2, 0.4});
        addBreakable(trial, breakable(0.2, 0.05, 5), {.x = {0.2, 0.103, 0.2}, .v = {0, -3, 0}}, 1);
        addGrains(trial, {0.1, 0.25, 0.1}, {5, 1, 5}, 0.02f, 1, {0, -3, 0});
    });
    EXPECT_EQ(counts.broken, 1u);
}

// A flag in the wind, a rope that lies on the floor and bears a box, grains, and what tears.
TEST(PbdRaces, ClothAndRopes)
{
    watched(
        [](DeviceTrial& trial) {
            trial.basin({0.8, 2, 0.4});
            trial.forces = {std::make_shared<sdk::world::Wind>(Vec3d{2, 0, 1}, 2, 0.3, 5, 0)};
            std::vector<std::uint8_t> pinned(36, 0);
            pinned[0] = pinned[5] = 1;
            trial.solver.scene.addSheet(
                std::make_shared<Cloth>(makeCloth(rectangle(0.2, 0.2, 5, 5, false).view(), pinned,
                                                  0.2, 0, {.stretch = 50, .shear = 5})),
                0, {.x = {0.55, 0.209, 0.2}}, 1, 0.02f);
            add(trial, makeRope(line({0.4, 0.009, 0.2}, {0.75, 0.009, 0.2}, 8), firstOf(9), 0.1,
                                0.01, {.stretch = 1000, .bend = 1e-3}));
            trial.addBox(0.1, 0.05, {.x = {0.4875, 0.1, 0.2}});
            Joint joint = tie(trial, JointKind::ball, {0.4875, 0.05, 0.2}, {0, 1, 0}, kNoBody, 2);
            joint.b.particle = trial.solver.scene.bodies[1].first + 2;
            Joint other; // on the cloth's corner
            other.a.particle = trial.solver.scene.bodies[1].first + 8;
            other.b.particle = trial.solver.scene.bodies[0].first + 35;
            trial.solver.joints = {joint, other};
            addGrains(trial, {0.56, 0.08, 0.1}, {4, 2, 2}, 0.02f, 1, {0, -1, 1});
        },
        1);
}

} // namespace floe::pbd
