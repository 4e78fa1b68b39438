// The solver's node takes a graph to the device by its parameter 'device', and its checkpoints go
// on there and elsewhere.
#include "emulated_device.hpp"
#include "run_graph.hpp"
#include "temporary_folder.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/session/library.hpp"
#include "floe/session/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace floe::test {
namespace {

namespace fs = std::filesystem;

/// A ball falls onto a heap of gravel in a box, which has fallen asleep before.
constexpr const char* kGraph = R"({
  "floe": 1,
  "range": {"start": 1, "end": 40, "fps": 24},
  "nodes": {
    "heap_shape": {"type": "floe.shape.box", "version": 2,
      "parameters": {"size": [0.5, 0.25, 0.5], "center": [0, 0.125, 0], "voxelSize": 0.04}},
    "gravel": {"type": "floe.pbd.grains", "version": 1, "parameters": {"density": 1700}},
    "heap": {"type": "floe.emitter", "version": 1},
    "ball_shape": {"type": "floe.shape.sphere", "version": 2, "parameters": {"radius": 0.1}},
    "ball": {"type": "floe.pbd.body", "version": 1,
      "parameters": {"voxel": 0.05, "density": 4000, "position": [0, 6.5, 0],
        "velocity": [0, 0, 0]}},
    "box": {"type": "floe.domain", "version": 1,
      "parameters": {"bounded": true, "center": [0, 4, 0], "size": [0.5, 8, 0.5],
        "xMin": "separate", "xMax": "separate", "yMin": "separate", "yMax": "open",
        "zMin": "separate", "zMax": "separate"}},
    "solver": {"type": "floe.pbd.solver", "version": 1,
      "parameters": {"particleSize": 0.08, "substeps": 10, "sleepAfter": 0.3}}
  },
  "links": [
    {"from": "heap_shape.shape", "to": "heap.shape"},
    {"from": "gravel.material", "to": "heap.material"},
    {"from": "heap.emitter", "to": "solver.emitters"},
    {"from": "ball_shape.mesh", "to": "ball.mesh"},
    {"from": "ball.body", "to": "solver.bodies"},
    {"from": "box.domain", "to": "solver.domain"}
  ]
})";

/// Remembers what frames reported.
class Frames final : public session::Observer {
public:
    void began(const fs::path&, int first, int) override { first_ = first; }
    void said(const session::Message& message) override { text += message.text + "\n"; }
    void frameDone(const session::FrameStatistics& statistics) override
    {
        if (const auto found = statistics.values.find("solver"); found != statistics.values.end())
            solver[statistics.frame] = found->second;
    }
    void frameProgress(int, const std::string&, double) override {}

    int first_ = 0;
    std::string text;
    std::map<int, std::map<std::string, double>> solver;
};

class PbdNode : public testing::Test {
protected:
    PbdNode()
    {
        compute::offerDevice(device_);
        writeFileAtomically(folder_ / "graph.floe.json", kGraph);
    }

    static session::Library& library()
    {
        static session::Library instance(
            {fs::path(FLOE_TEST_PLUGINS), fs::path(FLOE_BINARY_DIR) / "lib/floe/plugins"}, [] {
                plugin::ScanSettings settings;
                settings.probe.command = {FLOE_TEST_PROBE};
                return settings;
            }());
        return instance;
    }

    session::Outcome run(const std::string& device, const std::string& output, int end,
                         std::vector<std::string> overrides = {},
                         std::optional<int> resumeFrom = {})
    {
        session::RunSettings settings;
        settings.graph = folder_ / "graph.floe.json";
        settings.overrides = std::move(overrides);
        settings.end = end;
        settings.output = folder_ / output;
        settings.device = device;
        settings.checkpointEvery = 5;
        settings.cache = true;
        settings.resume = !resumeFrom; // where there is something to go on from
        settings.resumeFrom = resumeFrom;
        frames_ = {};
        const session::Outcome outcome = session::run(settings, library(), frames_, stop_);
        EXPECT_EQ(device_->faults, 0);
        EXPECT_EQ(emulator::DeviceHeap::instance().fault(), "");
        return outcome;
    }
    void expectRun(const std::string& device, const std::string& output, int end,
                   std::vector<std::string> overrides = {}, std::optional<int> resumeFrom = {})
    {
        EXPECT_EQ(run(device, output, end, std::move(overrides), resumeFrom).end,
                  session::Outcome::End::Finished)
            << frames_.text;
    }
    fs::path file(const std::string& output, const char* value, int frame) const
    {
        char name[64];
        std::snprintf(name, sizeof name, "cache/solver.%s.%04d.floe", value, frame);
        return folder_ / output / name;
    }
    double distance(const std::string& a, const std::string& b, int frame) const
    {
        const Frame one(file(a, "particles", frame)), other(file(b, "particles", frame));
        EXPECT_EQ(one.count(), other.count());
        double most = 0;
        for (std::size_t i = 0; i < std::min(one.count(), other.count()); ++i)
            for (std::size_t axis = 0; axis < 3; ++axis)
                most = std::max(most, std::abs(one.position(i)[axis] - other.position(i)[axis]));
        return most;
    }

    Frames frames_;
    std::shared_ptr<EmulatedDevice> device_ = std::make_shared<EmulatedDevice>("emulated");

private:
    TemporaryFolder folder_;
    std::atomic<bool> stop_{false};
};

// Until the ball strikes only grains meet, which are of the same bits; after that it lies in the
// heap as on the CPU.
TEST_F(PbdNode, DoesOnTheDeviceWhatItDoesOnTheCpu)
{
    constexpr int kBefore = 25, kEnd = 40;
    expectRun("cpu", "cpu", kEnd);
    const auto cpu = frames_.solver;
    expectRun("emulated", "gpu", kEnd, {"solver.device=cuda"});
    const auto gpu = frames_.solver;
    EXPECT_EQ(gpu.at(kEnd).at("onDevice"), 1);
    EXPECT_GT(gpu.at(kEnd).at("contacts"), 20);
    EXPECT_GT(gpu.at(kBefore).at("asleep"), 100); // the grains
    for (int frame = 1; frame <= kBefore; ++frame) {
        EXPECT_EQ(gpu.at(frame).at("asleep"), cpu.at(frame).at("asleep")) << frame;
        EXPECT_EQ(distance("cpu", "gpu", frame), 0) << frame;
    }
    EXPECT_LT(gpu.at(kEnd).at("asleep"), gpu.at(kBefore).at("asleep"));
    const auto mean = [&](const char* output) {
        return Frame(file(output, "particles", kEnd)).meanPosition()[1];
    };
    EXPECT_NEAR(mean("gpu"), mean("cpu"), 0.002);
}

TEST_F(PbdNode, GoesOnFromItsCheckpoints)
{
    const std::vector<std::string> onDevice{"solver.device=cuda"};
    expectRun("emulated", "whole", 33, onDevice);
    expectRun("emulated", "parts", 27, onDevice);
    expectRun("emulated", "parts", 33, onDevice);
    EXPECT_EQ(frames_.first_, 27);
    for (const char* value : {"particles", "mesh", "states"})
        EXPECT_EQ(readFile(file("whole", value, 33)), readFile(file("parts", value, 33))) << value;
    // Automatic goes on on the CPU from what the device left, and the other way round.
    expectRun("emulated", "mixed", 21);
    EXPECT_EQ(frames_.solver.at(21).at("onDevice"), 1);
    expectRun("cpu", "mixed", 26, {}, 21);
    expectRun("emulated", "mixed", 28, {}, 26);
    EXPECT_EQ(frames_.first_, 27);
    EXPECT_LE(distance("mixed", "whole", 28), 0.002);
}

TEST_F(PbdNode, SaysWhyTheDeviceCannot)
{
    const std::vector<std::string> logs{"solver.contactLog=true"};
    expectRun("emulated", "automatic", 2, logs);
    EXPECT_EQ(frames_.solver.at(2).at("onDevice"), 0);
    EXPECT_THAT(frames_.text, testing::HasSubstr("runs on the CPU here: the contact log"));
    const auto refused = run("emulated", "refused", 2, {logs[0], "solver.device=cuda"});
    EXPECT_EQ(refused.end, session::Outcome::End::Failed);
    EXPECT_THAT(frames_.text, testing::HasSubstr("switch 'contactLog' off"));
    EXPECT_EQ(run("cpu", "none", 2, {"solver.device=cuda"}).end, session::Outcome::End::Failed);
    EXPECT_THAT(frames_.text, testing::HasSubstr("the run has no CUDA device"));
}

} // namespace
} // namespace floe::test
