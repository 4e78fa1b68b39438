// A step of the CUDA solver does not wait for the device again and again. On the emulator alone,
// which sees every copy: on a card the kernels' side copies by itself.
#include "solver_scene.hpp"

#include <floe/sdk/world/forces.hpp>

namespace floe::mpm {
namespace {

/// The emulated device, with a count of what crosses the bus.
class CountedDevice {
public:
    CountedDevice() { downloads = uploads = 0; }

    floe_device table() const
    {
        floe_device counting = test::cudaDevice();
        counting.copy = [](const floe_device*, void* to, const void* from, std::uint64_t bytes,
                           std::int32_t direction) -> floe_status {
            downloads += direction == FLOE_COPY_TO_HOST;
            uploads += direction == FLOE_COPY_TO_DEVICE;
            const floe_device uncounted = test::cudaDevice();
            return uncounted.copy(&uncounted, to, from, bytes, direction);
        };
        return counting;
    }

    static inline std::uint64_t downloads = 0, uploads = 0; ///< each makes the host wait
};

/// Inside a frame one wait a step tells what the particles and the nodes do, and another, where
/// particles change their blocks, how many blocks there are.
TEST(CudaSteps, WaitOnceForTheDevice)
{
    const CountedDevice counted;
    Scene scene = smallBall();
    scene.colliders = {paddle, sphereAtRest};
    scene.forces = {std::make_shared<sdk::world::RuleForce>(sdk::world::ForceRule{
        .kind = sdk::world::ForceKind::wind, .strength = 0.5, .vector = {1, 0, 0}})};
    const auto solver = makeCudaStepper(settings(), counted.table(), serialExecutor());
    setUp(*solver, scene);
    solver->takeStatistics();
    CountedDevice::downloads = CountedDevice::uploads = 0;
    for (int frame = 1; frame <= 24; ++frame)
        for (const double end = 5e-3 * frame; end - solver->time() > 1e-9;)
            solver->advance(end - solver->time());
    const StepStatistics steps = solver->takeStatistics();
    EXPECT_GT(steps.rebins, 2u);
    EXPECT_GT(steps.steps, 2 * steps.rebins);
    // At a frame's begin one more says what the last step did. A few times blocks do not fit, and
    // are made again with twice the room.
    EXPECT_LE(CountedDevice::downloads, steps.steps + steps.redone + steps.rebins + 24 + 4);
    EXPECT_GE(CountedDevice::downloads, steps.steps); // or they are not counted
    EXPECT_EQ(CountedDevice::uploads, 0u);
}

/// Where blocks sleep beside others that move, the guard's answer is a second one.
TEST(CudaSteps, WaitTwiceBesideSleepers)
{
    const CountedDevice counted;
    SolverSettings s = settings();
    s.startsPassive = true;
    s.wakeSpeed = 1e6; // nothing wakes
    const auto all = [](double, double, double) {
        return true;
    };
    Scene scene;
    scene.materials = {material("bed", physics::LawKind::fixedCorotated),
                       material("ball", physics::LawKind::fixedCorotated)};
    scene.points = {fill({-0.4, 0, -0.4}, {0.4, 0.2, 0.4}, all),
                    fill({-0.1, 0.22, -0.1}, {0.1, 0.4, 0.1}, all, {0, -1, 0})};
    scene.domain = floorAt(-0.02, Contact::separate);
    const auto solver = makeCudaStepper(s, counted.table(), serialExecutor());
    setUp(*solver, scene);
    ASSERT_GT(solver->counts().boundaryBlocks, 0u);
    solver->takeStatistics();
    CountedDevice::downloads = CountedDevice::uploads = 0;
    const double end = 0.04;
    while (end - solver->time() > 1e-9)
        solver->advance(end - solver->time());
    const StepStatistics steps = solver->takeStatistics();
    EXPECT_GT(steps.steps, 10u);
    EXPECT_LE(CountedDevice::downloads, 2 * (steps.steps + steps.redone) + steps.rebins);
    EXPECT_EQ(CountedDevice::uploads, 0u);
    EXPECT_EQ(steps.guardWakes, 0u);
}

} // namespace
} // namespace floe::mpm
