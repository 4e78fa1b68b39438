#include "floe/session/report.hpp"

#include "floe/base/file.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

namespace floe::session {
namespace {

FrameStatistics frameOf(int number)
{
    FrameStatistics frame;
    frame.frame = number;
    frame.values["solver"]["particles"] = 1000.0 + number;
    return frame;
}

TEST(Report, AResumedRunCoversTheWholeRun)
{
    const test::TemporaryFolder folder;
    Report first(folder / "run.json", {{"floe", "1"}});
    for (int frame = 1; frame <= 5; ++frame)
        first.add(frameOf(frame));
    first.write("running", 0);

    Report second(folder / "run.json", {{"floe", "1"}});
    second.continueFrom(3); // the checkpoint was older than the last frame
    second.add(frameOf(4));
    second.write("finished", 0);

    const Json report = loadJson(folder / "run.json");
    ASSERT_EQ(report["frames"].size(), 4u);
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(report["frames"][static_cast<std::size_t>(i)]["frame"], i + 1);
    EXPECT_EQ(report["result"], "finished");
    EXPECT_EQ(report["frames"][3]["nodes"]["solver"]["particles"], 1004);
}

TEST(Report, ABrokenOldReportIsNotAnError)
{
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "run.json", "{\"frames\": [{\"frame\": \"x\"}]}");
    Report report(folder / "run.json", Json::object());
    report.continueFrom(10);
    report.write("finished", 0);
    EXPECT_TRUE(loadJson(folder / "run.json")["frames"].empty());
}

TEST(Report, KeepsABoundedNumberOfMessages)
{
    const test::TemporaryFolder folder;
    Report report(folder / "run.json", Json::object());
    for (std::size_t i = 0; i < Report::kMaxMessages + 7; ++i)
        report.add(Message{Level::Warning, 1, "node", "again"});
    report.write("finished", 0);
    const Json written = loadJson(folder / "run.json");
    EXPECT_EQ(written["messages"].size(), Report::kMaxMessages);
    EXPECT_EQ(written["droppedMessages"], 7);
}

} // namespace
} // namespace floe::session
