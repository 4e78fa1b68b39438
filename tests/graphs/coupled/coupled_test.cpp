// The scenes of graphs/coupled, run by the real program.
#include "run_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

namespace floe {
namespace {

using test::Frame;
using test::GraphRun;

constexpr const char* kSmallPictures = " --set render.width=160 --set render.height=90 --set "
                                       "render.every=1000 --set render.movie=false";

std::string bytesOf(const std::filesystem::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace

// The front of a collapsing column runs along a dry floor (Martin and Moyce 1952): here 0.55 m
// high, it crosses its own width in about 0.2 s, and is at the far wall before a second has passed.
TEST(Dam, RunsDownTheTank)
{
    const GraphRun run("coupled/dam.floe.json",
                       std::string("--set solver.cellSize=0.05 --end 26") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1), last = run.frame("solver", 26);
    EXPECT_TRUE(last.allFinite());
    EXPECT_GT(last.extent(0)[1], 0.9); // the wall is at 1
    EXPECT_LT(last.extent(0)[1], 1.01);
    EXPECT_GT(last.extent(1)[0], -0.01);
    double inBox = 0;
    for (std::size_t i = 0; i < last.count(); ++i) {
        const auto x = last.position(i);
        inBox += std::abs(x[0] - 0.35) < 0.05 && x[1] < 0.13 && std::abs(x[2]) < 0.17;
    }
    // The obstacle, three centimetres and more below its surface: a splash may press a particle in
    // by half a cell.
    EXPECT_EQ(inBox, 0);
    const Json report = run.report();
    const Json& solver = report["frames"].back()["nodes"]["solver"];
    // The splash at the far wall may leave through the open top; nothing else is lost.
    EXPECT_EQ(static_cast<double>(first.count()),
              static_cast<double>(last.count()) + solver["leftDomain"].get<double>());
    EXPECT_LT(solver["leftDomain"].get<double>(), 0.01 * static_cast<double>(first.count()));
    EXPECT_GT(solver["fluidPressures"].get<double>(), 1000);
    EXPECT_GT(solver["solveIterations"].get<double>(), 0);
    EXPECT_LE(solver["residual"].get<double>(), 1e-4);
}

// A jet, a moving paddle: what is poured in arrives, and the level rises by its volume.
TEST(Paddle, MakesWavesWhileAJetFillsTheTank)
{
    const GraphRun run("coupled/paddle.floe.json",
                       std::string("--set solver.cellSize=0.08 --end 60") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1), last = run.frame("solver", 60);
    EXPECT_TRUE(last.allFinite());
    EXPECT_GT(last.count(), first.count() + 100);
    double height = 0, behind = 0;
    const auto volume = last.particles().get<float>("volume", 1);
    double poured = 0;
    for (std::size_t i = 0; i < last.count(); ++i) {
        height += last.position(i)[1] / static_cast<double>(last.count());
        behind += last.position(i)[0] < -0.92 && last.position(i)[1] > 0.02;
        poured += volume[i];
    }
    // 1.9 m x 0.8 m of floor beside the board, which moves by 0.2 m; waves of some centimetres.
    EXPECT_NEAR(2 * height, poured / (0.8 * 1.8), 0.06);
    EXPECT_LT(behind / static_cast<double>(last.count()), 0.05);
}

/// Mean height of each material's particles.
std::map<std::uint32_t, double> heightsOf(const Frame& frame)
{
    const auto material = frame.particles().get<std::uint32_t>("material", 1);
    std::map<std::uint32_t, double> sums, counts;
    for (std::size_t i = 0; i < frame.count(); ++i) {
        sums[material[i]] += frame.position(i)[1];
        ++counts[material[i]];
    }
    for (auto& [which, sum] : sums)
        sum /= counts[which];
    return sums;
}

// Cork, wood and rubber fall into a tank, 0.45 m deep, and end in the order of their densities.
TEST(Solids, FloatAndSink)
{
    const GraphRun run("coupled/solids.floe.json",
                       std::string("--set solver.cellSize=0.055 --end 40") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame last = run.frame("solver", 40);
    EXPECT_TRUE(last.allFinite());
    std::map<std::uint32_t, double> heights = heightsOf(last);
    ASSERT_EQ(heights.size(), 4u); // water, cork, wood, rubber
    EXPECT_GT(heights[1], 0.36);   // at the surface, half a radius lower at most
    EXPECT_GT(heights[2], 0.26);
    EXPECT_LT(heights[2], heights[1]);
    EXPECT_LT(heights[3], 0.2); // on the floor, or about to be
    EXPECT_EQ(run.frame("solver", 1).count(), last.count());
}

// The same run in one go and in two, on one thread and on two.
TEST(Solids, ResumeBitForBit)
{
    const std::string options =
        std::string(" --set solver.cellSize=0.08 --checkpoint-every 4 --cache --progress quiet") +
        test::onDevice() + kSmallPictures;
    const std::string graph =
        "run " + std::string(FLOE_SOURCE_DIR) + "/graphs/coupled/solids.floe.json";
    const GraphRun whole("coupled/solids.floe.json",
                         "--set solver.cellSize=0.08 --checkpoint-every 4 --threads 2 --end 16" +
                             std::string(kSmallPictures));
    ASSERT_EQ(whole.finished().code, 0) << whole.finished().output;
    const std::string folder = (whole.output() / "again").string();
    for (const char* part : {" --threads 1 --end 10", " --threads 1 --end 16 --resume"}) {
        const test::Finished finished =
            test::runFloe(graph + options + " --output " + folder + part);
        ASSERT_EQ(finished.code, 0) << finished.output;
    }
    const char* const name = "cache/solver.particles.0016.floe";
    const std::string expected = bytesOf(whole.output() / name);
    ASSERT_GT(expected.size(), 1000u);
    EXPECT_TRUE(bytesOf(std::filesystem::path(folder) / name) == expected);
}

// Checkpoints, and threads, change nothing.
TEST(Paddle, ResumesBitForBit)
{
    const std::string options =
        std::string("--set solver.cellSize=0.1 --set solver.start=extrapolated --threads 2 "
                    "--checkpoint-every 4") +
        kSmallPictures;
    const GraphRun whole("coupled/paddle.floe.json", "--end 16 " + options);
    ASSERT_EQ(whole.finished().code, 0) << whole.finished().output;
    const std::string folder = (whole.output() / "again").string();
    const std::string again =
        "run " + std::string(FLOE_SOURCE_DIR) +
        "/graphs/coupled/paddle.floe.json --progress quiet --cache --output " + folder +
        test::onDevice() +
        " --set solver.cellSize=0.1 --set solver.start=extrapolated --threads 1 "
        "--checkpoint-every 4" +
        kSmallPictures;
    test::Finished finished = test::runFloe(again + " --end 10");
    ASSERT_EQ(finished.code, 0) << finished.output;
    finished = test::runFloe(again + " --end 16 --resume");
    ASSERT_EQ(finished.code, 0) << finished.output;
    const char* const name = "cache/solver.particles.0016.floe";
    const std::string expected = bytesOf(whole.output() / name);
    ASSERT_GT(expected.size(), 1000u);
    EXPECT_TRUE(bytesOf(std::filesystem::path(folder) / name) == expected);
}

// A material that it cannot move is named, with what would be right.
TEST(Dam, RefusesMaterialsItCannotMove)
{
    const GraphRun sand("coupled/dam.floe.json",
                        std::string("--set water.law=druckerPrager --end 1") + kSmallPictures);
    EXPECT_NE(sand.finished().code, 0);
    EXPECT_NE(sand.finished().output.find("material 'Water'"), std::string::npos);
    EXPECT_NE(sand.finished().output.find("'druckerPrager'"), std::string::npos);
    const GraphRun honey("coupled/dam.floe.json",
                         std::string("--set water.viscosity=10 --end 1") + kSmallPictures);
    EXPECT_NE(honey.finished().code, 0);
    EXPECT_NE(honey.finished().output.find("viscosity is 10 Pa s"), std::string::npos);
}

} // namespace floe
