#include "floe/session/session.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/json.hpp"
#include "floe/compute/memory.hpp"
#include "floe/session/checkpoint.hpp"
#include "floe/session/exit_code.hpp"
#include "floe/session/library.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace floe::session {
namespace {

/// Remembers what a run said.
class Memory final : public Observer {
public:
    void began(const std::filesystem::path&, int first, int) override { first_ = first; }
    void said(const Message& message) override { messages.push_back(message); }
    void frameDone(const FrameStatistics& statistics) override
    {
        frames.push_back(statistics);
        if (action_)
            action_(statistics.frame);
    }
    void frameProgress(int, const std::string&, double) override {}

    int first_ = 0;
    std::function<void(int frame)> action_; ///< done after each frame
    std::vector<Message> messages;
    std::vector<FrameStatistics> frames;
};

class RunTest : public ::testing::Test {
protected:
    RunTest()
    {
        settings_.graph = folder_ / "graph.floe.json";
        settings_.output = folder_ / "out";
        settings_.device = "cpu";
        settings_.checkpointEvery = 3;
        graph(kDrivenSolver);
    }

    void graph(const std::string& text) { writeFileAtomically(settings_.graph, text); }

    Outcome run()
    {
        observer_ = Memory();
        observer_.action_ = action_;
        return session::run(settings_, library(), observer_, stop_);
    }

    /// One for all tests: probing the plugin takes a process.
    static Library& library()
    {
        static Library instance({std::filesystem::path(FLOE_TEST_PLUGINS)}, probing());
        return instance;
    }
    static plugin::ScanSettings probing()
    {
        plugin::ScanSettings settings;
        settings.probe.command = {FLOE_TEST_PROBE};
        return settings;
    }

    std::string written(const std::string& name) const { return readFile(settings_.output / name); }
    bool exists(const std::string& name) const
    {
        return std::filesystem::exists(settings_.output / name);
    }

    /// A constant that changes with time drives a chaotic solver; its values are written.
    static constexpr const char* kDrivenSolver = R"json({
        "floe": 1, "range": {"start": 1, "end": 10, "fps": 24},
        "nodes": {
            "drive": {"type": "test.constant", "version": 1, "parameters": {"value": {"expr": "sin(frame)"}}},
            "still": {"type": "test.constant", "version": 1, "parameters": {"value": 2}},
            "sum": {"type": "test.sum", "version": 1},
            "solver": {"type": "test.accumulate", "version": 1},
            "write": {"type": "test.write", "version": 1}
        },
        "links": [{"from": "drive.out", "to": "sum.in"}, {"from": "still.out", "to": "sum.in"},
                  {"from": "sum.out", "to": "solver.in"}, {"from": "solver.out", "to": "write.in"}]})json";

    test::TemporaryFolder folder_;
    RunSettings settings_;
    Memory observer_;
    std::function<void(int frame)> action_; ///< of each run after each frame
    std::atomic<bool> stop_{false};
};

TEST(ExitCode, IsThatOfMemoryHoweverALibrarySaysSo)
{
    const auto codeOf = [](const auto& failure) {
        return exitCodeOf(std::make_exception_ptr(failure));
    };
    EXPECT_EQ(codeOf(std::bad_alloc()), kMemory);
    EXPECT_EQ(
        codeOf(std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again))),
        kMemory);
    EXPECT_EQ(codeOf(std::runtime_error( // TBB
                  "pthread_create has failed: Resource temporarily unavailable")),
              kMemory);
    EXPECT_EQ(codeOf(std::runtime_error("the rope broke")), kOther);
}

TEST_F(RunTest, WritesEveryFrameInOrderAndFinishes)
{
    EXPECT_EQ(run().end, Outcome::End::Finished);
    ASSERT_EQ(observer_.frames.size(), 10u);
    for (int frame = 1; frame <= 10; ++frame)
        EXPECT_TRUE(exists("value." + std::to_string(frame)));
    EXPECT_TRUE(exists("value.finish"));
    const Json report = loadJson(settings_.output / "run.json");
    EXPECT_EQ(report["result"], "finished");
    EXPECT_EQ(report["frames"].size(), 10u);
    EXPECT_EQ(report["plugins"]["test.session"], "1.0.0");
}

namespace {

/// A solver that another one moves; their outputs are added up and written.
std::string coupledPair(const char* more = "")
{
    return std::string(R"json({
        "floe": 1, "range": {"start": 1, "end": 6, "fps": 24},
        "nodes": {
            "carried": {"type": "test.carried", "version": 1},
            "carrier": {"type": "test.carrier", "version": 1},
            "sum": {"type": "test.sum", "version": 2},
            "write": {"type": "test.write", "version": 1}
        },
        "links": [{"from": "carried.coupling", "to": "carrier.bodies"}, {"from": "carried.out", "to": "sum.in"},
                  {"from": "sum.out", "to": "write.in"})json") +
           more + "]}";
}

} // namespace

// What uses a solver's outputs waits until the other solver has moved it in the same frame.
TEST_F(RunTest, ASolverThatAnotherMovesCooksBeforeAndAfter)
{
    graph(coupledPair());
    ASSERT_EQ(run().end, Outcome::End::Finished);
    double state = 1;
    for (int frame = 1; frame <= 6; ++frame) {
        state = 0.5 * state + (frame - 1); // the push of this frame, not of the last
        EXPECT_EQ(std::strtod(written("value." + std::to_string(frame)).c_str(), nullptr), state)
            << frame;
    }
    ASSERT_EQ(observer_.frames.size(), 6u);
    EXPECT_EQ(observer_.frames[3].values.at("carried").at("concluded"), 1);
    // From a checkpoint it goes on in the same way, and a change of the one that moves is noticed.
    const std::string last = written("value.6");
    settings_.resume = true;
    std::filesystem::remove(settings_.output / "value.6");
    ASSERT_EQ(run().end, Outcome::End::Finished);
    EXPECT_EQ(observer_.first_, 5);
    EXPECT_EQ(written("value.6"), last);
    settings_.overrides = {"carrier.strength=2"};
    EXPECT_THROW(run(), InputError);
}

// A circle through the solver that moves cannot be computed, and says which two nodes make it.
TEST_F(RunTest, ASolverThatMovesAnotherCannotNeedItsOutputs)
{
    graph(coupledPair(R"json(, {"from": "sum.out", "to": "carrier.in"})json"));
    const Outcome outcome = run();
    ASSERT_EQ(outcome.end, Outcome::End::Failed);
    const auto& said = observer_.messages;
    EXPECT_TRUE(std::any_of(said.begin(), said.end(), [](const Message& message) {
        return message.text.find("'carried'") != std::string::npos &&
               message.text.find("moved by 'carrier'") != std::string::npos;
    }));
}

// Looking goes on where nothing can be written; the artist is told once.
TEST_F(RunTest, AnInteractiveRunGoesOnWithoutADisk)
{
    writeFileAtomically(folder_ / "full", "a file, so nothing can lie below it");
    settings_.checkpoints = folder_ / "full" / "checkpoints";
    settings_.checkpointEvery = 1;
    settings_.withoutSinks = settings_.interactive = true;
    EXPECT_EQ(run().end, Outcome::End::Finished);
    EXPECT_EQ(observer_.frames.size(), 10u);
    EXPECT_FALSE(exists("run.json"));
    ASSERT_EQ(observer_.messages.size(), 1u);
    EXPECT_EQ(observer_.messages[0].level, Level::Warning);
    EXPECT_NE(observer_.messages[0].text.find("goes on"), std::string::npos)
        << observer_.messages[0].text;

    settings_.interactive = false; // a run whose output is wanted says that it is not whole
    EXPECT_EQ(run().end, Outcome::End::Failed);
}

// A node whose parameters and inputs stay the same is cooked once; one that changes, each frame.
TEST_F(RunTest, SameHashSameValue)
{
    run();
    const auto cooks = [this](std::size_t frame, const std::string& node) {
        const auto& values = observer_.frames[frame].values;
        return values.count(node) ? values.at(node).at("cooks") : 0.0;
    };
    EXPECT_EQ(cooks(0, "still"), 1);
    EXPECT_EQ(cooks(9, "still"), 0); // not cooked in that frame
    EXPECT_EQ(cooks(9, "drive"), 10);
}

// The solver's map is chaotic, so one wrong bit anywhere would show in the hexadecimal digits.
TEST_F(RunTest, ResumingIsAsIfNeverStopped)
{
    run();
    std::vector<std::string> whole;
    for (int frame = 1; frame <= 10; ++frame)
        whole.push_back(written("value." + std::to_string(frame)));

    settings_.output = folder_ / "again";
    settings_.end = 5; // the last checkpoint is of frame 4
    run();
    settings_.end.reset();
    settings_.resume = true;
    EXPECT_EQ(run().end, Outcome::End::Finished);
    EXPECT_EQ(observer_.first_, 5);
    for (int frame = 1; frame <= 10; ++frame)
        EXPECT_EQ(written("value." + std::to_string(frame)),
                  whole[static_cast<std::size_t>(frame - 1)]);
    EXPECT_EQ(loadJson(settings_.output / "run.json")["frames"].size(), 10u);
}

TEST_F(RunTest, ADamagedCheckpointIsPassedOver)
{
    run();
    const auto newest = checkpointPath(settings_.output / "checkpoints", 10);
    std::string bytes = readFile(newest);
    bytes[bytes.size() / 2] ^= 1;
    writeFileAtomically(newest, bytes);
    settings_.resume = true;
    EXPECT_EQ(run().end, Outcome::End::Finished);
    EXPECT_EQ(observer_.first_, 8);
    ASSERT_FALSE(observer_.messages.empty());
    EXPECT_NE(observer_.messages.front().text.find("damaged"), std::string::npos);
}

// Its checksum is right, and yet no solver goes on from it; nor does one that has taken its own.
TEST_F(RunTest, AStateThatASolverRefusesIsPassedOver)
{
    run();
    const std::string right = written("value.10");
    const auto folder = settings_.output / "checkpoints";
    for (const int frame : {4, 7, 10}) {
        const StoredCheckpoint stored(folder, frame);
        Checkpoint bad{frame, {}, stored.histories(), stored.types(), {}};
        for (const auto& [node, type] : bad.types)
            bad.states[node] = "x";
        writeCheckpoint(checkpointPath(folder, frame), bad);
    }
    settings_.resume = true;
    EXPECT_EQ(run().end, Outcome::End::Finished);
    EXPECT_EQ(observer_.first_, 1);
    EXPECT_EQ(written("value.10"), right);
    ASSERT_EQ(observer_.messages.size(), 4u);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NE(observer_.messages[i].text.find("trying an older one"), std::string::npos)
            << observer_.messages[i].text;
}

// What a state takes counts as memory of the run while it is loaded.
TEST_F(RunTest, ResumingTakesNoMoreMemoryThanTheRunMay)
{
    run();
    const std::uint64_t before = compute::hostBytes();
    settings_.resume = true;
    compute::setHostMemoryLimit(before + 1);
    EXPECT_THROW(run(), MemoryError);
    compute::setHostMemoryLimit(0);
    EXPECT_EQ(run().end, Outcome::End::Finished);
    EXPECT_EQ(compute::hostBytes(), before);
}

// A copy under another frame's name would go on from the wrong frame.
TEST_F(RunTest, ACheckpointUnderAnotherFramesNameIsPassedOver)
{
    run();
    const std::string right = written("value.10");
    const auto folder = settings_.output / "checkpoints";
    std::filesystem::remove(checkpointPath(folder, 10));
    std::filesystem::copy_file(checkpointPath(folder, 4), checkpointPath(folder, 9));
    settings_.resume = true;
    EXPECT_EQ(run().end, Outcome::End::Finished);
    EXPECT_EQ(observer_.first_, 8);
    EXPECT_EQ(written("value.10"), right);
    ASSERT_FALSE(observer_.messages.empty());
    EXPECT_NE(observer_.messages.front().text.find("holds frame 4, not the frame of its name"),
              std::string::npos)
        << observer_.messages.front().text;

    settings_.resume = false;
    settings_.resumeFrom = 9;
    EXPECT_THROW(run(), IoError);
}

// Killed after its last checkpoint, all that is missing is what sinks do in the end.
TEST_F(RunTest, ResumedAfterTheLastFrameSinksFinish)
{
    run();
    std::filesystem::remove(settings_.output / "value.finish");
    settings_.resume = true;
    EXPECT_EQ(run().end, Outcome::End::Finished);
    EXPECT_EQ(observer_.first_, 11);
    EXPECT_TRUE(exists("value.finish"));
}

// A checkpoint says that everything before it is on disk, frames of the cache included.
TEST_F(RunTest, NoCheckpointIsWrittenOnceTheCacheHasFailed)
{
    settings_.cache = true;
    settings_.checkpointEvery = 1;
    const auto file = [&](int frame) {
        return settings_.output / ("cache/solver.out.000" + std::to_string(frame) + ".floe");
    };
    std::filesystem::create_directories(file(2) / "in the way");
    EXPECT_EQ(run().end, Outcome::End::Failed);
    std::filesystem::remove_all(file(2));
    settings_.end = 9;
    settings_.resume = true;
    EXPECT_EQ(run().end, Outcome::End::Finished);
    for (int frame = 1; frame <= 9; ++frame)
        EXPECT_TRUE(std::filesystem::exists(file(frame))) << frame;
}

TEST_F(RunTest, AnOutputFolderThatGoesAwayIsAnError)
{
    for (const bool moved : {false, true}) {
        const auto folder = settings_.output;
        action_ = [&](int frame) {
            if (frame != 5)
                return;
            const auto elsewhere = folder_ / (moved ? "moved" : "removed");
            std::filesystem::rename(folder, elsewhere);
            std::error_code ignored; // a sink may be writing into it
            if (!moved)
                std::filesystem::remove_all(elsewhere, ignored);
        };
        const Outcome outcome = run();
        ASSERT_EQ(outcome.end, Outcome::End::Failed);
        EXPECT_THROW(std::rethrow_exception(outcome.error), IoError);
        EXPECT_LE(observer_.frames.size(), 6u);
        EXPECT_TRUE(std::ranges::any_of(observer_.messages, [](const Message& message) {
            return message.text.find("removed or moved") != std::string::npos;
        }));
    }
}

TEST_F(RunTest, ResumingAChangedGraphIsRefusedUnlessAskedFor)
{
    run();
    const std::string before = written("value.8");
    settings_.resume = true;
    settings_.overrides = {"write.name=other"}; // what a sink does, does not change the simulation
    EXPECT_EQ(run().end, Outcome::End::Finished);

    settings_.overrides = {"still.value=3"};
    EXPECT_THROW(run(), InputError);
    settings_.resume = false;
    settings_.resumeFrom = 7;
    EXPECT_EQ(run().end, Outcome::End::Finished);
    EXPECT_EQ(observer_.first_, 8);
    EXPECT_NE(written("value.8"), before);

    settings_.resumeFrom = 6;
    try {
        run();
        FAIL() << "there is no checkpoint of frame 6";
    } catch (const IoError& error) {
        EXPECT_NE(std::string(error.what()).find("4, 7, 10"), std::string::npos) << error.what();
    }
}

TEST_F(RunTest, AnErrorStopsOnlyWhatDependsOnIt)
{
    graph(R"({"floe": 1, "range": {"start": 1, "end": 6, "fps": 24}, "nodes": {
        "bad": {"type": "test.accumulate", "version": 1, "parameters": {"failAt": 4}},
        "good": {"type": "test.accumulate", "version": 1},
        "writeBad": {"type": "test.write", "version": 1, "parameters": {"name": "bad"}},
        "writeGood": {"type": "test.write", "version": 1, "parameters": {"name": "good"}}},
        "links": [{"from": "bad.out", "to": "writeBad.in"}, {"from": "good.out", "to": "writeGood.in"}]})");
    const Outcome outcome = run();
    EXPECT_EQ(outcome.end, Outcome::End::Failed);
    EXPECT_THROW(std::rethrow_exception(outcome.error), DivergedError);
    EXPECT_TRUE(exists("bad.3"));
    EXPECT_FALSE(exists("bad.4"));
    EXPECT_TRUE(exists("good.6"));
    const Json report = loadJson(settings_.output / "run.json");
    EXPECT_EQ(report["result"], "failed");
    ASSERT_EQ(report["messages"].size(), 1u);
    const auto text = report["messages"][0]["text"].get<std::string>();
    EXPECT_NE(text.find("bad"), std::string::npos) << text;
    EXPECT_NE(text.find("frame 4"), std::string::npos) << text;
}

TEST_F(RunTest, AFailedSinkLeavesTheOthersRunningAndWritesNoCheckpoint)
{
    settings_.overrides = {"write.name=missing/folder"};
    const Outcome outcome = run();
    EXPECT_EQ(outcome.end, Outcome::End::Failed);
    EXPECT_THROW(std::rethrow_exception(outcome.error), IoError);
    EXPECT_TRUE(checkpointFrames(settings_.output / "checkpoints").empty());
}

TEST_F(RunTest, CancellingEndsWithinASecond)
{
    settings_.overrides = {"solver.milliseconds=100000"};
    std::chrono::steady_clock::time_point asked;
    std::thread canceller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        asked = std::chrono::steady_clock::now();
        stop_ = true;
    });
    const Outcome outcome = run();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
    canceller.join();
    EXPECT_EQ(outcome.end, Outcome::End::Cancelled);
    EXPECT_LT(seconds, 1.0); // what the manual promises
    EXPECT_EQ(loadJson(settings_.output / "run.json")["result"], "cancelled");
}

TEST_F(RunTest, OldCheckpointsAreRemovedWhenAskedFor)
{
    settings_.keepCheckpoints = 2;
    run();
    EXPECT_EQ(checkpointFrames(settings_.output / "checkpoints"), (std::vector<int>{7, 10}));
}

TEST_F(RunTest, CachedFramesAreDrawnWithoutSimulating)
{
    settings_.cache = true;
    run();
    const std::string direct = written("value.6");
    std::filesystem::remove(settings_.output / "value.6");
    settings_.cache = false;
    settings_.readCache = settings_.output / "cache";
    EXPECT_EQ(run().end, Outcome::End::Finished);
    EXPECT_EQ(written("value.6"), direct);
    for (const FrameStatistics& frame : observer_.frames)
        EXPECT_EQ(frame.nodeSeconds.count("solver"), 0u);

    settings_.end = 12; // beyond what was cached
    EXPECT_EQ(run().end, Outcome::End::Failed);
}

TEST_F(RunTest, OlderNodesAreBroughtUpToDateByTheirPluginsCode)
{
    const auto biased = [](int bias) {
        return R"json({"floe": 1, "range": {"start": 1, "end": 1, "fps": 24}, "nodes": {
            "sum": {"type": "test.sum", "version": 1, "parameters": {"bias": )json" +
               std::to_string(bias) + R"json(}},
            "write": {"type": "test.write", "version": 1}},
            "links": [{"from": "sum.out", "to": "write.in"}]})json";
    };
    graph(biased(3));
    EXPECT_EQ(run().end, Outcome::End::Finished);
    EXPECT_EQ(std::stod(written("value.1")), 6);

    graph(biased(7));
    try {
        run();
        FAIL();
    } catch (const PluginError& error) {
        EXPECT_EQ(error.place().node, "sum");
        EXPECT_NE(error.cause().find("halves are less than five"), std::string::npos);
    }
}

TEST_F(RunTest, FaultyGraphsNeverBegin)
{
    graph(R"({"floe": 1, "nodes": {"a": {"type": "test.nothing", "version": 1}}})");
    EXPECT_THROW(run(), PluginError);
    graph(
        R"({"floe": 1, "nodes": {"a": {"type": "test.constant", "version": 1, "parameters": {"valeu": 1}}}})");
    EXPECT_THROW(run(), GraphError);
    graph("{");
    EXPECT_THROW(run(), GraphError);
    EXPECT_FALSE(std::filesystem::exists(settings_.output));
}

} // namespace
} // namespace floe::session
