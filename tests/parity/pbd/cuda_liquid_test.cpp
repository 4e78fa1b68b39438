// Liquids on the device: what the CPU solver does, up to the order of sums.
#include "device_scene.hpp"

namespace floe::pbd {
namespace {

/// Of positions, in radii, after an eighth of a second: sums over neighbours are in single
/// precision and in another order than the CPU's.
#if FLOE_TEST_EMULATED
constexpr double kTolerance = 0.01;
#else
constexpr double kTolerance = 0.05;
#endif

Material water()
{
    Material material;
    material.kind = Material::Kind::liquid;
    return material;
}
void addBlock(DeviceTrial& trial, const Vec3d& low, std::array<int, 3> counts, float radius,
              std::uint32_t material)
{
    for (int z = 0; z < counts[2]; ++z)
        for (int y = 0; y < counts[1]; ++y)
            for (int x = 0; x < counts[0]; ++x)
                trial.solver.scene.addParticle(low + 2 * double{radius} *
                                                         Vec3d{x + 0.5, y + 0.5, z + 0.5},
                                               {0, 0, 0}, radius, material);
}

/// A column of liquid that breaks.
void dam(DeviceTrial& trial)
{
    trial.solver.scene.materials = {water()};
    trial.basin({0.6, 1, 0.2});
    addBlock(trial, {0, 0, 0}, {8, 8, 5}, 0.02f, 0);
}
/// Grains fall into it, and a light box and a heavy one stand in it.
void laden(DeviceTrial& trial)
{
    Material light;
    light.kind = Material::Kind::body;
    light.density = 300;
    trial.solver.scene.materials = {light, water(), Material{.density = 2000}};
    trial.basin({0.5, 1, 0.24});
    addBlock(trial, {0, 0, 0}, {6, 6, 6}, 0.02f, 1);
    trial.addBox(0.12, 0.04, {.x = {0.33, 0.065, 0.12}, .spin = {0, 1, 0}});
    for (int k = 0; k < 12; ++k)
        trial.solver.scene.addParticle({0.04 + 0.05 * (k % 4), 0.27, 0.05 + 0.05 * (k / 4)},
                                       {0, -1, 0}, 0.015f, 2);
}
/// Of two sizes and kinds, with all that changes velocities.
void syrup(DeviceTrial& trial)
{
    laden(trial);
    Material& liquid = trial.solver.scene.materials[1];
    liquid.viscosity = 20;
    liquid.smoothing = 2;
    liquid.vorticity = 3;
    Material oil = water();
    oil.density = 800;
    oil.viscosity = 1;
    trial.solver.scene.materials.push_back(oil);
    addBlock(trial, {0.0, 0.3, 0.0}, {6, 3, 6}, 0.013f, 3);
}

double fastest(const DeviceTrial& trial)
{
    double most = 0;
    for (const Vec3f& v : trial.solver.scene.particles.v)
        most = std::max(most, double{physics::length(v)});
    return most;
}

} // namespace

TEST(CudaLiquid, ADamBreaks)
{
    EXPECT_LE(compare(dam), kTolerance);
    DeviceTrial trial;
    dam(trial);
    trial.frames = 12;
    trial.runOn(*makeDeviceSolver(test::cudaDevice()));
    double front = 0;
    for (const Vec3d& x : trial.solver.scene.particles.x)
        front = std::max(front, x.x);
    EXPECT_GT(front, 0.42); // from 0.32 within a quarter of a second
    EXPECT_LT(fastest(trial), 4);
}

TEST(CudaLiquid, MeetsGrainsAndABox)
{
    EXPECT_LE(compare(laden), kTolerance);
}

// In a trough of two slabs, whose edge bounds kernels on two sides, with a ball and a drain.
TEST(CudaLiquid, MeetsColliders)
{
    const auto trough = [](DeviceTrial& trial) {
        trial.solver.scene.materials = {water()};
        trial.basin({2, 2, 0.24});
        trial.domain.faces[0] = trial.domain.faces[1] = trial.domain.faces[2] =
            sdk::world::Contact::open;
        const auto slab = [](double turn, std::array<double, 3> at) {
            return std::make_shared<test::MovingCollider>(
                held(nanovdb::createLevelSetBox<float>(0.8f, 0.12f, 0.6f,
                                                       nanovdb::Vec3<float>(0.0f), 0.02)),
                std::vector{pose(0, at, {0, 0, turn})});
        };
        trial.colliders = {slab(0, {1, 0.5, 0.12}), slab(90, {0.7, 0.9, 0.12}),
                           ball(0.07, {1.0, 0.58, 0.12})};
        const auto hole = ball(0.05, {1.3, 0.58, 0.12});
        hole->particles = sdk::world::ParticleContact::remove;
        trial.colliders.push_back(hole);
        addBlock(trial, {0.76, 0.56, 0}, {5, 7, 6}, 0.02f, 0);
        trial.frames = 8;
    };
    EXPECT_LE(compare(trough), 3 * kTolerance); // distances differ in the last digit
    DeviceTrial trial;
    trough(trial);
    trial.frames = 16;
    trial.runOn(*makeDeviceSolver(test::cudaDevice()));
    for (const Vec3d& x : trial.solver.scene.particles.x) {
        EXPECT_GT(x.x, 0.76); // nothing leaks
        EXPECT_TRUE(x.y > 0.56 || x.x > 1.39);
    }
}

TEST(CudaLiquid, IsViscousSmoothedAndTurned)
{
    EXPECT_LE(compare(syrup), kTolerance);
    // Each of the three matters here.
    DeviceTrial all;
    syrup(all);
    all.runOn(*makeDeviceSolver(test::cudaDevice()));
    for (const auto& without : {&Material::viscosity, &Material::smoothing, &Material::vorticity}) {
        DeviceTrial less;
        syrup(less);
        less.solver.scene.materials[1].*without = 0;
        less.runOn(*makeDeviceSolver(test::cudaDevice()));
        EXPECT_GT(distanceBetween(all, less), 2 * kTolerance);
    }
}

// Neighbours of a pressed heap do not have room in rows as they are at first.
TEST(CudaLiquid, MakesRoomForItsNeighbours)
{
    const auto pressed = [](DeviceTrial& trial) {
        trial.solver.scene.materials = {water()};
        trial.basin({0.3, 1, 0.3});
        sdk::RandomSequence random(5);
        const auto at = [&](double size) {
            return size * random.uniform();
        };
        for (int i = 0; i < 250; ++i)
            trial.solver.scene.addParticle({at(0.1), at(0.1), at(0.1)}, {0, 0, 0}, 0.02f, 0);
    };
    DeviceTrial cpu, gpu;
    pressed(cpu);
    pressed(gpu);
    const std::vector<Vec3d> start = cpu.solver.scene.particles.x;
    cpu.solver.settle(cpu.world(), 3, serialLoops);
    makeDeviceSolver(test::cudaDevice())->settle(gpu.solver, gpu.world(), 3, serialLoops);
    EXPECT_LE(distanceBetween(cpu, gpu), kTolerance);
    double moved = 0;
    for (std::size_t i = 0; i < start.size(); ++i)
        moved = std::max(moved, physics::length(gpu.solver.scene.particles.x[i] - start[i]));
    EXPECT_GT(moved, 0.01);
}

TEST(CudaLiquid, HasTheSameBitsInAnyOrderAndAfterARestart)
{
    const auto device = makeDeviceSolver(test::cudaDevice());
    DeviceTrial first;
    syrup(first);
    first.frames = 2;
    first.runOn(*device);
    DeviceTrial restarted;
    syrup(restarted);
    restarted.frames = 2;
    restoreFrom(restarted, first);
    first.runOn(*device);
    restarted.runOn(*makeDeviceSolver(test::cudaDevice()));
    expectSame(first, restarted);
    for (const std::uint64_t seed : {0, 1, 2}) {
        test::shuffleCudaThreads(seed);
        DeviceTrial again;
        syrup(again);
        again.frames = 4;
        again.runOn(*makeDeviceSolver(test::cudaDevice()));
        expectSame(first, again);
    }
    test::shuffleCudaThreads(0);
}

} // namespace floe::pbd
