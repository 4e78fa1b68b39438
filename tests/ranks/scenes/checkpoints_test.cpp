// Checkpoints of several ranks: a part each, from which any number goes on, and none where a part
// is missing, damaged or another's.
#include "rank_runs.hpp"

#include <fstream>
#include <utility>
#include <vector>

namespace floe {
namespace {

using namespace test;

constexpr int kIoFailed = 5; // exit code of runtime/app/README.md

const std::string kOptions = "--set solver.cellSize=0.05 --cache --set render.width=64 "
                             "--set render.height=36 --checkpoint-every 1 ";

struct Part {
    fs::path folder;
    int frame, rank;
    fs::path path() const
    {
        return folder /
               ("frame.000" + std::to_string(frame) + ".rank" + std::to_string(rank) + ".part");
    }
};

TEST(CheckpointParts, GoOnFromThreeToTwoToOneToFourRanks)
{
    const TemporaryFolder folder;
    const std::string graph = damWithSpray(folder);
    const auto whole = shell(runCommand(graph, kOptions + "--end 8", folder / "whole"));
    ASSERT_EQ(whole.code, 0) << whole.output;
    const fs::path output = folder / "out", checkpoints = output / "checkpoints";
    const auto goOn = [&](int ranks, int end, const std::string& more) {
        const std::string command = runCommand(
            graph, kOptions + "--resume --end " + std::to_string(end) + " " + more, output);
        const auto run = shell(ranks == 1 ? command : launcher(ranks) + " " + command);
        ASSERT_EQ(run.code, 0) << run.output;
        const Json report = loadJson((output / "run.json").string());
        EXPECT_EQ(report["frames"].size(), static_cast<std::size_t>(end));
        EXPECT_TRUE(fs::exists(checkpoints / ("frame.000" + std::to_string(end) + ".checkpoint")));
        for (int rank = 0; rank < 5; ++rank)
            EXPECT_EQ(fs::exists(Part{checkpoints, end, rank}.path()), ranks > 1 && rank < ranks);
    };
    goOn(3, 3, "");
    goOn(2, 5, "--partition boxes");
    goOn(1, 6, "");
    goOn(4, 8, "--keep-checkpoints 2");
    expectSameFiles(folder / "whole", output);
    std::size_t left = 0;
    for (const auto& entry : fs::directory_iterator(checkpoints)) {
        ++left;
        EXPECT_GE(entry.path().filename().string(), "frame.0007") << entry.path();
    }
    EXPECT_EQ(left, 2u * 5); // two indices with four parts each

    // A rank keeps the particles that it is given: other bits, and all of them.
    const auto kept =
        shell(launcher(2) + " " +
              runCommand(graph, kOptions + "--resume --end 9 --partition particles", output));
    ASSERT_EQ(kept.code, 0) << kept.output;
    const Json frames = loadJson((output / "run.json").string())["frames"];
    EXPECT_EQ(frames.back()["nodes"]["solver"]["particles"],
              frames.front()["nodes"]["solver"]["particles"]);
}

// Water that flows out of one side of the world into the other, where ranks divide it otherwise
// after each start.
TEST(CheckpointParts, OfAPeriodicWorldGoOnFromOneToTwoToOneRank)
{
    const TemporaryFolder folder;
    const std::string options = "--set solver.cellSize=0.1 --set foam.rate=10 --cache "
                                "--set render.width=64 --set render.height=36 "
                                "--checkpoint-every 1 ";
    const auto command = [&](const std::string& more, const fs::path& output) {
        return runCommand("endless_stream.floe.json", options + more, output);
    };
    const auto whole = shell(command("--end 18", folder / "whole"));
    ASSERT_EQ(whole.code, 0) << whole.output;
    const fs::path output = folder / "out";
    for (const auto& [ranks, end] : {std::pair{1, 6}, std::pair{2, 12}, std::pair{1, 18}}) {
        const std::string part = command("--resume --end " + std::to_string(end), output);
        const auto run = shell(ranks == 1 ? part : launcher(ranks) + " " + part);
        ASSERT_EQ(run.code, 0) << run.output;
    }
    expectSameFiles(folder / "whole", output);
}

TEST(CheckpointParts, WhatIsNotWholeIsPassedOverByAll)
{
    const TemporaryFolder folder;
    const std::string graph = damWithSpray(folder);
    ASSERT_EQ(shell(runCommand(graph, kOptions + "--end 7", folder / "whole")).code, 0);
    const fs::path output = folder / "out", checkpoints = output / "checkpoints";
    const auto run = shell(launcher(3) + " " + runCommand(graph, kOptions + "--end 7", output));
    ASSERT_EQ(run.code, 0) << run.output;
    const auto part = [&](int frame, int rank) {
        return Part{checkpoints, frame, rank}.path();
    };
    fs::remove(checkpoints / "frame.0007.checkpoint"); // killed before the index was there
    std::string bytes = readFile(part(6, 1));
    bytes[bytes.size() / 2] ^= 1;
    writeFileAtomically(part(6, 1), bytes);
    fs::remove(part(5, 2));
    fs::rename(part(4, 0), folder / "aside");
    fs::rename(part(4, 1), part(4, 0));
    fs::rename(folder / "aside", part(4, 1));
    fs::copy_file(part(2, 2), part(3, 2), fs::copy_options::overwrite_existing);
    const auto resumed =
        shell(launcher(2) + " " + runCommand(graph, kOptions + "--end 7 --resume", output));
    ASSERT_EQ(resumed.code, 0) << resumed.output;
    expectSameFiles(folder / "whole", output);
    const Json report = loadJson((output / "run.json").string());
    std::string said;
    for (const Json& message : report["messages"])
        said += message["text"].get<std::string>() + "\n";
    for (const char* why :
         {"frame.0006.rank1.part: is damaged", "frame.0005.rank2.part: is missing",
          "frame.0004.rank0.part: is not the part", "frame.0003.rank2.part: is not the part",
          "trying an older one"})
        EXPECT_NE(said.find(why), std::string::npos) << why << " is not in\n" << said;
    // Two ranks have written frames 3 to 7 again; nothing of the third is left there.
    for (int frame = 3; frame <= 7; ++frame)
        EXPECT_FALSE(fs::exists(part(frame, 2))) << frame;
    EXPECT_TRUE(fs::exists(part(2, 2)));
}

TEST(CheckpointParts, APartThatCannotBeWrittenLeavesNoCheckpoint)
{
    const TemporaryFolder folder;
    const std::string graph = damWithSpray(folder);
    const fs::path output = folder / "out", checkpoints = output / "checkpoints";
    const fs::path inTheWay = Part{checkpoints, 3, 1}.path();
    fs::create_directories(inTheWay / "not empty");
    const auto run = shell(launcher(3) + " " + runCommand(graph, kOptions + "--end 4", output));
    EXPECT_EQ(run.code, kIoFailed) << run.output;
    EXPECT_NE(run.output.find("frame.0003.rank1.part"), std::string::npos) << run.output;
    EXPECT_TRUE(fs::exists(checkpoints / "frame.0002.checkpoint"));
    EXPECT_FALSE(fs::exists(checkpoints / "frame.0003.checkpoint"));
    EXPECT_FALSE(fs::exists(Part{checkpoints, 3, 0}.path()));
    fs::remove_all(inTheWay);
    const auto resumed =
        shell(launcher(2) + " " + runCommand(graph, kOptions + "--end 4 --resume", output));
    EXPECT_EQ(resumed.code, 0) << resumed.output;
}

} // namespace
} // namespace floe
