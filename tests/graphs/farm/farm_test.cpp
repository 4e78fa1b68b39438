// What a render farm counts on: exit codes, resuming, and results that do not depend on threads.
#include "run_graph.hpp"

#include "floe/base/file.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <signal.h>
#include <thread>
#include <unistd.h>

namespace floe {
namespace {

using test::runFloe;
using test::TemporaryFolder;

const std::string kScene = std::string(FLOE_SOURCE_DIR) + "/graphs/first_snow.floe.json";
const std::string kTalking = " --set solver.cellSize=0.08 --set render.width=64 --set "
                             "render.height=36 --cache" +
                             test::onDevice();
const std::string kCoarse = kTalking + " --progress quiet";

std::string cached(const std::filesystem::path& output, int frame)
{
    char name[64];
    std::snprintf(name, sizeof name, "cache/solver.particles.%04d.floe", frame);
    return readFile(output / name);
}

TEST(Farm, OneThreadIsManyThreadsBitForBit)
{
    const TemporaryFolder folder;
    for (const char* threads : {"1", "2"})
        ASSERT_EQ(runFloe("run " + kScene + kCoarse + " --end 12 --threads " + threads + " -o " +
                          (folder / threads).string())
                      .code,
                  0);
    EXPECT_EQ(cached(folder / "1", 12), cached(folder / "2", 12));
}

TEST(Farm, KilledInMidRunItResumesBitForBit)
{
    const TemporaryFolder folder;
    const std::string whole = (folder / "whole").string();
    const std::string killed = (folder / "killed").string();
    ASSERT_EQ(runFloe("run " + kScene + kCoarse + " --end 16 -o " + whole).code, 0);

    const std::string program = std::string(FLOE_BINARY_DIR) + "/bin/floe";
    const pid_t child = ::fork();
    if (child == 0) {
        const std::string command = "exec " + program + " run " + kScene + kCoarse +
                                    " --end 16 --checkpoint-every 3 -o " + killed;
        ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        ::_exit(127);
    }
    // Killed as soon as there is something to go on from.
    const auto checkpoint = std::filesystem::path(killed) / "checkpoints/frame.0004.checkpoint";
    for (int i = 0; i < 6000 && !std::filesystem::exists(checkpoint); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(std::filesystem::exists(checkpoint));

    const auto resumed = runFloe("run " + kScene + kCoarse + " --end 16 --resume -o " + killed);
    ASSERT_EQ(resumed.code, 0) << resumed.output;
    for (const int frame : {5, 10, 16})
        EXPECT_EQ(cached(killed, frame), cached(whole, frame)) << "frame " << frame;
    const Json report = loadJson((std::filesystem::path(killed) / "run.json").string());
    EXPECT_EQ(report["frames"].size(), 16u);
}

// After a kill between the last checkpoint and the movie, only the movie is missing.
TEST(Farm, WhatAKilledRunHasNotFinishedIsMadeOnResume)
{
    const TemporaryFolder folder;
    const auto output = folder / "out";
    const std::string arguments =
        "run " + kScene + kCoarse + " --end 3 --checkpoint-every 1 -o " + output.string();
    ASSERT_EQ(runFloe(arguments).code, 0);
    const bool movies = std::filesystem::exists(output / "images/first_snow.mp4");
    std::filesystem::remove(output / "images/first_snow.mp4");
    for (int i = 0; i < 2; ++i) {
        const auto resumed = runFloe(arguments + " --resume");
        EXPECT_EQ(resumed.code, 0) << resumed.output;
        EXPECT_EQ(std::filesystem::exists(output / "images/first_snow.mp4"), movies);
    }
}

TEST(Farm, AFileThatIsNotThereAnyMoreIsNamed)
{
    const TemporaryFolder folder;
    const auto output = folder / "out";
    const std::string arguments = "run " + kScene + kCoarse +
                                  " --set render.exr=true --end 3 --checkpoint-every 1 -o " +
                                  output.string();
    ASSERT_EQ(runFloe(arguments).code, 0);
    for (const char* lost : {"images/first_snow.0002.png", "images/first_snow.0002.exr",
                             "particles/first_snow.0002.vdb", "cache/solver.particles.0002.floe"}) {
        const std::string kept = readFile(output / lost);
        std::filesystem::remove(output / lost);
        const auto resumed = runFloe(arguments + " --resume");
        EXPECT_EQ(resumed.code, 5) << resumed.output;
        EXPECT_NE(resumed.output.find(lost), std::string::npos) << resumed.output;
        EXPECT_NE(resumed.output.find("--resume-from"), std::string::npos) << resumed.output;
        EXPECT_EQ(loadJson((output / "run.json").string())["result"], "failed");
        writeFileAtomically(output / lost, kept);
    }
}

TEST(Farm, AFolderBelongsToOneRunAndCtrlCLeavesItValid)
{
    const TemporaryFolder folder;
    const std::string output = (folder / "out").string();
    const std::string program = std::string(FLOE_BINARY_DIR) + "/bin/floe";
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl(program.c_str(), "floe", "run", kScene.c_str(), "--progress", "quiet", "-o",
                output.c_str(), nullptr);
        ::_exit(127);
    }
    const auto report = std::filesystem::path(output) / "run.json";
    for (int i = 0; i < 3000 && !std::filesystem::exists(report); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    const auto second = runFloe("run " + kScene + " --progress quiet -o " + output);
    EXPECT_EQ(second.code, 5);
    EXPECT_NE(second.output.find("another run is writing into this folder"), std::string::npos);
    ::kill(child, SIGINT);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
    EXPECT_EQ(loadJson(report.string())["result"], "cancelled");
}

TEST(Farm, ExitCodesTellWhatWentWrong)
{
    const TemporaryFolder folder;
    const auto graph = [&folder](const std::string& text) {
        writeFileAtomically(folder / "graph.floe.json", text);
        return (folder / "graph.floe.json").string() + " -o " + (folder / "out").string();
    };
    const std::string sphere =
        R"({"floe": 1, "nodes": {"s": {"type": "floe.shape.sphere", "version": 1}}})";
    EXPECT_EQ(runFloe("run").code, 2);
    EXPECT_EQ(runFloe("fly").code, 2);
    EXPECT_EQ(runFloe("run " + graph("{")).code, 3);
    EXPECT_EQ(runFloe("run " + graph(sphere) + " --set s.radius=-1").code, 3);
    EXPECT_EQ(runFloe("run " +
                      graph(R"({"floe": 1, "nodes": {"s": {"type": "acme.rope", "version": 1}}})"))
                  .code,
              4);
    EXPECT_EQ(runFloe("run " + (folder / "missing.floe.json").string()).code, 5);
    EXPECT_EQ(runFloe("run " + graph(sphere) + " --device cuda:77").code, 8);
    EXPECT_EQ(runFloe("run " + graph(sphere) + " --end 1").code, 0);
    EXPECT_EQ(runFloe("validate " + kScene).code, 0);
    EXPECT_EQ(runFloe("fmt --check " + kScene).code, 0);
    EXPECT_EQ(runFloe("diff " + kScene + " " + kScene).code, 0);
}

TEST(Farm, WhatARunTakesIsSaidBeforeIt)
{
    const TemporaryFolder folder;
    const std::string trial = "validate --cost " + kScene + " --set solver.cellSize=0.08";
    const auto said = runFloe(trial);
    EXPECT_EQ(said.code, 0);
    for (const char* part : {": no errors", "solver: ", " steps a frame\n",
                             "material 'Snow' allows steps of ", "frames 1 to 48 take "})
        EXPECT_NE(said.output.find(part), std::string::npos) << part << "\n" << said.output;

    const auto measured = runFloe(trial + " --json");
    ASSERT_EQ(measured.code, 0);
    const Json cost = parseJson(measured.output, "cost");
    ASSERT_EQ(runFloe("run " + kScene + kCoarse + " --end 2 -o " + folder.path().string()).code, 0);
    const Json ran = loadJson((folder / "run.json").string())["frames"][1]["nodes"]["solver"];
    for (const char* name : {"particles", "substeps"})
        EXPECT_EQ(cost["nodes"]["solver"][name], ran[name]) << name;
    const double steps = cost["nodes"]["solver"]["substeps"];
    EXPECT_LE(1 / (24 * steps), cost["nodes"]["solver"]["stable step of Snow"].get<double>());
    EXPECT_EQ(cost["growth"], 0);
}

// Two seconds of pouring: at the end there are some twenty times as many particles as in frame 2.
TEST(Farm, WhatEmittersBringLaterIsSaidToo)
{
    const std::string trial =
        "validate --cost " + std::string(FLOE_SOURCE_DIR "/graphs/validation/pouring.floe.json");
    const auto said = runFloe(trial + " --set emitter.endFrame=1000");
    EXPECT_EQ(said.code, 0);
    EXPECT_NE(said.output.find("emitters go on; where they do to the end, there are "),
              std::string::npos)
        << said.output;
    const Json cost = parseJson(runFloe(trial + " --json").output, "cost");
    EXPECT_GT(cost["growth"].get<double>(), 0.1);
    EXPECT_LE(cost["growth"].get<double>(), 1);
}

TEST(Farm, MistypedOptionsAreNamedWithACure)
{
    for (const auto& [options, said] : std::initializer_list<std::pair<std::string, std::string>>{
             {"--end 99999999999999", "--end: '99999999999999' is not a whole number"},
             {"--start x", "--start: 'x' is not a whole number"},
             {"--cash", "has no option '--cash'; did you mean '--cache'?"},
             {"--memory ''", "--memory: the value is empty"},
             {"--start ''", "--start: the value is empty"},
             {"--resume-from ''", "--resume-from: the value is empty"},
             {"-o ''", "--output: the value is empty"},
             {"--progress loud", "use auto, bar, lines, json or quiet"}}) {
        const auto finished = runFloe("run " + kScene + " " + options);
        EXPECT_EQ(finished.code, 2) << options;
        EXPECT_NE(finished.output.find(said), std::string::npos) << finished.output;
    }
}

TEST(Farm, MemoryThatDoesNotSufficeIsAnErrorThatNamesTheNode)
{
    const TemporaryFolder folder;
    const auto finished = runFloe(
        "run " + kScene +
        " --set solver.cellSize=0.02 --set ground_shape.voxelSize=0.05 --progress quiet --end 2 "
        "--memory 0.03 -o " +
        (folder / "out").string());
    EXPECT_EQ(finished.code, 6) << finished.output;
    EXPECT_NE(finished.output.find("node 'solver': frame 1: memory ran out"), std::string::npos)
        << finished.output;
    EXPECT_NE(finished.output.find("a larger cell size"), std::string::npos) << finished.output;
}

TEST(Farm, AnAddressSpaceTooSmallToStartInIsAnError)
{
    const auto finished = runFloe("--version", "ulimit -v 140000;");
    EXPECT_EQ(finished.code, 6) << finished.output;
    EXPECT_NE(finished.output.find("192 MiB"), std::string::npos) << finished.output;
}

TEST(Farm, AFullDiskIsAnErrorThatNamesTheFile)
{
    // /dev/full accepts nothing: the output "folder" cannot be made below it.
    const auto finished = runFloe("run " + kScene + kCoarse + " --end 2 -o /dev/full/out");
    EXPECT_EQ(finished.code, 5);
    EXPECT_NE(finished.output.find("/dev/full/out"), std::string::npos) << finished.output;
}

// A limit on the size of files ends a write in the middle, as a full disk does.
TEST(Farm, AFileThatDoesNotFitIsAnErrorAndNoneIsTorn)
{
    const TemporaryFolder folder;
    const std::string whole = (folder / "whole").string();
    const std::string output = (folder / "out").string();
    const std::string arguments =
        "run " + kScene + kCoarse + " --set render.movie=false --end 4 --checkpoint-every 1 -o ";
    ASSERT_EQ(runFloe(arguments + whole).code, 0);
    const auto limited = runFloe(arguments + output, "ulimit -f 64;"); // 32 or 64 KiB, by the shell
    EXPECT_EQ(limited.code, 5) << limited.output;
    for (const char* file : {"first_snow.0001.vdb", "solver.particles.0001.floe"})
        EXPECT_NE(limited.output.find(std::string(file) + ": cannot write: File too large; raise"),
                  std::string::npos)
            << limited.output;
    const Json report = loadJson(output + "/run.json");
    EXPECT_EQ(report["result"], "failed");
    EXPECT_EQ(report["exitCode"], 5);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(output)) {
        const std::string name = entry.path().filename().string();
        EXPECT_FALSE(name.starts_with('.')) << name;
        if (!entry.is_regular_file() || name == "run.json")
            continue;
        const auto place = std::filesystem::relative(entry.path(), output).string();
        EXPECT_EQ(readFile(entry.path()), readFile(whole + "/" + place)) << place; // it fits
        EXPECT_EQ(name.find("particles"), std::string::npos) << place;
    }
    const auto resumed = runFloe(arguments + output + " --resume");
    ASSERT_EQ(resumed.code, 0) << resumed.output;
    for (int frame = 1; frame <= 4; ++frame)
        EXPECT_EQ(cached(output, frame), cached(whole, frame)) << "frame " << frame;
    EXPECT_EQ(loadJson(output + "/run.json")["exitCode"], 0);
}

TEST(Farm, WhatDoesNotFitOnStandardOutputIsAnError)
{
    EXPECT_EQ(runFloe("nodes > /dev/full").code, 5);
    EXPECT_EQ(runFloe("plugin list --json > /dev/full").code, 5);
    EXPECT_EQ(runFloe("run --help > /dev/full").code, 5);
    EXPECT_EQ(runFloe("--version > /dev/full").code, 5);
}

// What the run is for are its files: it goes on, and its exit code tells that what it said is lost.
TEST(Farm, ARunWhoseProgressIsLostFinishesAndSaysSo)
{
    const TemporaryFolder folder;
    for (const char* style : {"json", "lines"}) {
        const std::string output = (folder / style).string();
        const auto finished = runFloe("run " + kScene + kTalking + " --end 2 --progress " + style +
                                      " -o " + output + " 2>&1 > /dev/full #");
        EXPECT_EQ(finished.code, 5) << style << ": " << finished.output;
        EXPECT_NE(finished.output.find("standard output: cannot write: No space left"),
                  std::string::npos)
            << finished.output;
        EXPECT_EQ(loadJson(output + "/run.json")["result"], "finished");
        EXPECT_TRUE(std::filesystem::exists(output + "/images/first_snow.0002.png"));
    }
}

TEST(Farm, AReaderThatHasGoneIsNoFailure)
{
    const TemporaryFolder folder;
    for (const char* style : {"json", "lines"}) {
        const std::string code = (folder / style).string();
        const std::string command = std::string("{ ") + FLOE_BINARY_DIR + "/bin/floe run " +
                                    kScene + kTalking + " --end 2 --progress " + style + " -o " +
                                    code + ".out; echo $? > " + code + "; } | true";
        EXPECT_EQ(std::system(command.c_str()), 0);
        EXPECT_EQ(readFile(code), "0\n") << style;
    }
}

TEST(Farm, RenderDrawsCachedFramesAgain)
{
    const TemporaryFolder folder;
    const std::string output = (folder / "out").string();
    ASSERT_EQ(runFloe("run " + kScene + kCoarse + " --end 3 -o " + output).code, 0);
    const auto picture = std::filesystem::path(output) / "images/first_snow.0003.png";
    const std::string before = readFile(picture);
    std::filesystem::remove(picture);
    const auto rendered = runFloe("render " + kScene +
                                  " --set solver.cellSize=0.08 --set render.width=64 --set "
                                  "render.height=36 --progress quiet --end 3"
                                  " --node render -o " +
                                  output);
    ASSERT_EQ(rendered.code, 0) << rendered.output;
    EXPECT_EQ(readFile(picture), before);
}

} // namespace
} // namespace floe
