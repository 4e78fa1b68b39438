// Runs of several processes: the same files as those of one, byte for byte, and an end in order
// when one of them is lost.
#include "rank_runs.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <ostream>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace floe {
namespace {

namespace fs = std::filesystem;
using namespace test;

constexpr int kRankLost = 10, kRankSilent = 11; // exit codes of runtime/app/README.md

/// @param particles  at least so many, so that each rank has some
/// @param check  of run.json
void expectSameOnRanks(
    const std::string& graph, const std::string& small, double particles,
    const std::function<void(const Json&)>& check = [](const Json&) {})
{
    const TemporaryFolder folder;
    const std::string options = small + " --cache --checkpoint-every 2 --set render.width=160 "
                                        "--set render.height=90";
    const auto one = shell(runCommand(graph, options, folder / "1"));
    ASSERT_EQ(one.code, 0) << one.output;
    for (const auto& [ranks, partition] : {std::pair{2, "bisection"}, {3, "curve"}}) {
        const fs::path output = folder / std::to_string(ranks);
        const auto run = shell(launcher(ranks) + " " +
                               runCommand(graph, options + " --partition " + partition, output));
        ASSERT_EQ(run.code, 0) << run.output;
        expectSameFiles(folder / "1", output);
        const Json report = loadJson((output / "run.json").string());
        EXPECT_EQ(report["ranks"], ranks);
        const Json& last = report["frames"].back()["nodes"]["solver"];
        EXPECT_GT(last["particles"].get<double>(), particles);
        check(report);
        for (int rank = 0; rank < ranks; ++rank)
            EXPECT_GT(last["rank" + std::to_string(rank) + ".bytesSent"].get<double>(), 0);
    }
}

TEST(Ranks, TheDamBreaksAlike)
{
    expectSameOnRanks("dam_break.floe.json", "--set solver.cellSize=0.05 --end 6", 5000);
}

TEST(Ranks, TheSnowballFallsAlike)
{
    expectSameOnRanks("first_snow.floe.json", "--set solver.cellSize=0.06 --end 8", 5000);
}

TEST(Ranks, TheSnowballFallsAlikeSemiImplicitly)
{
    expectSameOnRanks("first_snow.floe.json",
                      "--set solver.cellSize=0.06 --set solver.integrator=semiImplicit --end 4",
                      5000);
}

TEST(Ranks, MudSnowAndJellyMixAlike)
{
    expectSameOnRanks("mixed.floe.json", "--set solver.cellSize=0.06 --end 5", 5000);
}

// Particles come in every frame, and what each rank owns wanders.
TEST(Ranks, JetsOfSandMeetAlike)
{
    expectSameOnRanks("scale/sand_injection.floe.json", "--set solver.cellSize=0.06 --end 6", 2000);
}

TEST(Ranks, MudRunsDownASlopeAlike)
{
    expectSameOnRanks("scale/mud_flow.floe.json", "--set solver.cellSize=0.12 --end 12", 1500);
}

struct Scaled {
    const char* name;
    const char* small;
    double particles;
};
void PrintTo(const Scaled& scene, std::ostream* out)
{
    *out << scene.name;
}
class ScaledScene : public testing::TestWithParam<Scaled> {};

// What the dissertation's scenes show: meshes many times, moving plates, liquids that mix.
TEST_P(ScaledScene, MovesAlike)
{
    const TemporaryFolder folder;
    const std::string graph = std::string("scale/") + GetParam().name + ".floe.json";
    const std::string options = std::string("--set solver.cellSize=") + GetParam().small +
                                " --checkpoint-every 2 --set render.width=96 --set "
                                "render.height=54 --set render.movie=false";
    const auto one = shell(runCommand(graph, options, folder / "1"));
    ASSERT_EQ(one.code, 0) << one.output;
    const auto run = shell(launcher(3) + " " + runCommand(graph, options, folder / "3"));
    ASSERT_EQ(run.code, 0) << run.output;
    const auto expected = filesOf(folder / "1"), found = filesOf(folder / "3");
    EXPECT_GE(expected.size(), 6u);
    EXPECT_TRUE(expected == found);
    const Json report = loadJson((folder / "3/run.json").string());
    EXPECT_GT(report["frames"].back()["nodes"]["solver"]["particles"].get<double>(),
              GetParam().particles);
}

INSTANTIATE_TEST_SUITE_P(Ranks, ScaledScene,
                         testing::Values(Scaled{"billion_fluid", "0.12 --end 6", 20000},
                                         Scaled{"candy_bowl", "0.03 --end 6", 5000},
                                         Scaled{"crushing_concrete", "0.03 --end 6", 2000},
                                         Scaled{"elastic_playground", "0.05 --end 6", 8000},
                                         Scaled{"falling_bombs", "0.05 --end 6", 4000},
                                         Scaled{"sand_figures", "0.05 --end 6", 2000},
                                         Scaled{"single_dam_break", "0.08 --end 6", 10000},
                                         Scaled{"soil_falling", "0.06 --end 6", 5000}));

// A bed of sand sleeps from the start. A network decides, and the guard wakes what a ball strikes.
TEST(Ranks, WhatSleepsWakesAlike)
{
    const TemporaryFolder folder;
    Json graph = loadJson(std::string(FLOE_SOURCE_DIR) + "/graphs/sand_column.floe.json");
    Json& nodes = graph["nodes"];
    nodes["column"]["parameters"].update(
        {{"radius", 0.7}, {"height", 0.2}, {"center", {0, 0.1, 0}}});
    nodes["ball_shape"] = {{"type", "floe.shape.sphere"},
                           {"version", 1},
                           {"parameters", {{"radius", 0.12}, {"center", {0.3, 0.36, 0.1}}}}};
    nodes["ball"] = {
        {"type", "floe.emitter"}, {"version", 1}, {"parameters", {{"velocity", {0, -3, 0}}}}};
    nodes["activity"] = {{"type", "floe.activation.network"},
                         {"version", 2},
                         {"parameters", {{"startsPassive", true}}}};
    for (const auto& [from, to] :
         {std::pair{"ball_shape.shape", "ball.shape"}, std::pair{"sand.material", "ball.material"},
          std::pair{"ball.emitter", "solver.emitters"},
          std::pair{"activity.activation", "solver.activation"}})
        graph["links"].push_back({{"from", from}, {"to", to}});
    const std::string path = (folder / "struck.floe.json").string();
    std::ofstream(path) << graph;
    expectSameOnRanks(path, "--set solver.cellSize=0.06 --end 5", 5000, [](const Json& report) {
        const Json& first = report["frames"].front()["nodes"]["solver"];
        EXPECT_GT(first["activeBlocks"], 2);
        EXPECT_LT(first["activeBlocks"].get<double>(), 0.5 * first["blocks"].get<double>());
        double wakes = 0;
        for (const Json& frame : report["frames"])
            wakes += frame["nodes"]["solver"]["guardWakes"].get<double>();
        EXPECT_GT(wakes, 20);
    });
}

// Rank 0 has the particles of all, and computes alone what follows from them.
TEST(Ranks, SprayFollowsTheWaterAlike)
{
    const TemporaryFolder folder;
    expectSameOnRanks(
        damWithSpray(folder), "--set solver.cellSize=0.05 --end 8", 5000, [](const Json& report) {
            EXPECT_GT(report["frames"].back()["nodes"]["spray"]["particles"].get<double>(), 50);
        });
}

// The same motion, in other bits where several hold particles in a block.
TEST(Ranks, EachKeepsItsParticles)
{
    const TemporaryFolder folder;
    const std::string graph = "scale/sand_injection.floe.json";
    const std::string options =
        "--set solver.cellSize=0.06 --end 6 --checkpoint-every 2 "
        "--set render.width=64 --set render.height=36 --partition particles";
    const auto solverOf = [&](const std::string& name, std::size_t frame) {
        const Json report = loadJson((folder / name / "run.json").string());
        return report["frames"][frame]["nodes"]["solver"];
    };
    ASSERT_EQ(shell(runCommand(graph, options, folder / "1")).code, 0);
    const auto run = shell(launcher(3) + " " + runCommand(graph, options, folder / "3"));
    ASSERT_EQ(run.code, 0) << run.output;
    const double all = solverOf("1", 5)["particles"];
    EXPECT_GT(all, 2000);
    EXPECT_EQ(solverOf("3", 5)["particles"], all);
    EXPECT_EQ(solverOf("3", 5)["movedBlocks"], 0);
    EXPECT_GT(solverOf("3", 5)["blocks"].get<double>(), solverOf("1", 5)["blocks"].get<double>());

    // A checkpoint knows nothing of ranks.
    fs::remove(folder / "3/checkpoints/frame.0005.checkpoint");
    const auto resumed =
        shell(launcher(2) + " " + runCommand(graph, options + " --resume", folder / "3"));
    ASSERT_EQ(resumed.code, 0) << resumed.output;
    EXPECT_EQ(solverOf("3", 5)["particles"], all);
}

TEST(Ranks, TheOptionStartsTheLauncher)
{
    const TemporaryFolder folder;
    const std::string small = "--set solver.cellSize=0.08 --end 3 --cache --set render.width=64 "
                              "--set render.height=36 --checkpoint-every 1";
    ASSERT_EQ(shell(runCommand("first_snow.floe.json", small, folder / "1")).code, 0);
    const auto two = shell(runCommand("first_snow.floe.json", small + " --ranks 2", folder / "2"));
    ASSERT_EQ(two.code, 0) << two.output;
    expectSameFiles(folder / "1", folder / "2");

    const auto none =
        shell("PATH=/nonexistent " + runCommand("first_snow.floe.json", "--ranks 2", folder / "0"));
    EXPECT_EQ(none.code, 3);
    EXPECT_NE(none.output.find("apt-get install openmpi-bin"), std::string::npos) << none.output;

    const auto one = shell("PATH=/nonexistent " +
                           runCommand("first_snow.floe.json", "--ranks 1 --end 1", folder / "one"));
    EXPECT_EQ(one.code, 0) << one.output; // needs no launcher
}

TEST(Ranks, WhatCannotBeDividedIsRefusedInOneSentence)
{
    const TemporaryFolder folder;
    const auto refused = [&](const std::string& graph, const std::string& options, int code,
                             const std::string& node, const std::string& why) {
        const auto run = shell(launcher(2) + " " + runCommand(graph, options, folder / "out"));
        EXPECT_EQ(run.code, code) << run.output;
        EXPECT_NE(run.output.find("node '" + node + "'"), std::string::npos) << run.output;
        EXPECT_NE(run.output.find(why), std::string::npos) << run.output;
        const auto first = run.output.find("run on one rank");
        ASSERT_NE(first, std::string::npos) << run.output;
        EXPECT_EQ(run.output.find("run on one rank", first + 1), std::string::npos) << run.output;
    };
    // A strategy that looks ahead needs the whole world in one process.
    Json graph =
        loadJson(std::string(FLOE_SOURCE_DIR) + "/graphs/activation/bullet_time.floe.json");
    for (Json& node : graph["nodes"])
        if (node["type"] == "floe.activation.network")
            node = {{"type", "floe.activation.oracle"}, {"version", 1}};
    std::ofstream(folder / "oracle.floe.json") << graph;
    refused((folder / "oracle.floe.json").string(), "--end 2 --set solver.cellSize=0.03", 4,
            "solver", "look into the future");
    refused("particles/crates.floe.json", "--end 2", 3, "solver", "floe.pbd.solver");
    // Rank 0 could simulate the bodies, but the water, which they move, is everywhere.
    refused("coupling/ice_floes.floe.json", "--end 2", 3, "bodies", "needs it");
    const auto sleeping = shell(
        launcher(2) + " " +
        runCommand("activation/bullet_time.floe.json",
                   "--end 2 --set solver.cellSize=0.03 --partition particles", folder / "out"));
    EXPECT_EQ(sleeping.code, 4) << sleeping.output;
    EXPECT_NE(sleeping.output.find("let nothing sleep"), std::string::npos) << sleeping.output;
    const auto implicit = shell(launcher(2) + " " +
                                runCommand("first_snow.floe.json",
                                           "--end 2 --set solver.integrator=semiImplicit "
                                           "--partition particles",
                                           folder / "out"));
    EXPECT_EQ(implicit.code, 4) << implicit.output;
    EXPECT_NE(implicit.output.find("semi-implicitly"), std::string::npos) << implicit.output;
    const auto boxes = shell(
        launcher(2) + " " +
        runCommand("first_snow.floe.json", "--end 2 --partition fixed:2x2x1", folder / "out"));
    EXPECT_EQ(boxes.code, 4) << boxes.output;
    EXPECT_NE(boxes.output.find("'fixed:2x2x1' is not of 2 boxes"), std::string::npos)
        << boxes.output;
}

/// Finds a process of a run by its rank and what else it was started with. @return 0: none
/// @param worker  the one that computes; else the one that watches over it
pid_t processOf(const std::string& output, int rank, bool worker)
{
    const auto content = [](const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        return text.str();
    };
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos)
            continue;
        const std::string command = content(entry.path() / "cmdline");
        if (command.find("bin/floe") == std::string::npos ||
            command.find("mpirun") != std::string::npos ||
            command.find(output + '\0') == std::string::npos)
            continue;
        const std::string environment = content(entry.path() / "environ");
        if (environment.find("OMPI_COMM_WORLD_RANK=" + std::to_string(rank) + '\0') ==
            std::string::npos)
            continue;
        if ((environment.find("FLOE_SUPERVISED=") != std::string::npos) == worker)
            return static_cast<pid_t>(std::stol(name));
    }
    return 0;
}

/// Starts a command, kills one of its processes once a checkpoint exists, and waits for the end.
struct Killed {
    int code = 0;
    double seconds = 0; ///< from the kill to the end
};
Killed killRank(const std::string& command, const fs::path& output, const fs::path& checkpoint,
                int rank, bool worker, int signal = SIGKILL)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl("/bin/sh", "sh", "-c", ("exec " + command + " > /dev/null 2>&1").c_str(), nullptr);
        ::_exit(127);
    }
    for (int i = 0; i < 6000 && !fs::exists(checkpoint); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const pid_t victim = processOf(output.string(), rank, worker);
    EXPECT_GT(victim, 0);
    const auto begin = std::chrono::steady_clock::now();
    if (victim > 0)
        ::kill(victim, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

TEST(Ranks, OneIsKilledAllEndAndAnotherNumberOfThemGoesOn)
{
    const TemporaryFolder folder;
    const std::string graph = "first_snow.floe.json";
    const std::string options = "--set solver.cellSize=0.05 --end 30 --cache --checkpoint-every 2 "
                                "--set render.width=64 --set render.height=36";
    ASSERT_EQ(shell(runCommand(graph, options, folder / "whole")).code, 0);
    const fs::path output = folder / "killed";
    const Killed killed = killRank(launcher(2) + " " + runCommand(graph, options, output), output,
                                   output / "checkpoints/frame.0003.checkpoint", 1, true);
    EXPECT_EQ(killed.code, kRankLost);
    EXPECT_LT(killed.seconds, 20); // the others wait in an exchange, for ever if nobody told them
    Json report = loadJson((output / "run.json").string());
    EXPECT_EQ(report["result"], "failed");
    EXPECT_EQ(report["exitCode"], kRankLost);
    EXPECT_LT(report["frames"].size(), 30u);
    std::string named;
    for (const Json& message : report["messages"])
        if (message["level"] == "error")
            named = message["text"];
    EXPECT_NE(named.find("rank 1 on host"), std::string::npos) << named;
    EXPECT_NE(named.find("killed"), std::string::npos) << named;

    // The process that watches over a rank is all that others see of it.
    const Killed again =
        killRank(launcher(2) + " " + runCommand(graph, options + " --resume", output), output,
                 output / "checkpoints/frame.0013.checkpoint", 0, false);
    EXPECT_NE(again.code, 0);
    EXPECT_LT(again.seconds, 20);

    const auto resumed =
        shell(launcher(3) + " " + runCommand(graph, options + " --resume", output));
    ASSERT_EQ(resumed.code, 0) << resumed.output;
    expectSameFiles(folder / "whole", output);
    report = loadJson((output / "run.json").string());
    EXPECT_EQ(report["result"], "finished");
    EXPECT_EQ(report["frames"].size(), 30u);
}

TEST(Ranks, OneIsStoppedAndAllEnd)
{
    const TemporaryFolder folder;
    const fs::path output = folder / "stopped";
    ::setenv("FLOE_RANK_PATIENCE", "4", 1);
    const Killed stopped =
        killRank(launcher(2) + " " +
                     runCommand("first_snow.floe.json",
                                "--set solver.cellSize=0.06 --end 200 --checkpoint-every 1 "
                                "--set render.width=64 --set render.height=36",
                                output),
                 output, output / "checkpoints/frame.0002.checkpoint", 1, true, SIGSTOP);
    ::unsetenv("FLOE_RANK_PATIENCE");
    EXPECT_EQ(stopped.code, kRankSilent);
    EXPECT_GT(stopped.seconds, 3); // not at once: a process may have to wait for its disk
    EXPECT_LT(stopped.seconds, 30);
    const Json report = loadJson((output / "run.json").string());
    EXPECT_EQ(report["exitCode"], kRankSilent);
    std::string named;
    for (const Json& message : report["messages"])
        if (message["level"] == "error")
            named = message["text"];
    EXPECT_NE(named.find("rank 1 on host"), std::string::npos) << named;
    EXPECT_NE(named.find("does not answer"), std::string::npos) << named;
}

TEST(Ranks, AnInterruptedRunEndsInOrder)
{
    const TemporaryFolder folder;
    const fs::path output = folder / "out";
    const std::string command =
        "exec " + launcher(2) + " " +
        runCommand("first_snow.floe.json",
                   "--set solver.cellSize=0.04 --end 48 --checkpoint-every 1 --set "
                   "render.width=64 --set render.height=36",
                   output) +
        " > /dev/null 2>&1";
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        ::_exit(127);
    }
    for (int i = 0; i < 6000 && !fs::exists(output / "checkpoints/frame.0002.checkpoint"); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::kill(child, SIGTERM); // the launcher passes it on
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const Json report = loadJson((output / "run.json").string());
    EXPECT_EQ(report["result"], "cancelled");
}

} // namespace
} // namespace floe
