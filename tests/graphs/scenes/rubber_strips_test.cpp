// Strips of rubber that are pulled to three times their length: one stays whole, the other tears.
#include "run_graph.hpp"

#include "floe/base/file.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

namespace floe {
namespace {

using test::Frame;
using test::GraphRun;
using testing::HasSubstr;

const std::string kScene = std::string(FLOE_SOURCE_DIR) + "/graphs/rubber_strips.floe.json";
const std::string kSmall =
    " --set solver.cellSize=0.03 --set render.every=100 --set render.width=320 "
    "--set render.height=180";
constexpr double kCell = 0.03;

/// One of the two strips, from below.
std::vector<double> heights(const Frame& frame, bool whole)
{
    const auto material = frame.particles().get<std::uint32_t>("material", 1);
    std::vector<double> y;
    for (std::size_t i = 0; i < frame.count(); ++i)
        if ((material[i] == 0) == whole)
            y.push_back(frame.position(i)[1]);
    std::sort(y.begin(), y.end());
    return y;
}

/// The largest distance of two particles along a strip.
double largestGap(const std::vector<double>& y)
{
    double gap = 0;
    for (std::size_t i = 1; i < y.size(); ++i)
        gap = std::max(gap, y[i] - y[i - 1]);
    return gap;
}

/// The scene, changed, in a file of the folder. @return its path
std::string changed(const test::TemporaryFolder& folder, const std::function<void(Json&)>& edit)
{
    Json scene = Json::parse(readFile(kScene));
    edit(scene);
    const std::string path = (folder / "changed.floe.json").string();
    writeFileAtomically(path, scene.dump());
    return path;
}

std::string bytesOf(const std::filesystem::path& path)
{
    return std::filesystem::exists(path) ? readFile(path) : std::string();
}

} // namespace

TEST(RubberStrips, OnlyTheOneThatStaysWholeSpringsBack)
{
    const GraphRun run("rubber_strips.floe.json", kSmall);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1), pulled = run.frame("solver", 37),
                last = run.frame("solver", 73);
    EXPECT_EQ(last.count(), first.count());
    EXPECT_TRUE(last.allFinite());
    // Particles are half a cell apart, and one and a half where they are pulled.
    EXPECT_LT(largestGap(heights(pulled, true)), 2.5 * kCell);
    EXPECT_GT(largestGap(heights(pulled, false)), 6 * kCell);
    const std::vector<double> start = heights(first, true), end = heights(last, true);
    for (std::size_t i = 0; i < start.size(); i += start.size() / 10)
        EXPECT_NEAR(end[i], start[i], kCell) << i;
}

TEST(RubberStrips, AreSaidToBeRefusedBeforeTheyRun)
{
    const auto whole = test::runFloe("validate " + kScene);
    EXPECT_EQ(whole.code, 0) << whole.output;
    const auto isImplicit =
        test::runFloe("validate " + kScene + " --set solver.integrator=semiImplicit");
    EXPECT_EQ(isImplicit.code, 3);
    EXPECT_THAT(
        isImplicit.output,
        HasSubstr("the material 'whole_rubber' stays whole, which the semi-implicit integrator "
                  "does not know, choose the explicit integrator, or let 'whole_rubber' tear"));
    EXPECT_THAT(isImplicit.output, testing::Not(HasSubstr("torn_rubber")));
    const test::TemporaryFolder folder;
    const std::string path = changed(folder, [](Json& scene) {
        scene["nodes"]["sleep"] = {{"type", "floe.activation.threshold"}};
        scene["links"].push_back({{"from", "sleep.activation"}, {"to", "solver.activation"}});
    });
    const auto sleeps = test::runFloe("validate " + path);
    EXPECT_EQ(sleeps.code, 3);
    EXPECT_THAT(sleeps.output, HasSubstr("'whole_rubber' stays whole, which knows no sleep"));
    const auto run = test::runFloe("run " + path + " --output " + (folder / "out").string());
    EXPECT_EQ(run.code, 3) << run.output;
    const auto tears = test::runFloe("validate " + path + " --set whole_rubber.staysWhole=false");
    EXPECT_EQ(tears.code, 0) << tears.output;
    const auto bodies = test::runFloe("validate " + path +
                                      " --set whole_rubber.staysWhole=false "
                                      "--set solver.bodies=emitters");
    EXPECT_EQ(bodies.code, 3);
    EXPECT_THAT(bodies.output,
                HasSubstr("bodies that meet know no sleep, unlink input 'activation'"));
}

// What is stretched, and where nodes at rest are held, goes on from a checkpoint bit for bit.
TEST(RubberStrips, ResumeBitForBit)
{
    const GraphRun whole("rubber_strips.floe.json",
                         "--threads 2 --end 26 --checkpoint-every 6" + kSmall);
    ASSERT_EQ(whole.finished().code, 0) << whole.finished().output;
    const std::filesystem::path again = whole.output() / "again";
    for (const std::string part : {" --end 20", " --resume --end 26"}) {
        const auto run = test::runFloe("run " + kScene + " --output " + again.string() +
                                       " --progress quiet --cache --threads 1 --device cpu "
                                       "--checkpoint-every 6" +
                                       kSmall + part);
        ASSERT_EQ(run.code, 0) << run.output;
    }
    for (const int frame : {20, 21, 26}) {
        const std::string name = "cache/solver.particles.00" + std::to_string(frame) + ".floe";
        const std::string expected = bytesOf(whole.output() / name);
        EXPECT_GT(expected.size(), 1000u) << name;
        EXPECT_TRUE(bytesOf(again / name) == expected) << name;
    }
}

} // namespace floe
