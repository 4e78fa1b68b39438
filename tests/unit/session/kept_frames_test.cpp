// Values kept on disk by what led to them, and values of other frames.
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/session/library.hpp"
#include "floe/session/run_loop.hpp"
#include "floe/session/session.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

namespace floe::session {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

/// Remembers which frames each node cooked, and what was said.
class Cooked final : public Observer {
public:
    void began(const fs::path&, int, int) override {}
    void said(const Message& message) override { messages.push_back(message); }
    void frameDone(const FrameStatistics& statistics) override
    {
        for (const auto& [node, seconds] : statistics.nodeSeconds)
            frames[node].insert(statistics.frame);
    }
    void frameProgress(int, const std::string&, double) override {}

    std::map<std::string, std::set<int>> frames; ///< by node
    std::vector<Message> messages;
};

class KeptFramesTest : public testing::Test {
protected:
    KeptFramesTest()
    {
        settings_.graph = folder_ / "graph.floe.json";
        settings_.output = folder_ / "out";
        settings_.device = "cpu";
        settings_.checkpointEvery = 0;
        graph(R"(
            "drive": {"type": "test.constant", "version": 1, "parameters": {"value": {"expr": "0.1 * frame"
    }
}
},
            "solver": {"type": "test.accumulate", "version": 1},
            "keep": {"type": "test.keep", "version": 1},
            "write": {"type": "test.write", "version": 1})",
              {"drive.out solver.in", "solver.out keep.in", "keep.out write.in"});
    }

    /// @param links  "node.output node.input"
    void graph(const std::string& nodes, const std::vector<std::string>& links)
    {
        std::string text = R"({"floe": 1, "range": {"start": 1, "end": 8, "fps": 24}, "nodes": {)" +
                           nodes + R"(}, "links": [)";
        for (const std::string& link : links) {
            const std::size_t space = link.find(' ');
            text += (link == links.front() ? "" : ",") + std::string(R"({"from": ")") +
                    link.substr(0, space) + R"(", "to": ")" + link.substr(space + 1) + R"("})";
        }
        writeFileAtomically(settings_.graph, text + "]}");
    }

    Outcome run()
    {
        observer_ = Cooked();
        return session::run(settings_, library(), observer_, stop_);
    }
    void runWell()
    {
        const Outcome outcome = run();
        std::string said;
        for (const Message& message : observer_.messages)
            said += message.text + "\n";
        ASSERT_EQ(outcome.end, Outcome::End::Finished) << said;
    }

    /// What a sink wrote at a frame.
    double written(int frame, const std::string& name = "value") const
    {
        return std::strtod(
            readFile(settings_.output / (name + "." + std::to_string(frame))).c_str(), nullptr);
    }
    std::vector<double> allWritten() const
    {
        std::vector<double> values;
        for (int frame = 1; frame <= 8; ++frame)
            values.push_back(written(frame));
        return values;
    }
    fs::path file(int frame, const std::string& node = "keep") const
    {
        return folder_ / ("cache/graph." + node + ".000" + std::to_string(frame) + ".floe");
    }

    static Library& library()
    {
        static Library instance({fs::path(FLOE_TEST_PLUGINS)}, probing());
        return instance;
    }
    static plugin::ScanSettings probing()
    {
        plugin::ScanSettings settings;
        settings.probe.command = {FLOE_TEST_PROBE};
        return settings;
    }

    static inline const std::set<int> kAll = {1, 2, 3, 4, 5, 6, 7, 8};
    test::TemporaryFolder folder_;
    RunSettings settings_;
    Cooked observer_;
    std::atomic<bool> stop_{false};
};

TEST_F(KeptFramesTest, AreGivenWithoutCookingWhatIsBeforeThem)
{
    runWell();
    EXPECT_EQ(observer_.frames["solver"], kAll);
    const std::vector<double> first = allWritten();
    fs::remove_all(settings_.output);
    runWell();
    EXPECT_TRUE(observer_.frames["solver"].empty());
    EXPECT_TRUE(observer_.frames["drive"].empty());
    EXPECT_EQ(allWritten(), first);
}

TEST_F(KeptFramesTest, TheSolverMakesUpForFramesWhereOneIsMissing)
{
    runWell();
    const std::vector<double> first = allWritten();
    fs::remove(file(6));
    runWell();
    EXPECT_EQ(observer_.frames["keep"], std::set<int>{6}); // and frames 1 to 5 within that one
    EXPECT_EQ(observer_.frames["solver"], std::set<int>{6});
    EXPECT_EQ(allWritten(), first); // a chaotic sequence: any missed frame would show
    EXPECT_TRUE(fs::exists(file(6)));
}

TEST_F(KeptFramesTest, MoreFramesThanAreKeptGoOnFromTheFirst)
{
    runWell();
    const std::vector<double> first = allWritten();
    fs::remove_all(folder_ / "cache");
    settings_.end = 5;
    runWell();
    settings_.end.reset();
    runWell();
    EXPECT_EQ(observer_.frames["solver"], (std::set<int>{6, 7, 8}));
    EXPECT_EQ(allWritten(), first);
}

TEST_F(KeptFramesTest, DamagedOnesAreSaidAndMadeAnew)
{
    runWell();
    const std::vector<double> first = allWritten();
    const std::string content = readFile(file(3));
    for (std::size_t at : {std::size_t{20}, content.size() - 20}) { // in the value, behind it
        std::string damaged = content;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        writeFileAtomically(file(3), damaged);
        runWell();
        EXPECT_EQ(observer_.frames["keep"], std::set<int>{3});
        EXPECT_EQ(allWritten(), first);
        EXPECT_EQ(readFile(file(3)), content);
        if (at == 20) {
            ASSERT_EQ(observer_.messages.size(), 1u);
            EXPECT_THAT(observer_.messages[0].text, HasSubstr("graph.keep.0003.floe"));
            EXPECT_THAT(observer_.messages[0].text, HasSubstr("made anew"));
        }
    }
    writeFileAtomically(file(3), content.substr(0, 10)); // an earlier disk was full
    runWell();
    EXPECT_EQ(readFile(file(3)), content);
}

// A file of another frame is whole, but not what led to this one.
TEST_F(KeptFramesTest, AFileUnderAnotherFramesNameIsNotTaken)
{
    runWell();
    const std::vector<double> first = allWritten();
    fs::copy_file(file(2), file(5), fs::copy_options::overwrite_existing);
    runWell();
    EXPECT_EQ(allWritten(), first);
}

TEST_F(KeptFramesTest, AreMadeAnewWhereAnythingThatLedToThemHasChanged)
{
    runWell();
    const std::vector<double> first = allWritten();
    settings_.overrides = {"drive.value=0.25"};
    runWell();
    EXPECT_EQ(observer_.frames["solver"], kAll);
    EXPECT_NE(allWritten(), first);
    settings_.overrides = {};
    runWell();
    EXPECT_EQ(observer_.frames["solver"], kAll);
    EXPECT_EQ(allWritten(), first);
}

TEST_F(KeptFramesTest, ASolverThatSomethingElseNeedsCooksAllTheSame)
{
    graph(R"(
        "solver": {"type": "test.accumulate", "version": 1},
        "keep": {"type": "test.keep", "version": 1},
        "write": {"type": "test.write", "version": 1},
        "direct": {"type": "test.write", "version": 1, "parameters": {"name": "direct"}})",
          {"solver.out keep.in", "keep.out write.in", "solver.out direct.in"});
    runWell();
    runWell();
    EXPECT_EQ(observer_.frames["solver"], kAll);
    for (const int frame : kAll)
        EXPECT_EQ(written(frame), written(frame, "direct"));
}

// The second solver stays in step with the first: what that one gave at the frames before is gone.
TEST_F(KeptFramesTest, SolversBehindEachOtherStayInStep)
{
    graph(R"(
        "one": {"type": "test.accumulate", "version": 1},
        "two": {"type": "test.accumulate", "version": 1},
        "keep": {"type": "test.keep", "version": 1},
        "other": {"type": "test.keep", "version": 1},
        "both": {"type": "test.sum", "version": 2},
        "write": {"type": "test.write", "version": 1})",
          {"one.out keep.in", "one.out two.in", "two.out other.in", "keep.out both.in",
           "other.out both.in", "both.out write.in"});
    runWell();
    const std::vector<double> first = allWritten();
    fs::remove(file(3));
    fs::remove(file(7, "other"));
    runWell();
    EXPECT_EQ(observer_.frames["two"], (std::set<int>{3, 7}));
    EXPECT_EQ(allWritten(), first);
}

TEST_F(KeptFramesTest, ASolverBehindFilesNeedsThoseAlone)
{
    graph(R"(
        "one": {"type": "test.accumulate", "version": 1},
        "keep": {"type": "test.keep", "version": 1},
        "two": {"type": "test.accumulate", "version": 1},
        "write": {"type": "test.write", "version": 1})",
          {"one.out keep.in", "keep.out two.in", "two.out write.in"});
    runWell();
    const std::vector<double> first = allWritten();
    runWell();
    EXPECT_TRUE(observer_.frames["one"].empty());
    EXPECT_EQ(observer_.frames["two"], kAll);
    EXPECT_EQ(allWritten(), first);
}

TEST_F(KeptFramesTest, CoupledSolversLagAndCatchUpTogether)
{
    graph(R"(
        "carried": {"type": "test.carried", "version": 1},
        "carrier": {"type": "test.carrier", "version": 1},
        "keep": {"type": "test.keep", "version": 1},
        "write": {"type": "test.write", "version": 1})",
          {"carried.coupling carrier.bodies", "carried.out keep.in", "keep.out write.in"});
    runWell();
    const std::vector<double> first = allWritten();
    fs::remove(file(5));
    fs::remove(file(8));
    runWell();
    EXPECT_EQ(allWritten(), first);
}

TEST_F(KeptFramesTest, AResumedRunKeepsWhatTheWholeOneDoes)
{
    runWell();
    const std::vector<double> first = allWritten();
    const std::string last = readFile(file(8));
    fs::remove_all(folder_ / "cache");
    settings_.checkpointEvery = 1;
    settings_.end = 4;
    runWell();
    settings_.end.reset();
    settings_.resume = true;
    runWell();
    EXPECT_EQ(observer_.frames["solver"], (std::set<int>{5, 6, 7, 8}));
    EXPECT_EQ(readFile(file(8)), last);
    settings_.resume = false;
    runWell();
    EXPECT_TRUE(observer_.frames["solver"].empty());
    EXPECT_EQ(allWritten(), first);
}

TEST_F(KeptFramesTest, WhatIsTheSameAtAllFramesIsOneFile)
{
    graph(R"(
        "still": {"type": "test.constant", "version": 1},
        "keep": {"type": "test.keep", "version": 1},
        "write": {"type": "test.write", "version": 1})",
          {"still.out keep.in", "keep.out write.in"});
    runWell();
    EXPECT_TRUE(fs::exists(folder_ / "cache/graph.keep.floe"));
    EXPECT_FALSE(fs::exists(file(1)));
    runWell();
    EXPECT_TRUE(observer_.frames["still"].empty());
    EXPECT_EQ(written(8), 1);
}

TEST_F(KeptFramesTest, BeyondTheLimitFramesArePassedOnWithAWarning)
{
    settings_.overrides = {"keep.limit=0"};
    runWell();
    EXPECT_FALSE(fs::exists(file(1)));
    ASSERT_FALSE(observer_.messages.empty());
    EXPECT_THAT(observer_.messages[0].text, HasSubstr("'limit'"));
    EXPECT_EQ(observer_.messages[0].level, Level::Warning);
    settings_.overrides = {"keep.keep=false"};
    runWell();
    EXPECT_TRUE(observer_.messages.empty());
    EXPECT_FALSE(fs::exists(file(1)));
    EXPECT_EQ(observer_.frames["solver"], kAll);
}

TEST_F(KeptFramesTest, AFolderThatCannotBeWrittenCostsTheFilesOnly)
{
    writeFileAtomically(folder_ / "cache", "a file where the folder should be");
    runWell();
    ASSERT_FALSE(observer_.messages.empty());
    EXPECT_EQ(observer_.messages[0].level, Level::Warning);
    EXPECT_EQ(observer_.frames["solver"], kAll);
}

// ------------------------------------------------------------------------------ other frames

class ShiftTest : public KeptFramesTest {
protected:
    /// @param kept  of a solver whose frames are kept; else of a number that moves
    void shift(const std::string& parameters, bool kept)
    {
        graph((kept ? R"("drive": {"type": "test.accumulate", "version": 1},
                         "keep": {"type": "test.keep", "version": 1},)"
                    : R"("drive": {"type": "test.constant", "version": 1,
                                   "parameters": {"value": {"expr": "frame * frame"}}},
                         "keep": {"type": "test.sum", "version": 2},)") +
                  std::string(R"(
            "shift": {"type": "test.shift", "version": 1, "parameters": {)") +
                  parameters + R"(}},
            "write": {"type": "test.write", "version": 1},
            "now": {"type": "test.write", "version": 1, "parameters": {"name": "now"}})",
              {"drive.out keep.in", "keep.out shift.in", "shift.out write.in", "keep.out now.in"});
    }
    void expectFrames(const std::vector<int>& frames) const
    {
        for (int frame = 1; frame <= 8; ++frame)
            EXPECT_EQ(written(frame), written(frames[static_cast<std::size_t>(frame - 1)], "now"))
                << "frame " << frame;
    }
};

TEST_F(ShiftTest, GivesAMotionAtAnotherFrame)
{
    shift(R"("offset": -2.4)", false);
    runWell();
    expectFrames({1, 1, 1, 2, 3, 4, 5, 6});
    shift(R"("offset": 3)", false);
    runWell();
    expectFrames({4, 5, 6, 7, 8, 8, 8, 8});
    shift(R"("offset": 2, "outside": "repeat", "first": 2, "last": 4)", false);
    runWell();
    expectFrames({3, 4, 2, 3, 4, 2, 3, 4});
    shift(R"("mode": "frame", "frame": {"expr": "9 - frame"})", false);
    runWell();
    expectFrames({8, 7, 6, 5, 4, 3, 2, 1});
    shift(R"("offset": 100, "outside": "none")", false);
    runWell();
    EXPECT_EQ(written(2), 102 * 102);
}

TEST_F(ShiftTest, GivesWhatASolverGaveBefore)
{
    shift(R"("offset": -3)", true);
    runWell();
    expectFrames({1, 1, 1, 1, 2, 3, 4, 5});
    runWell();
    EXPECT_TRUE(observer_.frames["drive"].empty());
    expectFrames({1, 1, 1, 1, 2, 3, 4, 5});
}

TEST_F(ShiftTest, FollowsAChangeAndNeverGivesTheOldFrames)
{
    shift(R"("offset": -3)", true);
    runWell();
    const double before = written(8);
    writeFileAtomically(settings_.graph, [text = readFile(settings_.graph)]() mutable {
        const std::string first = "\"start\": 1";
        return text.replace(text.find(first), first.size(), "\"start\": 0");
    }());
    runWell();
    EXPECT_NE(written(8), before);
    EXPECT_EQ(written(8), written(5, "now"));
}

TEST_F(ShiftTest, LooksAheadWhereTheFramesAreKept)
{
    shift(R"("offset": 3)", true);
    const Outcome first = run();
    EXPECT_EQ(first.end, Outcome::End::Failed);
    ASSERT_FALSE(observer_.messages.empty());
    EXPECT_THAT(observer_.messages[0].text, HasSubstr("'keep' has not kept frame 4"));
    runWell();
    expectFrames({4, 5, 6, 7, 8, 8, 8, 8});
}

TEST_F(ShiftTest, GivesThePresentFrameWhereItMayUntilTheOtherIsKept)
{
    shift(R"("mode": "frame", "frame": 6, "missing": "present")", true);
    runWell();
    expectFrames({1, 2, 3, 4, 5, 6, 6, 6});
    runWell();
    expectFrames({6, 6, 6, 6, 6, 6, 6, 6});
    shift(R"("offset": -3, "missing": "present")", true); // kept before it is asked for
    runWell();
    expectFrames({1, 1, 1, 1, 2, 3, 4, 5});
}

TEST_F(ShiftTest, OfASolverWithoutFilesIsRefusedWithTheCure)
{
    graph(R"(
        "solver": {"type": "test.accumulate", "version": 1},
        "sum": {"type": "test.sum", "version": 2},
        "shift": {"type": "test.shift", "version": 1, "parameters": {"offset": -1}},
        "write": {"type": "test.write", "version": 1})",
          {"solver.out sum.in", "sum.out shift.in", "shift.out write.in"});
    try {
        run();
        FAIL() << "nothing was refused";
    } catch (const GraphError& error) {
        EXPECT_THAT(error.what(), HasSubstr("'solver'"));
        EXPECT_THAT(error.what(), HasSubstr("File cache"));
    }
}

TEST_F(ShiftTest, AddsUpBehindEachOther)
{
    graph(R"(
        "drive": {"type": "test.accumulate", "version": 1},
        "keep": {"type": "test.keep", "version": 1},
        "shift": {"type": "test.shift", "version": 1, "parameters": {"offset": -2}},
        "sum": {"type": "test.sum", "version": 2},
        "again": {"type": "test.shift", "version": 1, "parameters": {"offset": -1}},
        "write": {"type": "test.write", "version": 1},
        "now": {"type": "test.write", "version": 1, "parameters": {"name": "now"}})",
          {"drive.out keep.in", "keep.out shift.in", "shift.out sum.in", "sum.out again.in",
           "again.out write.in", "keep.out now.in"});
    runWell();
    expectFrames({1, 1, 1, 1, 2, 3, 4, 5});
}

} // namespace
} // namespace floe::session
