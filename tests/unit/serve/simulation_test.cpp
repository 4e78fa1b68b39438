#include "frame_store.hpp"
#include "history.hpp"
#include "session_document.hpp"
#include "simulation.hpp"
#include "temporary_folder.hpp"

#include "floe/base/json.hpp"
#include "floe/data/particles.hpp"
#include "floe/session/library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <limits>
#include <thread>

namespace floe::serve {
namespace {

/// Holds the run at its first frame until it is told to stop, and is slow to take that news.
class Listener final : public SimulationListener {
public:
    void notify(const char* method, Json params) override
    {
        if (method != std::string_view("run.state"))
            return;
        const std::string state = params["state"];
        std::unique_lock lock(mutex_);
        if (state == "stopping") {
            stopping_ = true;
            changed_.notify_all();
            lock.unlock();
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            lock.lock();
        }
        states_.push_back(state);
    }
    void framesChanged(std::optional<int>) override
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return stopping_; });
    }
    std::vector<std::string> states()
    {
        const std::lock_guard lock(mutex_);
        return states_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    std::vector<std::string> states_;
};

plugin::ScanSettings probing()
{
    plugin::ScanSettings scan;
    scan.probe.command = {FLOE_TEST_PROBE};
    return scan;
}

// Who hears "stopping" last waits for ever.
TEST(Simulation, TheEndIsTheLastThatIsTold)
{
    session::Library library({std::filesystem::path(FLOE_TEST_PLUGINS)}, probing());
    const test::TemporaryFolder folder;
    FrameStore store(folder.path(), 1 << 20, 1 << 20, [](const std::string&) {});
    Listener listener;
    Simulation simulation(library, store, listener, 1);
    const Json document = Json::parse(R"json({
        "floe": 1, "range": {"start": 1, "end": 100},
        "nodes": {"one": {"type": "test.constant"}, "solver": {"type": "test.accumulate"}},
        "links": [{"from": "one.out", "to": "solver.in"}]})json");
    Simulation::Start start;
    start.document = readDocument(document, "", 1, library);
    ASSERT_TRUE(start.document->flat);
    simulation.start(std::move(start));
    simulation.stop();
    simulation.join();
    EXPECT_THAT(listener.states(), testing::ElementsAre("running", "stopping", "cancelled"));
}

// A run may begin at any frame; its history from the graph's first one is not followed up to there.
TEST(ExpectedHistory, IsEmptyFarAheadAndFollowsWhatIsNear)
{
    session::Library library({std::filesystem::path(FLOE_TEST_PLUGINS)}, probing());
    const Json document = Json::parse(R"json({
        "floe": 1, "range": {"start": 1, "end": 10000000},
        "nodes": {"one": {"type": "test.constant"}, "solver": {"type": "test.accumulate"}},
        "links": [{"from": "one.out", "to": "solver.in"}]})json");
    const auto read = readDocument(document, "", 1, library);
    ASSERT_TRUE(read->flat);
    ExpectedHistory history(*read->flat, library, "cpu", std::nullopt);
    EXPECT_TRUE(history.at(ExpectedHistory::kMaxAhead + 1).empty());
    EXPECT_TRUE(history.at(std::numeric_limits<int>::max()).empty());
    const FrameHistory near = history.at(2);
    EXPECT_EQ(near.size(), 1u);
    EXPECT_NE(near, history.at(3));
    EXPECT_EQ(near, history.at(2));
    EXPECT_FALSE(history.at(ExpectedHistory::kMaxAhead + 3).empty()) << "seen from frame 3 on";
}

// Two arrays of a megabyte fit into memory: one that all frames share, and what is left on disk
// alone is read into others.
TEST(FrameStore, CountsAnArrayThatFramesShareOnce)
{
    constexpr std::uint64_t kCount = 1 << 18;
    const auto rest = make<ParticlesValue>(kCount);
    std::ranges::fill(rest->add<float>("sh", 1), 1.0f);
    rest->seal();
    const test::TemporaryFolder folder;
    FrameStore store(folder.path(), 100 << 20, 3 << 20, [](const std::string&) {});
    const auto put = [&](int frame, bool shared) {
        const auto moved = make<ParticlesValue>(kCount);
        if (shared)
            moved->share("sh", *rest);
        else
            std::ranges::fill(moved->add<float>("sh", 1), 1.0f);
        moved->seal();
        FrameValues values;
        values["deform"]["gaussians"] = moved;
        store.put(frame, {}, std::move(values));
    };
    const auto arrayOf = [&](int frame) -> const void* {
        const auto values = store.get(frame);
        return expect<ParticlesValue>(values->at("deform").at("gaussians")).find("sh")->data.data();
    };
    const auto written = [&] { // only what is on disk leaves the memory
        std::size_t files = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
            files += entry.is_regular_file() && entry.file_size() >= 4 * kCount;
        return files;
    };
    const void* const shared = rest->find("sh")->data.data();
    for (int frame = 1; frame <= 8; ++frame)
        put(frame, true);
    while (written() < 8)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (int frame = 1; frame <= 8; ++frame)
        EXPECT_EQ(arrayOf(frame), shared) << frame;
    for (int frame = 9; frame <= 16; ++frame)
        put(frame, false);
    store.clear(); // waits for nobody: frames are counted out as they were counted in
    for (int frame = 1; frame <= 8; ++frame)
        put(frame, true);
    for (int frame = 1; frame <= 8; ++frame)
        EXPECT_EQ(arrayOf(frame), shared) << frame;
}

} // namespace
} // namespace floe::serve
