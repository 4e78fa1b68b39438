// Within a frame a substep copies a few counts, unless candidates are searched for. On the emulator
// alone, which sees every copy: on a card the kernels' side copies by itself.
#include "device_scene.hpp"

namespace floe::pbd {
namespace {

/// The emulated device, with a count of what crosses the bus.
class CountedDevice {
public:
    static floe_device table()
    {
        floe_device counting = test::cudaDevice();
        counting.copy = [](const floe_device*, void* to, const void* from, std::uint64_t bytes,
                           std::int32_t direction) -> floe_status {
            if (direction != FLOE_COPY_ON_DEVICE) {
                ++copies;
                copied += bytes;
            }
            const floe_device uncounted = test::cudaDevice();
            return uncounted.copy(&uncounted, to, from, bytes, direction);
        };
        return counting;
    }
    static inline std::uint64_t copies = 0, copied = 0;
};

} // namespace

TEST(CudaCopies, ASubstepCopiesCountsAlone)
{
    DeviceTrial trial;
    trial.basin({0.4, 1, 0.4});
    addGrains(trial, {0.02, 0, 0.02}, {6, 3, 6}, 0.02f, 1, {0, 0, 0});
    trial.addBox(0.1, 0.05, {.x = {0.33, 0.05, 0.33}});
    trial.frames = 40;
    const auto device = makeDeviceSolver(CountedDevice::table());
    trial.runOn(*device); // it comes to rest
    const std::size_t searches = trial.solver.contacts().searches();
    const auto frameOf = [&](int substeps) {
        CountedDevice::copies = CountedDevice::copied = 0;
        device->advance(
            trial.solver, trial.world(), trial.time, kSubstep, substeps, [](int) {}, serialLoops);
        trial.time += substeps * kSubstep;
        return std::pair(CountedDevice::copies, CountedDevice::copied);
    };
    const auto [copies, copied] = frameOf(5);
    const auto [moreCopies, moreCopied] = frameOf(15);
    ASSERT_EQ(trial.solver.contacts().searches(), searches);
    EXPECT_EQ(moreCopies - copies, 10u);
    EXPECT_LE(moreCopied - copied, 10u * 64);
    EXPECT_GT(copied, trial.solver.scene.particles.size() * sizeof(Vec3d)); // they are counted
}

} // namespace floe::pbd
