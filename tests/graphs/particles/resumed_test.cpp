// Scenes of graphs/particles that are stopped and go on.
#include "particle_run.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <iterator>
#include <memory>

namespace floe {
namespace {

std::string bytesOf(const std::filesystem::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::string fileOf(const std::string& scene)
{
    return "particles/" + scene + ".floe.json";
}

/// Returns how many particles were asleep at a frame of a run that begins at 1.
double asleep(const GraphRun& run, std::size_t frame)
{
    return run.report().at("frames")[frame - 1]["nodes"]["solver"]["asleep"].get<double>();
}

/// Options of runs that are stopped and resumed.
std::string resumableOptions(const std::string& settings)
{
    return " --checkpoint-every 4 " + settings + kSmallPictures;
}

/// The command that runs a scene of this folder on one thread, and may be told to resume.
std::string resumable(const std::string& scene, const std::string& settings,
                      const std::filesystem::path& folder)
{
    return "run " + std::string(FLOE_SOURCE_DIR) + "/graphs/" + fileOf(scene) +
           " --progress quiet --cache --output " + folder.string() + test::onDevice() +
           " --threads 1" + resumableOptions(settings);
}

/// Runs a scene of this folder on two threads, and again on one, stopped after a frame and resumed,
/// in the folder "again" of the first run's output.
/// @param outputs  of the solver, whose last values are compared byte for byte
/// @return the first run
std::unique_ptr<GraphRun> expectTheSameResumed(const std::string& scene,
                                               const std::string& settings, int end, int stop,
                                               std::initializer_list<const char*> outputs)
{
    auto whole = std::make_unique<GraphRun>(
        fileOf(scene), "--threads 2 --end " + std::to_string(end) + resumableOptions(settings));
    EXPECT_EQ(whole->finished().code, 0) << whole->finished().output;
    const std::filesystem::path folder = whole->output() / "again";
    for (const std::string& part :
         {" --end " + std::to_string(stop), " --resume --end " + std::to_string(end)}) {
        const test::Finished finished = test::runFloe(resumable(scene, settings, folder) + part);
        EXPECT_EQ(finished.code, 0) << finished.output;
    }
    for (const std::string output : outputs) {
        char name[64];
        std::snprintf(name, sizeof name, "cache/solver.%s.%04d.floe", output.c_str(), end);
        const std::string expected = bytesOf(whole->output() / name);
        EXPECT_GT(expected.size(), 1000u) << name;
        EXPECT_TRUE(bytesOf(folder / name) == expected) << name;
    }
    return whole;
}

} // namespace

// Bodies, grains and liquid go on from a checkpoint bit for bit, and threads change nothing.
TEST(Tank, ResumesBitForBit)
{
    expectTheSameResumed("tank", "--set solver.particleSize=0.08", 16, 10, {"particles", "mesh"});
}

TEST(Flag, ResumesBitForBit)
{
    expectTheSameResumed("flag", "--set flag.spacing=0.08", 20, 14, {"mesh"});
}

// Cloth, ropes, joints and bodies go on from a checkpoint bit for bit, and threads change nothing.
TEST(RopeBridge, ResumesBitForBit)
{
    expectTheSameResumed("rope_bridge", "", 20, 14, {"mesh"});
}

// What is broken goes on from a checkpoint bit for bit, and threads change nothing.
TEST(BrokenPots, ResumeBitForBit)
{
    const auto whole =
        expectTheSameResumed("broken_pots", "--set solver.substeps=10", 20, 17, {"states", "mesh"});
    EXPECT_GT(bodyPlaces(*whole, 16).size(), 3u);
}

// Grains that sleep when the ball arrives go on from a checkpoint bit for bit.
TEST(GravelImpact, ResumesBitForBit)
{
    const auto whole = expectTheSameResumed(
        "gravel_impact",
        "--set solver.particleSize=0.12 --set solver.sleepAfter=0.2 --set ball.position=[0,6,0]",
        36, 31, {"particles", "mesh"});
    EXPECT_GT(asleep(*whole, 28), 50); // from where it is resumed
    EXPECT_GT(asleep(*whole, 36), asleep(*whole, 28));
}

// So do crates that sleep when the ball arrives,
TEST(Crates, ResumeBitForBit)
{
    const auto whole =
        expectTheSameResumed("crates", "--set solver.sleepAfter=0.1", 24, 8, {"mesh", "states"});
    EXPECT_GT(asleep(*whole, 8), 500); // from where it is resumed
    EXPECT_LT(asleep(*whole, 24), asleep(*whole, 8));
}

// and what a mesh collider shakes.
TEST(ShakenCups, ResumeBitForBit)
{
    expectTheSameResumed("shaken_cups", "--set solver.particleSize=0.03 --set solver.substeps=10",
                         16, 10, {"particles"});
}

TEST(SoftKnots, ResumeBitForBit)
{
    const std::string settings = "--set jelly.voxel=0.05 --set rigid.voxel=0.06 --set "
                                 "balloon.voxel=0.06";
    const auto whole = expectTheSameResumed("soft_knots", settings, 18, 14, {"mesh"});
    // Other regions are other bodies.
    const test::Finished other =
        test::runFloe(resumable("soft_knots", settings, whole->output() / "again") +
                      " --end 20 --resume --set jelly.regions=3");
    EXPECT_NE(other.code, 0) << other.output;
}

} // namespace floe
