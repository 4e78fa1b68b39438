// Grains on the device: what the CPU solver does, in every order of threads, and on from a
// checkpoint.
#include "device_scene.hpp"

namespace floe::pbd {
namespace {

using sdk::world::Contact;
using sdk::world::ForceKind;
using sdk::world::ForceRule;
using sdk::world::ParticleContact;
using sdk::world::RuleForce;

/// A heap that is thrown into a basin.
void heap(DeviceTrial& trial)
{
    trial.solver.scene.materials[0].restitution = 0.3f;
    trial.basin({0.24, 1, 0.24});
    trial.domain.friction = 0.4f;
    addGrains(trial, {0.01, 0, 0.01}, {5, 6, 5}, 0.02f, 1.5f, {0.4f, -1, 0.2f});
}

/// Grains that fall onto a ball, some of which is under the floor.
void overBall(DeviceTrial& trial)
{
    trial.basin({0.3, 1, 0.3});
    trial.colliders = {ball(0.1, {0.15, 0.02, 0.15})};
    addGrains(trial, {0.05, 0.13, 0.05}, {5, 4, 5}, 0.02f, 1.2f, {0, -1.5f, 0});
}

/// A drain, a paddle, an open side and two forces.
void drain(DeviceTrial& trial)
{
    trial.basin({0.3, 1, 0.3});
    trial.domain.faces[1] = Contact::open;
    const auto hole = ball(0.05, {0.05, 0, 0.05});
    hole->particles = ParticleContact::remove;
    const auto paddle = std::make_shared<test::MovingCollider>(
        held(
            nanovdb::createLevelSetBox<float>(0.2f, 0.1f, 0.04f, nanovdb::Vec3<float>(0.0f), 0.02)),
        std::vector{pose(0, {0.15, 0.05, 0.28}), pose(0.25, {0.15, 0.05, 0.16}, {0, 30, 0})});
    paddle->contact = Contact::stick;
    trial.colliders = {hole, paddle};
    trial.forces = {std::make_shared<RuleForce>(ForceRule{.kind = ForceKind::wind,
                                                          .seed = 3,
                                                          .strength = 2,
                                                          .vector = {3, 0, 0},
                                                          .turbulence = 1,
                                                          .frequency = 5}),
                    std::make_shared<RuleForce>(ForceRule{.kind = ForceKind::attractor,
                                                          .strength = 4,
                                                          .vector = {0.05, 0, 0.05},
                                                          .radius = 0.1,
                                                          .falloff = 1})};
    addGrains(trial, {0, 0, 0}, {7, 3, 5}, 0.02f, 1.0f, {0.5f, -0.5f, -0.5f});
}

} // namespace

TEST(CudaGrains, AHeapInABasin)
{
    EXPECT_LE(compare(heap), kGrainTolerance);
}

// Radii differ by four: the tree finds candidates.
TEST(CudaGrains, OfManySizes)
{
    EXPECT_LE(compare([](DeviceTrial& trial) {
                  trial.basin({0.3, 1, 0.3});
                  trial.solver.settings.massScaling = 2;
                  addGrains(trial, {0, 0, 0}, {5, 4, 5}, 0.03f, 4, {0.2f, -2, 0});
              }),
              kGrainTolerance);
}

// The level set is read in another way on the device: distances differ in the last digit.
TEST(CudaGrains, OnABall)
{
    EXPECT_LE(compare(overBall), 1e-3);
}

TEST(CudaGrains, ComeUnderForcesAndGo)
{
    DeviceTrial gpu;
    drain(gpu);
    const auto device = makeDeviceSolver(test::cudaDevice());
    gpu.runOn(*device);
    EXPECT_GT(gpu.solver.counts().taken, 0u);
    EXPECT_GT(gpu.solver.counts().leftDomain, 0u);
    EXPECT_LE(compare(drain), 1e-3);
}

// More surfaces than there is room for at first.
TEST(CudaGrains, TouchManySurfacesAtOnce)
{
    const auto corner = [](DeviceTrial& trial) {
        trial.basin({0.3, 1, 0.3});
        for (int k = 0; k < 10; ++k)
            trial.colliders.push_back(
                ball(0.05, {0.02 * (k % 2), 0.02 * (k / 2 % 3), 0.02 * (k / 6)}));
        addGrains(trial, {0, 0, 0}, {4, 3, 4}, 0.02f, 1, {-0.5f, -1, -0.5f});
    };
    EXPECT_LE(compare(corner), 1e-3);
}

TEST(CudaGrains, MakeRoomAfterEmission)
{
    const auto strewn = [](DeviceTrial& trial) {
        trial.basin({0.3, 1, 0.3});
        trial.colliders = {ball(0.1, {0.15, 0, 0.15})};
        sdk::RandomSequence random(2);
        const auto at = [&](double size) {
            return size * random.uniform();
        };
        for (int i = 0; i < 150; ++i)
            trial.solver.scene.addParticle({at(0.3), 0.05 + at(0.2), at(0.3)}, {0, 0, 0}, 0.02f, 0);
    };
    DeviceTrial cpu, gpu;
    strewn(cpu);
    strewn(gpu);
    const std::vector<Vec3d> start = cpu.solver.scene.particles.x;
    cpu.solver.settle(cpu.world(), 10, serialLoops);
    makeDeviceSolver(test::cudaDevice())->settle(gpu.solver, gpu.world(), 10, serialLoops);
    EXPECT_LE(distanceBetween(cpu, gpu), 1e-3);
    double moved = 0;
    for (std::size_t i = 0; i < start.size(); ++i)
        moved = std::max(moved, physics::length(gpu.solver.scene.particles.x[i] - start[i]));
    EXPECT_GT(moved, 0.01);
}

// In the threads' own order, and in others.
TEST(CudaGrains, HaveTheSameBitsInAnyOrder)
{
    const auto device = makeDeviceSolver(test::cudaDevice());
    DeviceTrial first;
    overBall(first);
    first.runOn(*device);
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
        test::shuffleCudaThreads(seed);
        DeviceTrial again;
        overBall(again);
        again.runOn(*makeDeviceSolver(test::cudaDevice()));
        expectSame(first, again);
    }
    test::shuffleCudaThreads(0);
}

TEST(CudaGrains, GoOnFromACheckpoint)
{
    const auto device = makeDeviceSolver(test::cudaDevice());
    DeviceTrial whole;
    overBall(whole);
    whole.frames = 3;
    whole.runOn(*device);
    DeviceTrial rest;
    overBall(rest);
    rest.frames = 3;
    restoreFrom(rest, whole);
    whole.runOn(*device);
    rest.runOn(*makeDeviceSolver(test::cudaDevice()));
    expectSame(whole, rest);
}

// A checkpoint of one is one of the other.
TEST(CudaGrains, GoOnOnTheOtherDevice)
{
    DeviceTrial cpu, gpu;
    heap(cpu);
    heap(gpu);
    cpu.frames = gpu.frames = 3;
    const auto device = makeDeviceSolver(test::cudaDevice());
    cpu.runOnCpu();
    gpu.runOn(*device);
    DeviceTrial onCpu, onGpu;
    heap(onCpu);
    heap(onGpu);
    onCpu.frames = onGpu.frames = 3;
    restoreFrom(onCpu, gpu);
    restoreFrom(onGpu, cpu);
    onCpu.runOnCpu();
    onGpu.runOn(*device);
    EXPECT_LE(distanceBetween(onCpu, onGpu), kGrainTolerance);
}

TEST(CudaGrains, ReportWhatTouches)
{
    DeviceTrial cpu, gpu;
    heap(cpu);
    heap(gpu);
    cpu.runOnCpu();
    const auto device = makeDeviceSolver(test::cudaDevice());
    gpu.runOn(*device);
    const pbd::Contacts& contacts = cpu.solver.contacts();
    EXPECT_NEAR(static_cast<double>(device->report().contacts),
                static_cast<double>(contacts.active().size()),
                0.02 * static_cast<double>(contacts.active().size()));
    EXPECT_NEAR(device->report().overlapOfGrains, contacts.overlapOfGrains(cpu.solver.scene), 1e-3);
    EXPECT_GT(device->report().contacts, 100u);
}

TEST(CudaGrains, ThatAreLostEndTheRun)
{
    DeviceTrial trial;
    heap(trial);
    trial.solver.scene.particles.v[3].x = NAN;
    const auto device = makeDeviceSolver(test::cudaDevice());
    EXPECT_THROW(device->advance(
                     trial.solver, trial.world(), 0, kSubstep, 1, [](int) {}, serialLoops),
                 std::runtime_error);
}

TEST(CudaRefusals, SayWhatAndWhatHelps)
{
    DeviceTrial trial;
    heap(trial);
    EXPECT_EQ(refusalOf(trial.solver, trial.world()), std::nullopt);
    const auto refused = [&] {
        return refusalOf(trial.solver, trial.world()).value_or("");
    };
    trial.colliders = {std::make_shared<Ground>(0.5f)};
    EXPECT_THAT(refused(), testing::HasSubstr("level sets"));
    trial.colliders.clear();
    Material& material = trial.solver.scene.materials[0];
    material.kind = Material::Kind::liquid;
    material.surfaceTension = 0.07f;
    EXPECT_EQ(refusalOf(trial.solver, trial.world()), std::nullopt);
    material.kind = Material::Kind::grains;
    trial.addBox(0.1, 0.05, {.x = {0.1, 0.5, 0.1}});
    EXPECT_EQ(refusalOf(trial.solver, trial.world()), std::nullopt);
    ContactLog log;
    trial.solver.log = &log;
    EXPECT_THAT(refused(), testing::HasSubstr("'contactLog'"));
}

} // namespace floe::pbd
