// The six scenes of graphs/activation, as small as they go, for their first frames: what sleeps
// lies still, what is hit wakes, and nothing is lost.
#include "run_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace floe {
namespace {

using test::Frame;
using test::GraphRun;
using Point = std::array<double, 3>;

constexpr const char* kWithoutPictures =
    " --set render.every=100000 --set states.every=100000 --set export.every=100000 "
    "--checkpoint-every 0";

/// A finished run of graphs/activation/NAME.floe.json.
class Scene {
public:
    Scene(const std::string& name, double cellSize, int end, const std::string& options = {})
        : run_("activation/" + name + ".floe.json",
               "--set solver.cellSize=" + std::to_string(cellSize) + " --end " +
                   std::to_string(end) + kWithoutPictures + options),
          end_(end)
    {
        EXPECT_EQ(run_.finished().code, 0) << run_.finished().output;
        if (!ok())
            return;
        report_ = run_.report();
        EXPECT_TRUE(last().allFinite());
        EXPECT_EQ(of(end, "emitted"), static_cast<double>(last().count()) + of(end, "leftDomain") +
                                          of(end, "deletedByCollider"));
        EXPECT_LT(of(end, "leftDomain"), 0.01 * of(end, "emitted"));
    }
    bool ok() const { return run_.finished().code == 0; }
    Frame frame(int number) const { return run_.frame("solver", number); }
    Frame last() const { return frame(end_); }
    bool hasFile(const std::string& name) const
    {
        return std::filesystem::exists(run_.output() / name);
    }
    /// A number of run.json.
    double of(int number, const char* statistic, const char* node = "solver") const
    {
        for (const Json& frame : report_["frames"])
            if (frame["frame"].get<double>() == number)
                return frame["nodes"][node][statistic].get<double>();
        ADD_FAILURE() << "no frame " << number;
        return 0;
    }

private:
    GraphRun run_;
    int end_;
    Json report_;
};

/// How far each particle of `to` is from where it was in `from`, where `chosen(position before)`.
template <class Chosen>
std::vector<double> ways(const Frame& from, const Frame& to, Chosen&& chosen)
{
    std::map<std::uint64_t, std::size_t> before;
    const auto ids = from.particles().get<std::uint64_t>("id", 1);
    for (std::size_t i = 0; i < from.count(); ++i)
        before[ids[i]] = i;
    std::vector<double> result;
    const auto now = to.particles().get<std::uint64_t>("id", 1);
    for (std::size_t i = 0; i < to.count(); ++i) {
        const Point a = from.position(before.at(now[i])), b = to.position(i);
        if (chosen(a))
            result.push_back(std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]));
    }
    std::sort(result.begin(), result.end());
    return result;
}
double most(const std::vector<double>& ways)
{
    return ways.empty() ? NAN : ways.back();
}
bool all(const Point&)
{
    return true;
}
template <class Chosen>
double count(const Frame& frame, Chosen&& chosen)
{
    double n = 0;
    for (std::size_t i = 0; i < frame.count(); ++i)
        n += chosen(frame.position(i));
    return n;
}

TEST(ShipBreach, SnowSleepsUntilTheShipRises)
{
    const Scene scene("ship_breach", 1.3, 52);
    ASSERT_TRUE(scene.ok());
    // It lifts off at frame 24.
    EXPECT_EQ(scene.of(23, "activeShare"), 0);
    EXPECT_EQ(most(ways(scene.frame(1), scene.frame(23), all)), 0);
    EXPECT_GT(scene.of(40, "activeShare"), 0.1);
    // By frame 52 it has come up 0.7 m with the snow that lies on its outer deck, half a metre
    // thick; within half a cell, and what slid off moved less.
    const auto onDeck = [](const Point& p) {
        const double r = std::hypot(p[0], p[2]);
        return r > 7 && r < 11 && p[1] > 2.75;
    };
    const auto lifted = ways(scene.frame(1), scene.last(), onDeck);
    ASSERT_GT(lifted.size(), 20u);
    EXPECT_NEAR(lifted[lifted.size() / 2], 0.7, 0.6);
    EXPECT_GT(lifted[lifted.size() / 2], 0.2);
}

TEST(BulletTime, TheMelonWakesWhereItIsHit)
{
    const Scene scene("bullet_time", 0.009, 60);
    ASSERT_TRUE(scene.ok());
    EXPECT_LT(scene.of(6, "activeShare"), 0.2); // where it touches the board
    EXPECT_GT(scene.of(50, "activeShare"), 0.5);
    // The bullet comes along +x: it hands on momentum that way, and drives some of the melon (7.4
    // cm in radius) out of the far side.
    const auto outside = [](const Point& p) {
        return p[0] > 0.08;
    };
    EXPECT_EQ(count(scene.frame(6), outside), 0);
    EXPECT_GT(count(scene.last(), outside), 5);
    EXPECT_GT(scene.last().meanVelocity()[0], 0.5);
    EXPECT_LT(scene.last().meanVelocity()[0], 100); // the bullet's own
}

TEST(TrainPush, ClearsTheTrackAndLeavesTheRestAsleep)
{
    constexpr double kCell = 0.5;
    const Scene scene("train_push", kCell, 42,
                      " --set sleepers.count=40 --set banks_shape.octaves=1");
    ASSERT_TRUE(scene.ok());
    const Frame first = scene.frame(1), last = scene.last();
    // At 12 m/s the prow has come to z = -24.
    const auto track = [](const Point& p) {
        return std::fabs(p[0]) < 1.2 && p[1] > 0.35 && p[2] > -38 && p[2] < -29;
    };
    EXPECT_LT(count(last, track), 0.35 * count(first, track));
    // The stretch ahead lies as it lay, to a twentieth of a cell.
    EXPECT_LT(most(ways(first, last, [](const Point& p) { return p[2] > 5 && p[2] < 38; })),
              0.05 * kCell);
    EXPECT_GT(scene.of(42, "activeShare"), 0.02);
    EXPECT_LT(scene.of(42, "activeShare"), 0.7);
}

TEST(Avalanche, SlidesDownTheSlope)
{
    const Scene scene("avalanche", 3, 36,
                      " --set spray.minimumStretch=0.01 --set spray.rate=100 "
                      "--set spray.minimumSpeed=1 --set states.every=35 --set states.width=64 "
                      "--set states.height=48 --set states.colorBy=J");
    ASSERT_TRUE(scene.ok());
    EXPECT_GT(scene.of(36, "activeShare"), 0.99); // started at 1 m/s, so all of it is active
    // Without friction, 1 m/s * t + g sin 35 t^2 / 2 = 7.4 m in 35 frames; with the slope's
    // friction of 0.4 and no patches, 4.0 m. The patches and ridges hold some of it.
    const double way = scene.last().meanPosition()[2] - scene.frame(1).meanPosition()[2];
    EXPECT_GT(way, 1);
    EXPECT_LT(way, 4.4);
    EXPECT_GT(scene.of(36, "particles", "spray"), 0);
    // Spray has no volume ratio to be coloured by, and does not keep the snow from being.
    EXPECT_TRUE(scene.hasFile("states/avalanche.0036.png"));
}

// A slope held by obstacles that the grid does not resolve would creep for ever.
TEST(Avalanche, RunsOutAndComesToRest)
{
    constexpr int kEnd = 480;
    test::TemporaryFolder folder;
    const auto finished = test::runFloe(
        "run " + std::string(FLOE_SOURCE_DIR) + "/graphs/activation/avalanche.floe.json" +
        " --output " + (folder / "out").string() + " --progress quiet --set solver.cellSize=2.5" +
        " --end " + std::to_string(kEnd) + kWithoutPictures + test::onDevice());
    ASSERT_EQ(finished.code, 0) << finished.output;
    const Json frames = loadJson(folder / "out" / "run.json")["frames"];
    ASSERT_EQ(frames.size(), static_cast<std::size_t>(kEnd));
    const auto of = [&](std::size_t frame, const char* statistic) {
        return frames[frame - 1]["nodes"]["solver"][statistic].get<double>();
    };
    // Half way through its run-out, 5 s after it broke off, nothing rests. With the slope's
    // friction alone it covers the 100 m to the bottom in 9 s, and stops there within as many more.
    EXPECT_GT(of(120, "activeShare"), 0.95);
    EXPECT_LT(of(kEnd, "activeShare"), 0.3);
    EXPECT_LT(of(kEnd, "leftDomain"), 0.02 * of(kEnd, "emitted"));
}

TEST(RallyDrift, TheCarLeavesTracksAndTheFieldLiesStill)
{
    constexpr double kCell = 0.3;
    const Scene scene("rally_drift", kCell, 44);
    ASSERT_TRUE(scene.ok());
    const Frame first = scene.frame(1), last = scene.last();
    EXPECT_EQ(scene.of(1, "activeShare"), 0);
    EXPECT_GT(scene.of(40, "activeShare"), 0.02);
    // The car has come round the bend to x = 4: its way is ploughed, the field beyond is not.
    const auto way = ways(first, last, [](const Point& p) {
        return p[0] > -4 && p[0] < 2 && p[2] > -0.5 && p[2] < 2.5;
    });
    EXPECT_GT(way[way.size() * 9 / 10], 0.1);
    const auto field = ways(
        first, last, [](const Point& p) { return p[0] > 9 && p[0] < 12 && std::fabs(p[2]) < 1.5; });
    EXPECT_LT(field[field.size() * 9 / 10], kCell / 3);
    // And mud flies: all of it lay below 0.75 m, thicker layers of a coarse grid included.
    const auto high = [](const Point& p) {
        return p[1] > 1;
    };
    EXPECT_EQ(count(first, high), 0);
    EXPECT_GT(count(last, high) + count(scene.frame(36), high), 0);
}

TEST(GlacierCollapse, IceFallsIntoTheSeaAndWakesIt)
{
    const Scene scene("glacier_collapse", 6, 50);
    ASSERT_TRUE(scene.ok());
    const auto meanHeight = [](const Frame& frame) {
        std::array<double, 2> sum{}, count{};
        const auto material = frame.particles().get<std::uint32_t>("material", 1);
        for (std::size_t i = 0; i < frame.count(); ++i) {
            sum[material[i]] += frame.position(i)[1];
            ++count[material[i]];
        }
        return std::array{sum[0] / count[0], sum[1] / count[1]}; // ice, sea
    };
    const auto before = meanHeight(scene.frame(1)), after = meanHeight(scene.last());
    // 2 s after it broke off, it has fallen from 10 m above the sea until that carries it.
    EXPECT_LT(after[0], before[0] - 5);
    // What it displaces rises, and no sea is lost through its bed.
    EXPECT_GT(after[1], before[1] - 0.5);
    EXPECT_LT(scene.of(1, "activeShare"), 0.4); // the ice alone
    EXPECT_GT(scene.of(50, "activeShare"), 0.5);
}

// Secondary particles are part of a solver's state: a run that was interrupted goes on with the
// same droplets, bit for bit.
TEST(Spray, ResumesBitForBit)
{
    test::TemporaryFolder folder;
    const auto run = [&](const char* name, int end, const char* more) {
        const auto finished = test::runFloe(
            "run " + std::string(FLOE_SOURCE_DIR) + "/graphs/activation/avalanche.floe.json" +
            " --output " + (folder / name).string() + " --progress quiet --cache" +
            " --set solver.cellSize=4 --set spray.minimumStretch=0.01 --set spray.rate=100" +
            " --set spray.minimumSpeed=0.2 --set spray.fullSpeed=1 --set render.every=100000 --set "
            "states.every=100000" +
            " --set export.every=100000 --set export_spray.every=100000 --end " +
            std::to_string(end) + more + test::onDevice());
        EXPECT_EQ(finished.code, 0) << finished.output;
    };
    run("whole", 24, " --checkpoint-every 0");
    run("parts", 16, " --checkpoint-every 16");
    run("parts", 24, " --resume");
    const auto bytes = [&](const char* name) {
        std::ifstream file(folder / name / "cache" / "spray.particles.0024.floe", std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_GT(Frame(folder / "whole" / "cache" / "spray.particles.0024.floe").count(), 100u);
    EXPECT_TRUE(bytes("whole") == bytes("parts"));
}

} // namespace
} // namespace floe
