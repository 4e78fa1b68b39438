// What a step of the CUDA solver does not do: read what does not move, copy what has not changed.
#include "plugins/mpm/cuda/cuda_backend.cuh"
#include "solver_scene.hpp"

namespace floe::mpm {
namespace {

/// There is nothing at the particles' addresses, so reading one would end the test.
TEST(CudaSteps, DoNotReadParticlesThatSleep)
{
    using namespace cuda;
    Device device(test::cudaDevice());
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
    const auto key = array(std::vector<unsigned long long>(16, sdk::grid::kNoKey));
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
    cuda::Device device(test::cudaDevice());
    cuda::Surroundings surroundings(device);
    auto grid = std::make_shared<const nanovdb::GridHandle<>>(
        nanovdb::createLevelSetSphere<float>(0.2f, nanovdb::Vec3<float>(0.0f), 0.5 * kDx));
    const std::uint64_t before = test::cudaBytes();
    for (int frame = 0; frame < 5; ++frame) {
        surroundings.setColliders({std::make_shared<MovingCollider>(
            grid, std::vector{pose(0, {0.1 * frame, 0, 0}), pose(1, {0.1 * frame + 0.1, 0, 0})})});
        surroundings.setColliders({}); // between frames
    }
    EXPECT_EQ(surroundings.uploads(), 1u);
    EXPECT_GT(test::cudaBytes(), before);
    // Without anyone who wants it, it goes, from the device and from the host.
    surroundings.setColliders({});
    surroundings.setColliders({});
    EXPECT_EQ(test::cudaBytes(), before);
    EXPECT_EQ(grid.use_count(), 1);
}

} // namespace
} // namespace floe::mpm
