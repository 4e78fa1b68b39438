// The scenes of graphs/particles, run by the real program: what must be true of where they end.
#include "run_graph.hpp"

#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

namespace floe {
namespace {

using test::Frame;
using test::GraphRun;

constexpr const char* kSmallPictures = " --set render.width=160 --set render.height=90 --set "
                                       "render.every=1000 --set render.movie=false";

std::filesystem::path cached(const GraphRun& run, const char* socket, int frame)
{
    char name[64];
    std::snprintf(name, sizeof name, "cache/solver.%s.%04d.floe", socket, frame);
    return run.output() / name;
}

/// Points of the bodies' meshes.
std::vector<std::array<double, 3>> meshPoints(const GraphRun& run, int frame)
{
    std::ifstream stream(cached(run, "mesh", frame), std::ios::binary);
    const ValueRef value = readValue(stream);
    const auto points = expect<MeshValue>(value).points();
    std::vector<std::array<double, 3>> result;
    for (std::size_t i = 0; i < points.size(); i += 3)
        result.push_back({points[i], points[i + 1], points[i + 2]});
    return result;
}

/// Centres of the bodies.
std::vector<std::array<double, 3>> bodyPlaces(const GraphRun& run, int frame)
{
    std::ifstream stream(cached(run, "states", frame), std::ios::binary);
    const ValueRef value = readValue(stream);
    const auto x = expect<ParticlesValue>(value).get<float>("x", 3);
    std::vector<std::array<double, 3>> result;
    for (std::size_t i = 0; i < x.size(); i += 3)
        result.push_back({x[i], x[i + 1], x[i + 2]});
    return result;
}

double distance(const std::array<double, 3>& a, const std::array<double, 3>& b)
{
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

std::string bytesOf(const std::filesystem::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::array<double, 3> middle(const std::vector<std::array<double, 3>>& points, std::size_t first,
                             std::size_t last)
{
    std::array<double, 3> sum{};
    for (std::size_t i = first; i < last; ++i)
        for (std::size_t axis = 0; axis < 3; ++axis)
            sum[axis] += points[i][axis] / static_cast<double>(last - first);
    return sum;
}

} // namespace

// The ball breaks the wall: crates fly, none sinks into the ground, and what was not hit stands.
TEST(Crates, AreScatteredByTheBall)
{
    const GraphRun run("particles/crates.floe.json", std::string("--end 48") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const auto first = meshPoints(run, 1), last = meshPoints(run, 48);
    ASSERT_EQ(first.size(), last.size());
    double low = 1, high = 0;
    for (const auto& x : last) {
        low = std::min(low, x[1]);
        high = std::max(high, x[1]);
    }
    // A cube's corner stands out of its particle, of 5 cm, by 3.7 cm.
    EXPECT_GT(low, -0.04);
    // Crates first, sixteen of equal meshes; then the ball.
    const double crates = 16;
    const Json report = run.report();
    EXPECT_EQ(report["frames"].back()["nodes"]["solver"]["bodies"].get<double>(), crates + 1);
    std::size_t points = 0; // of one crate: they all have the same, 0.4 m a side
    while (points < first.size() && first[points][0] < -0.6 + 0.3 && first[points][1] < 0.45)
        ++points;
    ASSERT_GT(points, 7u);
    double flown = 0;
    for (std::size_t k = 0; k < 16; ++k) {
        const auto from = middle(first, k * points, (k + 1) * points);
        const auto to = middle(last, k * points, (k + 1) * points);
        flown += to[2] < from[2] - 0.2;
    }
    EXPECT_GE(flown, 4);
    EXPECT_LE(flown, 15);
    const auto ball = middle(last, 16 * points, last.size());
    EXPECT_LT(ball[2], 1.0); // it came from 3
}

// In water: gravel sinks, the crate and the ring float, and nothing gets out.
TEST(Tank, SortsWhatFallsIntoIt)
{
    const std::string options = std::string("--set solver.particleSize=0.06 --set crate.voxel=0.06"
                                            " --set jelly.voxel=0.06") +
                                kSmallPictures;
    const GraphRun run("particles/tank.floe.json", "--end 60 " + options);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame last = run.frame("solver", 60);
    EXPECT_TRUE(last.allFinite());
    EXPECT_EQ(last.count(), run.frame("solver", 1).count());
    const auto material = last.particles().get<std::uint32_t>("material", 1);
    double water = 0, waterY = 0, gravel = 0, gravelY = 0;
    for (std::size_t i = 0; i < last.count(); ++i) {
        EXPECT_LT(std::abs(last.position(i)[0]), 0.61);
        EXPECT_LT(std::abs(last.position(i)[2]), 0.41);
        EXPECT_GT(last.position(i)[1], 0.0);
        (material[i] == 2 ? water : gravel) += 1;
        (material[i] == 2 ? waterY : gravelY) += last.position(i)[1];
    }
    ASSERT_GT(water, 500);
    ASSERT_GT(gravel, 20);
    EXPECT_LT(gravelY / gravel, 0.15);
    EXPECT_NEAR(waterY / water, 0.25, 0.06); // half a metre deep, as filled
    const auto bodies = meshPoints(run, 60);
    double low = 1;
    for (const auto& x : bodies)
        low = std::min(low, x[1]);
    EXPECT_GT(low, 0.15); // both float
}

// Bodies, grains and liquid go on from a checkpoint bit for bit, and threads change nothing.
TEST(Tank, ResumesBitForBit)
{
    const std::string options = std::string("--set solver.particleSize=0.08 --threads 2"
                                            " --checkpoint-every 4") +
                                kSmallPictures;
    const GraphRun whole("particles/tank.floe.json", "--end 16 " + options);
    ASSERT_EQ(whole.finished().code, 0) << whole.finished().output;
    const std::string folder = (whole.output() / "again").string();
    const std::string again =
        "run " + std::string(FLOE_SOURCE_DIR) +
        "/graphs/particles/tank.floe.json --progress quiet --cache --output " + folder +
        test::onDevice() + " " +
        std::string("--set solver.particleSize=0.08 --threads 1"
                    " --checkpoint-every 4") +
        kSmallPictures;
    test::Finished finished = test::runFloe(again + " --end 10");
    ASSERT_EQ(finished.code, 0) << finished.output;
    finished = test::runFloe(again + " --end 16 --resume");
    ASSERT_EQ(finished.code, 0) << finished.output;
    for (const char* name : {"cache/solver.particles.0016.floe", "cache/solver.mesh.0016.floe"}) {
        const std::string expected = bytesOf(whole.output() / name);
        ASSERT_GT(expected.size(), 1000u);
        EXPECT_TRUE(bytesOf(std::filesystem::path(folder) / name) == expected) << name;
    }
}

// The flag stays at its pole, hardly stretches, and blows with the wind.
TEST(Flag, BlowsFromItsPole)
{
    const GraphRun run("particles/flag.floe.json",
                       std::string("--end 36 --set flag.spacing=0.08") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const auto first = meshPoints(run, 1), last = meshPoints(run, 36);
    ASSERT_EQ(first.size(), last.size());
    double out = 0, moved = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        // Along its thread from the pole nothing is farther than the thread is long.
        const double left = first[i][0] - 0.03;
        const double way = std::hypot(last[i][0] - 0.03, last[i][1] - first[i][1], last[i][2]);
        EXPECT_LT(way, 1.03 * left + 1e-5) << i;
        out += last[i][0] / static_cast<double>(first.size());
        moved = std::max(moved, std::abs(last[i][2]));
    }
    EXPECT_GT(out, 0.3); // 0.78 at first
    EXPECT_GT(moved, 0.05);
}

// The bridge bears the ball: no rope stretches, no plank leaves its ropes, and the ball lies on it.
TEST(RopeBridge, BearsTheBall)
{
    const GraphRun run("particles/rope_bridge.floe.json", std::string("--end 60") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const auto mesh = meshPoints(run, 60);
    const auto places = bodyPlaces(run, 60);
    ASSERT_EQ(places.size(), 4u + 11 + 1); // ropes and rails, planks, the ball
    constexpr std::size_t kRing = 8, kRings = 37;
    std::vector<std::array<double, 3>> line; // of all ropes, from end to end
    for (std::size_t k = 0; k < 4 * kRings; ++k)
        line.push_back(middle(mesh, k * kRing, (k + 1) * kRing));
    const double rests[4] = {1.04 * 3.6, 1.05 * 3.6, 1.04 * 3.6, 1.05 * 3.6};
    for (std::size_t rope = 0; rope < 4; ++rope) {
        double length = 0;
        for (std::size_t k = 1; k < kRings; ++k)
            length += distance(line[rope * kRings + k], line[rope * kRings + k - 1]);
        // Planks and ball weigh 700 N: at these angles up to 1 kN along a rope of 60 kN.
        EXPECT_NEAR(length, rests[rope], 0.02 * rests[rope]) << rope;
    }
    for (std::size_t plank = 0; plank < 11; ++plank) {
        const auto &left = line[3 + 3 * plank], &right = line[2 * kRings + 3 + 3 * plank];
        const std::array<double, 3> between = {
            0.5 * (left[0] + right[0]), 0.5 * (left[1] + right[1]), 0.5 * (left[2] + right[2])};
        EXPECT_NEAR(distance(places[4 + plank], between), 0.045, 0.01) << plank;
        EXPECT_NEAR(distance(left, right), 0.8, 0.01) << plank;
    }
    const auto& ball = places.back();
    EXPECT_GT(ball[1], 0.7); // on the ground it would be at 0.2
    EXPECT_LT(std::abs(ball[2]), 0.5);
}

// The motor turns the arm, the chain swings out, and its links stay in line.
TEST(Chain, SwingsOut)
{
    const GraphRun run("particles/chain.floe.json", std::string("--end 60") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const auto places = bodyPlaces(run, 60);
    ASSERT_EQ(places.size(), 1u + 8 + 1); // the arm, links, the weight
    EXPECT_NEAR(std::hypot(places[0][0], places[0][2]), 0.4, 0.01);
    EXPECT_NEAR(places[0][1], 2.4, 0.01);
    for (std::size_t k = 1; k < 8; ++k) // 18 cm from pin to pin, less where it is bent
        EXPECT_NEAR(distance(places[k], places[k + 1]), 0.178, 0.005) << k;
    EXPECT_NEAR(distance(places[8], places[9]), 0.245, 0.01);
    EXPECT_GT(std::hypot(places[9][0], places[9][2]), 1.2); // it hung at 0.8
}

// Cloth, ropes, joints and bodies go on from a checkpoint bit for bit, and threads change nothing.
TEST(RopeBridge, ResumesBitForBit)
{
    for (const char* scene : {"rope_bridge", "flag"}) {
        const std::string name = scene, file = "particles/" + name + ".floe.json",
                          small = std::string(kSmallPictures) +
                                  (name == "flag" ? " --set flag.spacing=0.08" : "");
        const GraphRun whole(file, "--end 20 --threads 2 --checkpoint-every 4" + small);
        ASSERT_EQ(whole.finished().code, 0) << whole.finished().output;
        const std::string folder = (whole.output() / "again").string();
        const std::string again = "run " + std::string(FLOE_SOURCE_DIR) + "/graphs/" + file +
                                  " --progress quiet --cache --output " + folder +
                                  test::onDevice() + " --threads 1 --checkpoint-every 4" + small;
        test::Finished finished = test::runFloe(again + " --end 14");
        ASSERT_EQ(finished.code, 0) << finished.output;
        finished = test::runFloe(again + " --end 20 --resume");
        ASSERT_EQ(finished.code, 0) << finished.output;
        const char* last = "cache/solver.mesh.0020.floe";
        const std::string expected = bytesOf(whole.output() / last);
        ASSERT_GT(expected.size(), 1000u) << name;
        EXPECT_TRUE(bytesOf(std::filesystem::path(folder) / last) == expected) << name;
    }
}

} // namespace floe
