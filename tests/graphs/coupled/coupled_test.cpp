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

/// Sums over the particles of one material.
struct Sums {
    double count = 0, volume = 0, below = 0; ///< below: those under a level
    double x = 0, y = 0, z = 0;              ///< means
};

Sums sumsOf(const Frame& frame, std::uint32_t which, double level = 0)
{
    const auto material = frame.particles().get<std::uint32_t>("material", 1);
    const auto volume = frame.particles().get<float>("volume", 1);
    Sums sums;
    for (std::size_t i = 0; i < frame.count(); ++i)
        if (material[i] == which) {
            const auto at = frame.position(i);
            ++sums.count;
            sums.volume += volume[i];
            sums.below += at[1] < level;
            sums.x += at[0];
            sums.y += at[1];
            sums.z += at[2];
        }
    for (double* mean : {&sums.x, &sums.y, &sums.z})
        *mean /= sums.count;
    return sums;
}

// A mesh of half the density of water floats half in it.
TEST(Bath, FloatsAKnotHalfInWater)
{
    const GraphRun run("coupled/bath.floe.json",
                       std::string("--set solver.cellSize=0.05 --end 44") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame last = run.frame("solver", 44);
    EXPECT_TRUE(last.allFinite());
    const Sums water = sumsOf(last, 0), knot = sumsOf(last, 1);
    const double level = (water.volume + 0.5 * knot.volume) / (1.2 * 1.0);
    // It bobs by some centimetres yet, and what floats is up to half a cell too high: of its
    // 25 cm, which are widest in the middle.
    EXPECT_NEAR(sumsOf(last, 1, level).below / knot.count, 0.5, 0.2);
    EXPECT_EQ(run.frame("solver", 1).count(), last.count());
}

// A flood takes thirty floating cubes along, and lifts them.
TEST(SolidsDam, FlushesTheCubesAlong)
{
    const GraphRun run("coupled/solids_dam.floe.json",
                       std::string("--set solver.cellSize=0.045 --end 18") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1), last = run.frame("solver", 18);
    EXPECT_TRUE(last.allFinite());
    const Sums before = sumsOf(first, 1), after = sumsOf(last, 1), water = sumsOf(last, 0);
    // Particles are a quarter of an edge apart, so that an eighth lies on the edges.
    EXPECT_NEAR(before.volume, 30 * 0.09 * 0.09 * 0.09, 0.15 * before.volume);
    EXPECT_GT(after.x, before.x + 0.1);
    EXPECT_GT(after.y, before.y + 0.02);
    EXPECT_GT(after.y, water.y); // they are lighter
    EXPECT_EQ(after.count, before.count);
    EXPECT_LT(last.extent(0)[1], 0.81);
}

// Jets give what goes through their sections, and the balls end up on top of it.
TEST(Emitter, PoursWhatItsJetsCarryAndLiftsTheBalls)
{
    const GraphRun run("coupled/emitter.floe.json",
                       std::string("--set solver.cellSize=0.05 --end 48") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1), last = run.frame("solver", 48);
    EXPECT_TRUE(last.allFinite());
    // Each emitter has its own number, though two share a material.
    const auto waterIn = [](const Frame& frame) {
        return sumsOf(frame, 0).volume + sumsOf(frame, 1).volume;
    };
    const double water = waterIn(last);
    const double pi = 3.14159265358979;
    // Two cylinders, 16 cm across and 10 cm long, along x, at 2 m/s and falling at 0.5 m/s.
    const double rate = 2 * (pi * 0.08 * 0.08 * 2.0 + 0.16 * 0.1 * 0.5);
    EXPECT_NEAR(water - waterIn(first), rate * 47 / 24.0, 0.1 * rate * 47 / 24.0);
    const Sums balls = sumsOf(last, 2);
    const double level = (water + 0.4 * balls.volume) / (1.2 * 0.8);
    EXPECT_GT(balls.y, level - 0.06); // their radius
    EXPECT_LT(balls.y, level + 0.06);
}

// Water runs around four cylinders, the same on both sides, and into none.
TEST(CylindersDam, RunsAroundTheCylinders)
{
    const GraphRun run("coupled/cylinders_dam.floe.json",
                       std::string("--set solver.cellSize=0.045 --end 28") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1), last = run.frame("solver", 28);
    EXPECT_TRUE(last.allFinite());
    EXPECT_GT(last.extent(0)[1], 0.95); // the wall is at 1
    EXPECT_LT(last.extent(0)[1], 1.01);
    EXPECT_NEAR(last.meanPosition()[2], 0, 0.01);
    double inside = 0;
    for (std::size_t i = 0; i < last.count(); ++i) {
        const auto at = last.position(i);
        for (const double x : {-0.1, 0.25})
            for (const double z : {-0.2, 0.2}) // deeper than half a cell
                inside += at[1] < 0.6 && std::hypot(at[0] - x, at[2] - z) < 0.08 - 0.0225;
    }
    EXPECT_EQ(inside, 0);
    const Json report = run.report();
    EXPECT_EQ(static_cast<double>(first.count()),
              static_cast<double>(last.count()) +
                  report["frames"].back()["nodes"]["solver"]["leftDomain"].get<double>());
}

// A boat rides waves: it goes up and down with them, and on the mean it is as deep as it weighs.
TEST(Boat, RidesTheWaves)
{
    const GraphRun run("coupled/boat.floe.json",
                       std::string("--set solver.cellSize=0.055 --end 54") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    double share = 0, lowest = 10, highest = -10;
    int frames = 0;
    for (int number = 24; number <= 54; number += 3) {
        const Frame frame = run.frame("solver", number);
        ASSERT_TRUE(frame.allFinite());
        const Sums water = sumsOf(frame, 0), boat = sumsOf(frame, 1);
        // Of the board's way, the mean: 7 cm of the tank's 1.9 m.
        const double level = (water.volume + 0.4 * boat.volume) / ((1.9 - 0.07) * 0.8);
        share += sumsOf(frame, 1, level).below / boat.count;
        lowest = std::min(lowest, boat.y);
        highest = std::max(highest, boat.y);
        ++frames;
    }
    EXPECT_NEAR(share / frames, 0.4, 0.15); // half a cell of its 26 cm is a tenth of it
    EXPECT_GT(highest - lowest, 0.01);
    EXPECT_LT(highest - lowest, 0.2);
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
