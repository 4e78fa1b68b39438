// The scene of graphs/gaussians, run by the real program: what must be true of the files it writes.
#include "files/file.hpp"
#include "run_graph.hpp"

#include "floe/io/image.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

} // namespace
} // namespace floe
