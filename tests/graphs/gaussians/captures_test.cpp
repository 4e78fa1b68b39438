// Captures as strangers make them go the whole way, by the real program: read, parted, bounded,
// filled, simulated, deformed, drawn and written.
#include "files/file.hpp"
#include "run_graph.hpp"

#include "floe/io/image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace floe {
namespace {

using ::testing::HasSubstr;

constexpr int kBall = 600; // Gaussians of a sound capture
constexpr std::array kAll = {"ply", "spz", "splat", "glb"};

using Row = std::map<std::string, double>;

/// A red ball of 0.25 m at a height of 0.5 m, as files have it: y points down.
Row rowOf(int i)
{
    const double z = 2 * (i + 0.5) / kBall - 1, angle = 2.399963 * i, side = std::sqrt(1 - z * z);
    const double x = side * std::cos(angle), y = side * std::sin(angle);
    const double width = std::log(0.25 * std::sqrt(4 * 3.14159265 / kBall));
    const double size = std::sqrt(z * z + x * x + (1 + y) * (1 + y)); // turns y outwards
    return {{"x", 0.25 * x},
            {"y", 0.25 * y - 0.5},
            {"z", 0.25 * z},
            {"f_dc_0", 1.4},
            {"f_dc_1", -1},
            {"f_dc_2", -1},
            {"opacity", 4},
            {"scale_0", width},
            {"scale_1", -6},
            {"scale_2", width},
            {"rot_0", (1 + y) / size},
            {"rot_1", z / size},
            {"rot_2", 0},
            {"rot_3", -x / size}};
}

/// Doubles, the properties in reverse, lines that end as on Windows, and faces after them.
std::string fileOf(const std::vector<Row>& rows)
{
    std::string text =
        "ply\r\nformat binary_little_endian 1.0\r\ncomment by hand\r\nelement vertex " +
        std::to_string(rows.size()) + "\r\n";
    const Row names = rowOf(0);
    for (auto name = names.rbegin(); name != names.rend(); ++name)
        text += "property double " + name->first + "\r\n";
    text += "element face 1\r\nproperty list uchar int vertex_indices\r\nend_header\r\n";
    for (const Row& row : rows)
        for (auto value = row.rbegin(); value != row.rend(); ++value)
            text.append(reinterpret_cast<const char*>(&value->second), sizeof(double));
    return text + '\0';
}

class Captures : public ::testing::Test {
protected:
    test::Finished run(const std::vector<Row>& rows)
    {
        folder_.file("strange.ply", fileOf(rows));
        Json nodes = {
            {"capture",
             {{"type", "floe.gaussians.file"}, {"parameters", {{"path", "strange.ply"}}}}},
            {"part", {{"type", "floe.gaussians.select"}, {"parameters", {{"size", {4, 4, 4}}}}}},
            {"spikes", {{"type", "floe.gaussians.spikes"}}},
            {"fill", {{"type", "floe.gaussians.fill"}, {"parameters", {{"cell", 0.04}}}}},
            {"jelly", {{"type", "floe.material"}, {"parameters", {{"youngModulus", 20000}}}}},
            {"source", {{"type", "floe.gaussians.emitter"}}},
            {"solver",
             {{"type", "floe.mpm.solver"},
              {"parameters", {{"cellSize", 0.05}, {"outputDeformation", true}}}}},
            {"deform", {{"type", "floe.gaussians.deform"}}},
            {"camera",
             {{"type", "floe.camera"},
              {"parameters", {{"eye", {0, 0.5, 2}}, {"target", {0, 0.5, 0}}}}}},
            {"render",
             {{"type", "floe.output.render"},
              {"parameters", {{"path", "a.%04d.png"}, {"width", 96}, {"height", 54}}}}}};
        Json links = Json::array();
        const auto link = [&](const std::string& from, const std::string& to) {
            links.push_back({{"from", from}, {"to", to}});
        };
        link("capture.gaussians", "part.gaussians");
        link("part.selected", "spikes.gaussians");
        link("spikes.gaussians", "fill.gaussians");
        link("fill.gaussians", "source.gaussians");
        link("jelly.material", "source.material");
        link("source.emitter", "solver.emitters");
        link("fill.gaussians", "deform.gaussians");
        link("solver.particles", "deform.particles");
        link("deform.gaussians", "render.particles");
        link("part.rest", "render.particles");
        link("camera.camera", "render.camera");
        for (const std::string kind : kAll) {
            nodes["write_" + kind] = {{"type", "floe.gaussians.write"},
                                      {"parameters", {{"path", "a.%04d." + kind}}}};
            link("deform.gaussians", "write_" + kind + ".gaussians");
        }
        const Json graph = {{"floe", 1},
                            {"range", {{"start", 1}, {"end", 3}, {"fps", 24}}},
                            {"nodes", nodes},
                            {"links", links}};
        const auto path = folder_.file("strange.floe.json", graph.dump());
        return test::runFloe("run " + path.string() + " --progress quiet --output " +
                             (folder_ / "out").string() + test::onDevice());
    }
    /// What was written of the last frame. @param kind  ply, spz or splat
    gaussians::GaussianSet written(const std::string& kind)
    {
        return gaussians::readGaussians((folder_ / ("out/a.0003." + kind)).string(), [] {}).set;
    }

    test::TemporaryFolder folder_;
};

TEST_F(Captures, BrokenInEveryWayStillFall)
{
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<std::function<void(Row&)>> faults = {
        [](Row& row) { row["x"] = kNan; },
        [](Row& row) { row["y"] = -std::numeric_limits<double>::infinity(); },
        [](Row& row) { row["scale_1"] = 800; }, // beyond all numbers
        [](Row& row) { row["rot_0"] = row["rot_1"] = row["rot_3"] = 0; },
        [](Row& row) { row["opacity"] = kNan; },
        [](Row& row) { row["f_dc_1"] = 1e30; }, // five that are left out, and one more
        [](Row& row) { row["opacity"] = -60; }, // nothing to see
        [](Row& row) { row["opacity"] = 1e300; },
        [](Row& row) { row["scale_0"] = row["scale_1"] = row["scale_2"] = -300; }, // a point
        [](Row& row) { row["scale_0"] = 5; },                                      // 148 m long
        [](Row& row) { row["scale_2"] = 13; }, // as long as a country
        [](Row& row) { row["z"] = 9e6; },
        [](Row& row) {
            for (const char* part : {"rot_0", "rot_1", "rot_3"})
                row[part] *= -1e4;
        }};
    constexpr int kLeftOut = 6;
    std::vector<Row> rows;
    for (int i = 0; i < kBall; ++i)
        rows.push_back(rowOf(i));
    for (std::size_t i = 0; i < faults.size(); ++i) {
        rows.push_back(rowOf(static_cast<int>(40 * i)));
        faults[i](rows.back());
    }
    const test::Finished finished = run(rows);
    ASSERT_EQ(finished.code, 0) << finished.output;
    EXPECT_THAT(finished.output,
                HasSubstr(std::to_string(kLeftOut) + " of " + std::to_string(rows.size()) +
                          " Gaussians are left out"));
    for (const std::string kind : {"ply", "spz", "splat"}) {
        SCOPED_TRACE(kind);
        gaussians::GaussianSet set = written(kind);
        EXPECT_GE(set.count(), static_cast<std::size_t>(kBall));
        EXPECT_EQ(gaussians::removeUnusable(set), 0u);
        double mean = 0;
        for (std::size_t i = 0; i < set.count(); ++i)
            mean += (kind == "spz" ? 1 : -1) * set.x[3 * i + 1] / static_cast<double>(set.count());
        EXPECT_NEAR(mean, 0.5 - 0.5 * 9.81 / 144, 0.05); // two frames of free fall
    }
    EXPECT_GT(std::filesystem::file_size(folder_ / "out/a.0003.glb"), 20000u);
    const io::LoadedImage image = io::readPng(folder_ / "out/a.0003.png");
    const std::size_t middle = static_cast<std::size_t>(image.channels) *
                               (27 * 96 + 48); // the ball is before all that is long
    EXPECT_GT(image.samples[middle], image.samples[middle + 2] + 0.3f);
}

TEST_F(Captures, OfOneGaussianOrNone)
{
    const test::Finished one = run({rowOf(0)});
    ASSERT_EQ(one.code, 0) << one.output;
    EXPECT_EQ(written("ply").count(), 1u);
    EXPECT_EQ(written("spz").count(), 1u);
    const test::Finished none = run({});
    ASSERT_EQ(none.code, 0) << none.output;
    EXPECT_THAT(none.output, HasSubstr("holds no Gaussians"));
    for (const std::string kind : {"ply", "spz", "splat"})
        EXPECT_EQ(written(kind).count(), 0u) << kind;
}

} // namespace
} // namespace floe
