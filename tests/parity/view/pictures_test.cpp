// A scene simulated on a CUDA device is drawn from that device's memory.
//
// The device is emulated, and says that it is the Vulkan device that draws: a driver on the
// processor, whose exported memory can be mapped. So the whole way is taken here, and what would
// cross the bus is counted.
#include "emulated_device.hpp"
#include "emulated_session.hpp"
#include "temporary_folder.hpp"

#include "floe/base/file.hpp"
#include "floe/session/session.hpp"
#include "floe/view/picture.hpp"

#include <gtest/gtest.h>

#include <mutex>

namespace floe::test {
namespace {

namespace fs = std::filesystem;

/// Remembers what the frames reported.
class Frames final : public session::Observer {
public:
    void began(const fs::path&, int, int) override {}
    void said(const session::Message& message) override
    {
        const std::lock_guard lock(mutex_); // sinks speak on threads of their own
        said_ += message.text + "\n";
    }
    void frameDone(const session::FrameStatistics& statistics) override
    {
        particles = static_cast<std::uint64_t>(statistics.values.at("solver").at("particles"));
    }
    void frameProgress(int, const std::string&, double) override {}

    std::uint64_t particles = 0;
    std::string said_;

private:
    std::mutex mutex_;
};

class Pictures : public testing::Test {
protected:
    static constexpr int kFrames = 3;

    struct Made {
        std::vector<std::string> pictures; ///< files, frame by frame
        std::uint64_t particles = 0, toHost = 0, largestToHost = 0;
        int imports = 0;
        std::string said;
    };

    /// Runs first_snow, coarse, on a device of that UUID.
    Made run(std::array<std::uint8_t, 16> uuid, const std::vector<std::string>& sinks,
             const std::string& colourBy = "material", bool refusesImports = false)
    {
        view::releaseRenderer(); // a run makes its own, as a program does
        const auto device = std::make_shared<EmulatedDevice>("emulated", uuid);
        device->refusesImports = refusesImports;
        compute::offerDevice(device);
        session::RunSettings settings;
        settings.graph = fs::path(FLOE_SOURCE_DIR) / "graphs/first_snow.floe.json";
        settings.overrides = {"solver.cellSize=0.08", "render.width=240", "render.height=160",
                              "render.colorBy=" + colourBy, "ball.center=[0.03,0.75,0]"};
        settings.end = kFrames;
        const fs::path output = folder_ / ("out" + std::to_string(runs_++));
        settings.output = output;
        settings.device = "emulated";
        settings.checkpointEvery = 0;
        settings.sinks = sinks;
        settings.withoutSinks = sinks.empty();
        Frames frames;
        const session::Outcome outcome = session::run(settings, emulatedLibrary(), frames, stop_);
        EXPECT_EQ(outcome.end, session::Outcome::End::Finished) << frames.said_;
        Made made;
        made.particles = frames.particles;
        made.toHost = device->toHost;
        made.largestToHost = device->largestToHost;
        made.imports = device->imports;
        made.said = frames.said_;
        EXPECT_EQ(device->faults, 0);
        EXPECT_EQ(emulator::DeviceHeap::instance().fault(), "");
        for (int frame = 1; frame <= kFrames; ++frame)
            if (const fs::path file =
                    output / "images" / ("first_snow.000" + std::to_string(frame) + ".png");
                fs::exists(file))
                made.pictures.push_back(readFile(file));
        exported_ = output / "particles";
        return made;
    }

    void SetUp() override
    {
        if (const auto found = drawingDevice())
            uuid_ = found->uuid;
        else
            FAIL() << "no Vulkan driver on the processor exports memory; install "
                      "mesa-vulkan-drivers";
    }

    std::array<std::uint8_t, 16> uuid_{};
    fs::path exported_;

private:
    TemporaryFolder folder_;
    int runs_ = 0;
    std::atomic<bool> stop_{false};
};

TEST_F(Pictures, AreDrawnWithoutTheHostAndTheSame)
{
    const Made simulated = run(uuid_, {});
    for (const char* colourBy : {"material", "speed", "state"}) {
        const Made inPlace = run(uuid_, {"render"}, colourBy);
        const Made throughHost = run({}, {"render"}, colourBy); // another device than Vulkan's
        ASSERT_GT(inPlace.particles, 500u);
        ASSERT_EQ(inPlace.pictures.size(), std::size_t{kFrames});
        EXPECT_EQ(inPlace.pictures, throughHost.pictures) << colourBy;
        EXPECT_GT(inPlace.imports, 0);
        EXPECT_EQ(throughHost.imports, 0);

        // Extents (24 bytes, twice at most) and one particle's volume cross for a picture, and the
        // sample in which a colour map's ends are found: bounded, of so few particles all speeds.
        const std::size_t number = inPlace.particles * sizeof(float);
        const std::size_t sample = std::string_view(colourBy) == "speed" ? number : 0;
        EXPECT_LE(inPlace.toHost, simulated.toHost + kFrames * (64 + sample));
        // Else not even one number a particle goes to the host at any time; positions do elsewhere.
        EXPECT_LT(inPlace.largestToHost, sample > 0 ? number + 1 : number);
        EXPECT_GE(throughHost.largestToHost, throughHost.particles * 3 * sizeof(float));
    }
}

TEST_F(Pictures, BuffersAreUsedAgain)
{
    EXPECT_EQ(run(uuid_, {"render"}).imports, 1); // as many particles in every frame
}

std::size_t occurrences(const std::string& text, const std::string& part)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

// A driver that cannot share memory costs copies and one line in the log, not the pictures.
TEST_F(Pictures, GoThroughTheHostWhereMemoryCannotBeShared)
{
    const Made inPlace = run(uuid_, {"render"});
    const Made refused = run(uuid_, {"render"}, "material", true);
    const Made elsewhere = run({}, {"render"});
    EXPECT_EQ(refused.imports, 1); // and is not asked again
    EXPECT_EQ(refused.pictures, inPlace.pictures);
    EXPECT_EQ(elsewhere.pictures, inPlace.pictures);
    EXPECT_GE(refused.largestToHost, refused.particles * 3 * sizeof(float));
    const std::string line = "are copied through host memory";
    EXPECT_EQ(occurrences(inPlace.said, line), 0u) << inPlace.said;
    EXPECT_EQ(occurrences(refused.said, line), 1u) << refused.said;
    EXPECT_EQ(occurrences(refused.said, "failed to import memory of the renderer"), 1u);
    EXPECT_EQ(occurrences(elsewhere.said, line), 1u) << elsewhere.said;
    EXPECT_EQ(occurrences(elsewhere.said, "drawn by another device"), 1u);
}

// Who needs particles in host memory gets one copy of them, however many ask.
TEST_F(Pictures, ExportBringsParticlesToTheHostOnce)
{
    const Made drawn = run(uuid_, {"render"});
    const Made both = run(uuid_, {"render", "export"});
    EXPECT_EQ(drawn.pictures, both.pictures);
    EXPECT_TRUE(fs::exists(exported_ / "first_snow.0003.vdb"));
    // x, v, id, material, state, J, volume
    const std::uint64_t once = kFrames * both.particles * (12 + 12 + 8 + 4 + 1 + 4 + 4);
    EXPECT_EQ(both.toHost, drawn.toHost + once);
}

} // namespace
} // namespace floe::test
