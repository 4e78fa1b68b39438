// Scenes of graphs/coupling, run by the real program: two solvers in one world.
#include "run_graph.hpp"

#include "floe/data/particles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

namespace floe {
namespace {

using test::GraphRun;

constexpr const char* kSmall = " --set render.width=160 --set render.height=90 --set "
                               "render.every=1000 --set render.movie=false --set "
                               "solver.cellSize=0.08";

std::filesystem::path cached(const GraphRun& run, const std::string& output, int frame)
{
    char name[64];
    std::snprintf(name, sizeof name, "cache/%s.%04d.floe", output.c_str(), frame);
    return run.output() / name;
}

ValueRef read(const GraphRun& run, const std::string& output, int frame)
{
    std::ifstream stream(cached(run, output, frame), std::ios::binary);
    return readValue(stream);
}

std::string bytesOf(const std::filesystem::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace

// Ice of 900 and crates of 350 kg/m^3 ride on the wave: none sinks, none stays behind, and what
// they give out is of the same frame as the water.
TEST(IceFloes, RideOnTheWave)
{
    const GraphRun run("coupling/ice_floes.floe.json", std::string("--end 24") + kSmall);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const ValueRef first = read(run, "bodies.states", 1), last = read(run, "bodies.states", 24);
    const auto x0 = expect<ParticlesValue>(first).get<float>("x", 3);
    const auto x = expect<ParticlesValue>(last).get<float>("x", 3);
    const auto force = expect<ParticlesValue>(last).get<float>("force", 3);
    const auto mass = expect<ParticlesValue>(last).get<float>("mass", 1);
    ASSERT_EQ(x.size(), 3u * 11);
    double moved = 0, held = 0, weight = 0;
    for (std::size_t b = 0; b < 11; ++b) {
        moved += (x[3 * b] - x0[3 * b]) / 11;
        EXPECT_GT(x[3 * b + 1], 0.3) << b; // the bottom is half a metre down
        EXPECT_LT(x[3 * b + 1], 1.1) << b;
        held += force[3 * b + 1];
        weight += 9.81 * mass[b];
    }
    EXPECT_GT(moved, 0.02); // the dam stands to their left
    EXPECT_GT(held, 0.3 * weight);
    EXPECT_LT(held, 3 * weight);
}

// Both solvers go on from a checkpoint bit for bit, and threads change nothing.
TEST(IceFloes, ResumeBitForBit)
{
    const std::string options = std::string("--threads 2 --checkpoint-every 4") + kSmall;
    const GraphRun whole("coupling/ice_floes.floe.json", "--end 12 " + options);
    ASSERT_EQ(whole.finished().code, 0) << whole.finished().output;
    const std::string folder = (whole.output() / "again").string();
    const std::string again = "run " + std::string(FLOE_SOURCE_DIR) +
                              "/graphs/coupling/ice_floes.floe.json --progress quiet --cache "
                              "--output " +
                              folder + test::onDevice() + " --threads 1 --checkpoint-every 4" +
                              kSmall;
    test::Finished finished = test::runFloe(again + " --end 9");
    ASSERT_EQ(finished.code, 0) << finished.output;
    finished = test::runFloe(again + " --end 12 --resume");
    ASSERT_EQ(finished.code, 0) << finished.output;
    for (const char* name : {"cache/solver.particles.0012.floe", "cache/bodies.mesh.0012.floe",
                             "cache/bodies.states.0012.floe"}) {
        const std::string expected = bytesOf(whole.output() / name);
        ASSERT_GT(expected.size(), 500u) << name;
        EXPECT_TRUE(bytesOf(std::filesystem::path(folder) / name) == expected) << name;
    }
}

} // namespace floe
