// The scenes of graphs/gaussians, run by the real program: what must be true of the files it
// writes.
#include "files/file.hpp"
#include "run_graph.hpp"

#include "floe/io/image.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace floe {
namespace {

using gaussians::GaussianSet;
using test::GraphRun;

GaussianSet written(const GraphRun& run, int frame)
{
    char name[64];
    std::snprintf(name, sizeof name, "gaussians/jelly_knot.%04d.ply", frame);
    GaussianSet set = gaussians::readGaussians((run.output() / name).string(), [] {}).set;
    EXPECT_EQ(gaussians::removeUnusable(set), 0u) << "frame " << frame;
    return set;
}

struct Extent {
    double low = 1e300, high = -1e300, mean = 0;
};

/// @param sign  -1: files have y and z the other way round
Extent extentOf(const GaussianSet& set, std::size_t axis, double sign)
{
    Extent extent;
    for (std::size_t i = 0; i < set.count(); ++i) {
        const double x = sign * set.x[3 * i + axis];
        extent.low = std::min(extent.low, x);
        extent.high = std::max(extent.high, x);
        extent.mean += x / static_cast<double>(set.count());
    }
    return extent;
}

/// Share of the pixels that are clearly red: the knot's.
double redShare(const std::filesystem::path& path)
{
    const io::LoadedImage image = io::readPng(path);
    const auto channels = static_cast<std::size_t>(image.channels);
    std::size_t red = 0;
    for (std::size_t i = 0; i < image.samples.size(); i += channels)
        red += image.samples[i] > image.samples[i + 2] + 0.2f;
    return static_cast<double>(red * channels) / static_cast<double>(image.samples.size());
}

TEST(JellyKnot, FallsOntoThePostAndStaysOneBody)
{
    const GraphRun run("gaussians/jelly_knot.floe.json",
                       "--set solver.cellSize=0.045 --set gaussians.count=6000 --end 25 "
                       "--set render.width=160 --set render.height=90 --set render.every=24 "
                       "--set render.movie=false");
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const GaussianSet first = written(run, 1), last = written(run, 25);
    EXPECT_EQ(first.count(), 6000u);
    EXPECT_EQ(last.count(), 6000u);

    // It hangs at 1 m; free fall from there takes less than half a second. A second after the start
    // it lies around the post, in a layer or two of its tube, 0.1 m thick.
    EXPECT_NEAR(extentOf(first, 1, -1).mean, 1.0, 0.05);
    const Extent height = extentOf(last, 1, -1);
    EXPECT_LT(height.mean, 0.3);
    EXPECT_GT(height.low, -0.045); // the ground, at 0, holds it to within a cell
    // Filled with jelly it keeps its size: it neither collapses nor flies apart.
    const Extent width = extentOf(last, 0, 1), before = extentOf(first, 0, 1);
    EXPECT_NEAR(width.high - width.low, before.high - before.low, 0.4 * (before.high - before.low));

    // Ellipsoids follow: a soft body's stretches stay moderate, and their volumes near those at
    // rest.
    double ratio = 0;
    for (std::size_t i = 0; i < last.count(); ++i) {
        double now = 1, then = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            now *= last.scale[3 * i + axis];
            then *= first.scale[3 * i + axis];
        }
        ratio += now / then / static_cast<double>(last.count());
    }
    EXPECT_NEAR(ratio, 1, 0.25);

    // The picture shows it where it is.
    EXPECT_GT(redShare(run.output() / "images/jelly_knot.0001.png"), 0.02);
    EXPECT_GT(redShare(run.output() / "images/jelly_knot.0025.png"), 0.02);
}

constexpr const char* kNoPictures = " --set render.every=1000 --set render.width=64 "
                                    "--set render.height=36 --set render.movie=false";

/// Share of particles above a height.
double above(const test::Frame& frame, double height)
{
    std::size_t number = 0;
    for (std::size_t i = 0; i < frame.count(); ++i)
        number += frame.position(i)[1] > height;
    return static_cast<double>(number) / static_cast<double>(frame.count());
}

// Filled and turned to sand, an arch of 0.7 m becomes a heap no steeper than sand is.
TEST(SandArch, BecomesAHeap)
{
    const GraphRun run("gaussians/sand_arch.floe.json",
                       std::string("--set solver.cellSize=0.07 --set gaussians.count=6000 "
                                   "--set fill.cell=0.035 --end 24") +
                           kNoPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const auto first = run.frame("solver", 1), last = run.frame("solver", 24);
    ASSERT_TRUE(last.allFinite());
    EXPECT_EQ(first.count(), last.count());
    EXPECT_GT(first.count(), 8000u) << "6000 on the surface, and an inside";
    EXPECT_GT(above(first, 0.5), 0.3);
    EXPECT_LT(above(last, 0.5), 0.02);
    // 1.1 by 0.36 m of sand flow out on all sides, and not far.
    const auto width = last.extent(2), before = first.extent(2);
    EXPECT_GT(width[1] - width[0], 1.5 * (before[1] - before[0]));
    EXPECT_LT(width[1] - width[0], 2);
    EXPECT_GT(last.extent(1)[0], -0.07); // the ground, at 0, holds it to within a cell
}

// Pulled apart to three times its length, a loaf parts: its ends are far from each other, and
// matter between them is missing somewhere.
TEST(TornLoaf, Parts)
{
    const GraphRun run("gaussians/torn_loaf.floe.json",
                       std::string("--set solver.cellSize=0.06 --set gaussians.count=4000 "
                                   "--set fill.cell=0.03 --end 72") +
                           kNoPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const auto last = run.frame("solver", 72);
    ASSERT_TRUE(last.allFinite());
    const auto reach = last.extent(0);
    EXPECT_NEAR(reach[1] - reach[0], 0.9 + 2 * 1.08 * 71 / 72, 0.15); // held ends
    std::vector<double> places;
    for (std::size_t i = 0; i < last.count(); ++i)
        places.push_back(last.position(i)[0]);
    std::sort(places.begin(), places.end());
    double gap = 0;
    for (std::size_t i = 1; i < places.size(); ++i)
        gap = std::max(gap, places[i] - places[i - 1]);
    EXPECT_GT(gap, 0.06) << "wider than a cell: nothing pulls across it";
}

/// Gaussians of one body on a frame: the output of a node that follows.
struct Follower {
    test::Frame frame;
    std::span<const float> scale() const { return frame.particles().get<float>("scale", 3); }
    double distance(std::size_t i, std::size_t k) const
    {
        const auto a = frame.position(i), b = frame.position(k);
        return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    }
};

Follower follower(const GraphRun& run, const char* node, int frame)
{
    char name[64];
    std::snprintf(name, sizeof name, "cache/%s.gaussians.%04d.floe", node, frame);
    return {test::Frame(run.output() / name)};
}

/// Positions of particles by their numbers: those of one material, in the order of emitters.
std::map<std::uint64_t, std::array<double, 3>> bodyAt(const GraphRun& run, int frame,
                                                      std::uint32_t material = 0)
{
    const test::Frame now = run.frame("solver", frame);
    const auto ids = now.particles().get<std::uint64_t>("id", 1);
    const auto materials = now.particles().get<std::uint32_t>("material", 1);
    std::map<std::uint64_t, std::array<double, 3>> body;
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (materials.empty() ? material == 0 : materials[i] == material) {
            const auto x = now.position(i);
            body[ids[i]] = {x[0], x[1], x[2]};
        }
    EXPECT_FALSE(body.empty());
    return body;
}

/// Mean x of what is above a height on the first frame.
double topAt(const GraphRun& run, int frame, double height)
{
    const auto first = bodyAt(run, 1), now = bodyAt(run, frame);
    EXPECT_EQ(first.size(), now.size());
    double sum = 0, number = 0;
    for (const auto& [id, x] : first)
        if (x[1] > height) {
            sum += now.at(id)[0];
            ++number;
        }
    return sum / number;
}

// A sign that is pushed aside stays there: it swings about where it yielded to, and not about where
// it stood. As jelly it swings back to that.
TEST(BentSign, StaysBent)
{
    const std::string small = std::string("--set solver.cellSize=0.06 --set gaussians.count=4000 "
                                          "--set fill.cell=0.03 --end 48") +
                              kNoPictures;
    const GraphRun metal("gaussians/bent_sign.floe.json", small);
    ASSERT_EQ(metal.finished().code, 0) << metal.finished().output;
    EXPECT_NEAR(topAt(metal, 1, 0.8), 0, 0.02);
    const GraphRun jelly("gaussians/bent_sign.floe.json",
                         small + " --set metal.law=fixedCorotated");
    ASSERT_EQ(jelly.finished().code, 0) << jelly.finished().output;
    double least = 1, back = 1;
    for (int frame = 34; frame <= 48; frame += 2) { // the ball has gone
        least = std::min(least, topAt(metal, frame, 0.8));
        back = std::min(back, topAt(jelly, frame, 0.8));
    }
    EXPECT_GT(least, 0.25) << "of the 0.6 m that it was pushed";
    EXPECT_LT(back, 0.15);
}

struct Spread {
    std::array<double, 3> middle{};
    double size = 0; ///< mean distance from there
    double low = 1e300, high = -1e300, width = 0;
};

Spread spreadOf(const std::map<std::uint64_t, std::array<double, 3>>& body)
{
    Spread spread;
    const auto number = static_cast<double>(body.size());
    double left = 1e300, right = -1e300;
    for (const auto& [id, x] : body) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            spread.middle[axis] += x[axis] / number;
        spread.low = std::min(spread.low, x[1]);
        spread.high = std::max(spread.high, x[1]);
        left = std::min(left, x[0]);
        right = std::max(right, x[0]);
    }
    spread.width = right - left;
    const auto& m = spread.middle;
    for (const auto& [id, x] : body)
        spread.size += std::hypot(x[0] - m[0], x[1] - m[1], x[2] - m[2]) / number;
    return spread;
}

// Three soft things meet in the air: each is turned out of its way, comes to lie on the ground, and
// is as large as before.
TEST(SoftCollision, NobodyPassesThroughAnother)
{
    std::string small = "--set solver.cellSize=0.06 --end 40";
    for (const char* name : {"ring", "ball", "block"})
        small += " --set " + std::string(name) + "_gaussians.count=2500 --set " + name +
                 "_fill.cell=0.03";
    const GraphRun run("gaussians/soft_collision.floe.json", small + kNoPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const double flown = 2.4 * 39 / 24; // by the ring and the ball, unhindered [m]
    for (std::uint32_t thing = 0; thing < 3; ++thing) {
        SCOPED_TRACE(thing);
        const Spread first = spreadOf(bodyAt(run, 1, thing)),
                     last = spreadOf(bodyAt(run, 40, thing));
        EXPECT_LT(std::abs(last.middle[0] - first.middle[0]), 0.5 * flown);
        EXPECT_LT(last.middle[1], 0.45); // on the ground, or at most on another
        EXPECT_GT(last.low, -0.06);      // a cell
        EXPECT_NEAR(last.size / first.size, 1, 0.15);
    }
}

// An attribute parts a cake into layers of two materials: pressed to half its height, the paste
// comes out and stays out when the press has gone up again.
TEST(PressedCake, CreamComesOut)
{
    const GraphRun run("gaussians/pressed_cake.floe.json",
                       std::string("--set solver.cellSize=0.06 --set gaussians.count=5000 "
                                   "--set fill.cell=0.03 --end 44") +
                           kNoPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    constexpr double kLayer = 0.085;
    for (const auto& [id, x] : bodyAt(run, 1, 0)) // those of cream, on the first frame
        ASSERT_EQ(static_cast<int>(std::floor(x[1] / kLayer + 1e-4)) % 2, 1) << x[1];
    const Spread first = spreadOf(bodyAt(run, 1, 0)), last = spreadOf(bodyAt(run, 44, 0));
    EXPECT_NEAR(first.width, 0.72, 0.03);
    EXPECT_GT(last.width, 1.25 * first.width);
    EXPECT_LT(last.high, 0.26); // of 0.34
}

// Each set moves with its own body: rigid ones as a whole, the soft one nearly so; all come to lie
// on the ground.
TEST(TumblingBodies, CarryTheirGaussians)
{
    const GraphRun run("gaussians/tumbling_bodies.floe.json",
                       std::string("--set crate_gaussians.count=2000 --set "
                                   "ring_gaussians.count=2000 --set ball_gaussians.count=2000 "
                                   "--end 40") +
                           kNoPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const struct {
        const char* node;
        double stretch; // single precision, fitted to a dozen particles; the ball is soft
    } bodies[] = {{"crate_follows", 1e-3}, {"ring_follows", 1e-3}, {"ball_follows", 0.3}};
    for (const auto& [node, stretch] : bodies) {
        SCOPED_TRACE(node);
        const Follower first = follower(run, node, 1), last = follower(run, node, 40);
        ASSERT_EQ(last.frame.count(), 2000u);
        ASSERT_TRUE(last.frame.allFinite());
        EXPECT_LT(last.frame.meanPosition()[1], first.frame.meanPosition()[1] - 0.3);
        EXPECT_GT(last.frame.extent(1)[0], -0.04);
        for (std::size_t i = 0; i < 1000; ++i) {
            const double before = first.distance(i, 1999 - i);
            EXPECT_NEAR(last.distance(i, 1999 - i), before, stretch * (before + 0.05));
        }
        double widest = 0, was = 0;
        for (const float scale : last.scale())
            widest = std::max<double>(widest, scale);
        for (const float scale : first.scale())
            was = std::max<double>(was, scale);
        EXPECT_NEAR(widest, was, (2 * stretch + 1e-3) * was);
    }
    const Follower start = follower(run, "crate_follows", 1),
                   end = follower(run, "crate_follows", 40);
    double turned = 0; // the crate, begun on an edge, has come to lie on a face
    const auto before = start.frame.particles().get<float>("rotation", 4),
               after = end.frame.particles().get<float>("rotation", 4);
    for (std::size_t k = 0; k < 4; ++k)
        turned += before[k] * after[k];
    EXPECT_LT(std::abs(turned), 0.999);
}

} // namespace
} // namespace floe
