// What an interactive session shows of the frame just simulated on a CUDA device is drawn from that
// device's memory; see tests/parity/view/pictures_test.cpp for how the device is emulated.
#include "emulated_device.hpp"
#include "emulated_session.hpp"
#include "frame_store.hpp"
#include "simulation.hpp"
#include "temporary_folder.hpp"
#include "viewer.hpp"

#include "floe/base/file.hpp"

#include <gtest/gtest.h>

#include <future>
#include <mutex>

namespace floe::test {
namespace {

namespace fs = std::filesystem;

class Ear final : public serve::SimulationListener {
public:
    void notify(const char* method, Json params) override
    {
        const std::lock_guard lock(mutex_);
        if (std::string_view(method) == "run.state")
            end = params.value("state", "") + params.value("message", "");
    }
    void framesChanged(std::optional<int>) override {}

    std::string end; ///< read it when nothing runs any more

private:
    std::mutex mutex_;
};

class LiveView : public testing::Test {
protected:
    static constexpr int kFrames = 3;

    /// Pictures of a session, and what drawing them took.
    struct Seen {
        std::vector<render::Image> pictures; ///< of views()
        std::uint64_t toHost = 0;
        int imports = 0;
        std::uint64_t particles = 0;
        Json picked, bounds;
        std::vector<std::string> said;
    };

    void SetUp() override
    {
        if (const auto found = drawingDevice())
            uuid_ = found->uuid;
        else
            FAIL() << "no Vulkan driver on the processor exports memory; install "
                      "mesa-vulkan-drivers";
    }

    /// The newest frame in several colourings, and in motion.
    static std::vector<view::ViewSettings> views(int frame)
    {
        view::ViewSettings view;
        view.width = 240;
        view.height = 160;
        view.frame = frame;
        view.camera = render::Camera{.eye = {0, 1, 4}, .target = {0, 0.5f, 0}};
        std::vector<view::ViewSettings> list(4, view);
        list[1].mode = "speed";
        list[2].mode = "activation";
        list[3].moving = true;
        return list;
    }

    /// Simulates first_snow, coarse, on a device of that UUID and looks at one of its frames.
    Seen see(std::array<std::uint8_t, 16> uuid, int frame)
    {
        const auto device = std::make_shared<EmulatedDevice>("emulated", uuid);
        compute::offerDevice(device);
        serve::FrameStore store(folder_ / "cache", 0, 0,
                                [](const std::string& why) { ADD_FAILURE() << why; });
        const std::string path =
            (fs::path(FLOE_SOURCE_DIR) / "graphs/first_snow.floe.json").string();
        Json document = Json::parse(readFile(path));
        document["nodes"]["solver"]["parameters"]["cellSize"] = 0.08;
        const auto read = serve::readDocument(document, path, 1, emulatedLibrary());
        EXPECT_TRUE(read->flat);

        Ear ear;
        serve::Simulation simulation(emulatedLibrary(), store, ear, 0);
        simulation.setDevice("emulated");
        simulation.start(
            {.document = read, .first = {}, .last = kFrames, .resume = {}, .output = {}});
        EXPECT_TRUE(simulation.waitForEnd(1e9));
        simulation.join();
        EXPECT_EQ(ear.end, "finished");

        Seen seen;
        std::mutex mutex;
        {
            serve::Viewer viewer(
                emulatedLibrary(), store, folder_ / "temporary",
                [](const render::Image&, Json) { return true; }, [] { return false; },
                [&](const char*, const std::string& text) {
                    const std::lock_guard lock(mutex);
                    seen.said.push_back(text);
                });
            viewer.setGraph({read, &*read->flat});
            viewer.setView(0, views(frame).front());
            const std::uint64_t before = device->toHost;
            std::promise<void> done;
            viewer.post([&](serve::Viewer& drawer) {
                try {
                    for (const view::ViewSettings& view : views(frame))
                        seen.pictures.push_back(drawer.draw(view, 4));
                    seen.picked = drawer.pick(0, 121, 52);
                    seen.bounds = drawer.bounds(0, "solver");
                } catch (const std::exception& error) {
                    ADD_FAILURE() << error.what();
                }
                done.set_value();
            });
            done.get_future().wait();
            seen.toHost = device->toHost - before;
        }
        seen.imports = device->imports;
        for (const auto& [socket, value] : store.get(frame)->at("solver"))
            if (const auto* particles = as<ParticlesValue>(value)) {
                EXPECT_EQ(particles->space(), compute::Space::host);
                seen.particles = particles->count();
            }
        store.clear();
        EXPECT_EQ(device->faults, 0);
        return seen;
    }

    std::array<std::uint8_t, 16> uuid_{};

private:
    TemporaryFolder folder_;
};

TEST_F(LiveView, IsDrawnWhereItWasSimulatedAndTheSame)
{
    const Seen inPlace = see(uuid_, kFrames);
    const Seen throughHost = see({}, kFrames); // another device than Vulkan's
    ASSERT_GT(inPlace.particles, 500u);
    ASSERT_EQ(inPlace.pictures.size(), views(kFrames).size());
    ASSERT_EQ(throughHost.pictures.size(), inPlace.pictures.size());
    for (std::size_t i = 0; i < inPlace.pictures.size(); ++i)
        EXPECT_EQ(inPlace.pictures[i].display, throughHost.pictures[i].display) << "view " << i;
    EXPECT_NE(inPlace.pictures[0].display, inPlace.pictures[1].display);
    EXPECT_EQ(inPlace.picked, throughHost.picked);
    EXPECT_EQ(inPlace.picked.value("node", ""), "solver") << inPlace.picked;
    EXPECT_EQ(inPlace.bounds, throughHost.bounds);
    EXPECT_EQ(inPlace.bounds.size(), 2u);

    EXPECT_GT(inPlace.imports, 0);
    EXPECT_EQ(throughHost.imports, 0);
    // An extent of 24 bytes and one volume a scene, and the sample of all speeds, which are few.
    EXPECT_LE(inPlace.toHost, 4 * 64 + inPlace.particles * sizeof(float));
    EXPECT_EQ(inPlace.said, std::vector<std::string>{});
    ASSERT_EQ(throughHost.said.size(), 1u);
    EXPECT_NE(throughHost.said[0].find("copied through host memory"), std::string::npos);
}

// The memory of the device is for the frame that is computed, not for those that were.
TEST_F(LiveView, OlderFramesComeFromTheHost)
{
    const Seen older = see(uuid_, kFrames - 1);
    EXPECT_EQ(older.imports, 0);
    EXPECT_EQ(older.toHost, 0u);
    EXPECT_EQ(older.picked.value("node", ""), "solver");
}

} // namespace
} // namespace floe::test
