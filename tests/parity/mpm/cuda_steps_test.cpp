// What a step of the CUDA solver does not do: wait for the device again and again, read what does
// not move, copy what has not changed.
#include "solver_scene.hpp"

namespace floe::mpm {
namespace {

/// The emulator's memory as the host program would give it, with a count of what crosses the bus.
class CountedDevice {
public:
    CountedDevice() { downloads = uploads = 0; }

    cuda::Device device() const
    {
        floe_device table{};
        table.struct_size = sizeof table;
        table.kind = FLOE_DEVICE_CUDA;
        table.allocate = [](const floe_device*, std::uint64_t bytes, void** memory) -> floe_status {
            *memory = emulator::DeviceHeap::instance().allocate(bytes);
            return *memory ? FLOE_OK : FLOE_OUT_OF_MEMORY;
        };
        table.release = [](const floe_device*, void* memory) {
            emulator::DeviceHeap::instance().release(memory);
        };
        table.copy = [](const floe_device*, void* to, const void* from, std::uint64_t bytes,
                        std::int32_t direction) -> floe_status {
            downloads += direction == FLOE_COPY_TO_HOST;
            uploads += direction == FLOE_COPY_TO_DEVICE;
            std::memmove(to, from, bytes);
            return FLOE_OK;
        };
        return cuda::Device(table);
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
    CudaSolver solver(settings(), counted.device());
    setUp(solver, scene);
    solver.takeStatistics();
    CountedDevice::downloads = CountedDevice::uploads = 0;
    for (int frame = 1; frame <= 24; ++frame)
        for (const double end = 5e-3 * frame; end - solver.time() > 1e-9;)
            solver.advance(end - solver.time());
    const StepStatistics steps = solver.takeStatistics();
    EXPECT_GT(steps.regroupings, 16u); // with a reordering
    EXPECT_GT(steps.steps, 2 * steps.regroupings);
    // A few times blocks do not fit, and are made again with twice the room.
    EXPECT_LE(CountedDevice::downloads, steps.steps + steps.redone + steps.regroupings + 4);
    EXPECT_GE(CountedDevice::downloads, steps.steps); // or they are not counted
    EXPECT_EQ(CountedDevice::uploads, 0u);
}

/// Where blocks sleep beside others that move, the guard's answer is a second one.
TEST(CudaSteps, WaitTwiceBesideSleepers)
{
    const CountedDevice counted;
    SolverSettings s = settings();
    s.startsAsleep = true;
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
    CudaSolver solver(s, counted.device());
    setUp(solver, scene);
    ASSERT_GT(solver.counts().boundaryBlocks, 0u);
    solver.takeStatistics();
    CountedDevice::downloads = CountedDevice::uploads = 0;
    const double end = 0.04;
    while (end - solver.time() > 1e-9)
        solver.advance(end - solver.time());
    const StepStatistics steps = solver.takeStatistics();
    EXPECT_GT(steps.steps, 10u);
    EXPECT_LE(CountedDevice::downloads, 2 * (steps.steps + steps.redone) + steps.regroupings);
    EXPECT_EQ(CountedDevice::uploads, 0u);
    EXPECT_EQ(steps.guardWakes, 0u);
}

/// There is nothing at the particles' addresses, so reading one would end the test.
TEST(CudaSteps, DoNotReadParticlesThatSleep)
{
    using namespace cuda;
    Device device;
    const auto array = [&]<class T>(std::vector<T> values) {
        DeviceArray<T> made(device);
        made.need(values.size());
        made.upload(values.data(), values.size());
        return made;
    };
    const auto oldCoordinate = array(std::vector<std::int32_t>{7, -2, 3, 7, -2, 4});
    const auto oldStart = array(std::vector<std::uint32_t>{0, 2, 5, 5, 6}); // of two materials
    const auto oldOrder = array(std::vector<std::uint32_t>{4, 2, 0, 1, 3, 5});
    const auto oldState = array(std::vector<std::uint32_t>{kPassive, kBoundary});
    const auto coordinate = array(std::vector<std::int32_t>(12));
    const auto state = array(std::vector<std::uint32_t>(4));
    const auto order = array(std::vector<std::uint32_t>(6, 99));
    const auto key = array(std::vector<unsigned long long>(16, kEmptyKey));
    const auto keyBlock = array(std::vector<unsigned>(16, kNoBlock));
    const auto count = array(std::vector<std::uint32_t>(8));
    const auto bin = array(std::vector<std::uint32_t>(6));
    const auto rank = array(std::vector<std::uint32_t>(6));
    Report begin{};
    begin.notFinite = ~0ull;
    const auto report = array(std::vector<Report>{begin});

    Blocks old{};
    old.coordinate = oldCoordinate.data();
    old.start = oldStart.data();
    old.order = oldOrder.data();
    old.state = oldState.data();
    old.particleBlocks = 2;
    old.materials = 2;
    Blocks made{};
    made.coordinate = coordinate.data();
    made.state = state.data();
    made.order = order.data();
    made.table = {key.data(), keyBlock.data(), 15};
    made.capacity = 4;
    made.materials = 2;
    const Particles nowhere{};
    FLOE_LAUNCH(countBins, 2, kThreads, 54 * 2 * sizeof(unsigned), device.stream(), nowhere, old,
                made, count.data(), bin.data(), rank.data(), report.data());
    FLOE_LAUNCH(closeBlocks, 1, 1, 0, device.stream(), report.data());
    ASSERT_EQ(report.download(1)[0].particleBlocks, 2u);
    const auto counts = count.download(4);
    std::vector<std::uint32_t> start{0};
    for (const std::uint32_t n : counts)
        start.push_back(start.back() + n);
    const auto newStart = array(start);
    made.start = newStart.data();
    FLOE_LAUNCH(placeMoved, 2, kThreads, 0, device.stream(), nowhere, old, made, bin.data(),
                rank.data(), report.data());

    // Each block has its particles again, whichever place it was given.
    const auto places = coordinate.download(6);
    const auto slots = order.download(6);
    for (std::size_t b = 0; b < 2; ++b) {
        const std::vector<std::uint32_t> found(slots.begin() + start[2 * b],
                                               slots.begin() + start[2 * b + 2]);
        EXPECT_EQ(found, places[3 * b + 2] == 3 ? (std::vector<std::uint32_t>{4, 2, 0, 1, 3})
                                                : (std::vector<std::uint32_t>{5}));
    }
}

/// A collider that moves is made anew for every frame, its shape is not.
TEST(CudaColliders, BringTheirShapeOnce)
{
    cuda::Device device;
    cuda::Surroundings surroundings(device);
    auto grid = std::make_shared<const nanovdb::GridHandle<>>(
        nanovdb::createLevelSetSphere<float>(0.2f, nanovdb::Vec3<float>(0.0f), 0.5 * kDx));
    const std::size_t before = emulator::DeviceHeap::instance().used();
    for (int frame = 0; frame < 5; ++frame) {
        surroundings.setColliders({std::make_shared<MovingCollider>(
            grid, std::vector{pose(0, {0.1 * frame, 0, 0}), pose(1, {0.1 * frame + 0.1, 0, 0})})});
        surroundings.setColliders({}); // between frames
    }
    EXPECT_EQ(surroundings.uploads(), 1u);
    EXPECT_GT(emulator::DeviceHeap::instance().used(), before);
    // Without anyone who wants it, it goes, from the device and from the host.
    surroundings.setColliders({});
    surroundings.setColliders({});
    EXPECT_EQ(emulator::DeviceHeap::instance().used(), before);
    EXPECT_EQ(grid.use_count(), 1);
}

} // namespace
} // namespace floe::mpm
