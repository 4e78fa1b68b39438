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
    const Scene scene("ship_breach", 1.4, 60);
    ASSERT_TRUE(scene.ok());
    // It lifts off at frame 24.
    EXPECT_EQ(scene.of(23, "activeShare"), 0);
    EXPECT_EQ(most(ways(scene.frame(1), scene.frame(23), all)), 0);
    EXPECT_GT(scene.of(40, "activeShare"), 0.1);
    // By frame 60 it has come up 0.9 m with the snow that lies on it: most of that above the hull,
    // but for what slid off.
    const auto above = [](const Point& p) {
        return std::hypot(p[0], p[2]) < 4 && p[1] > 2.9;
    };
    const auto lifted = ways(scene.frame(1), scene.last(), above);
    ASSERT_GT(lifted.size(), 10u);
    EXPECT_NEAR(lifted[lifted.size() / 2], 0.9, 0.45);
}

TEST(BulletTime, TheMelonWakesWhereItIsHit)
{
    const Scene scene("bullet_time", 0.009, 56);
    ASSERT_TRUE(scene.ok());
    EXPECT_LT(scene.of(6, "activeShare"), 0.1);
    EXPECT_GT(scene.of(50, "activeShare"), 0.5);
    // The bullet comes along +x: it hands on momentum that way, and drives some of the melon (7.4
    // cm in radius) out of the far side.
    EXPECT_EQ(count(scene.frame(6), [](const Point& p) { return p[0] > 0.078; }), 0);
    EXPECT_GT(count(scene.last(), [](const Point& p) { return p[0] > 0.085; }), 10);
    EXPECT_GT(scene.last().meanVelocity()[0], 0.5);
    EXPECT_LT(scene.last().meanVelocity()[0], 100); // the bullet's own
}

TEST(TrainPush, ClearsTheTrackAndLeavesTheRestAsleep)
{
    const Scene scene("train_push", 0.45, 48);
    ASSERT_TRUE(scene.ok());
    const Frame first = scene.frame(1), last = scene.last();
    // At 12 m/s the prow's tip has come to z = -20.6; from -35 to -24 is the train.
    const auto track = [](const Point& p) {
        return std::fabs(p[0]) < 1.2 && p[1] > 0.3 && p[2] > -35 && p[2] < -26;
    };
    EXPECT_LT(count(last, track), 0.35 * count(first, track));
    const auto ahead = [](const Point& p) {
        return p[2] > 5;
    };
    // The stretch ahead was never touched.
    EXPECT_EQ(most(ways(first, last, ahead)), 0);
    EXPECT_GT(scene.of(48, "activeShare"), 0.02);
    EXPECT_LT(scene.of(48, "activeShare"), 0.7);
}

TEST(Avalanche, SlidesDownTheSlope)
{
    const Scene scene("avalanche", 3, 36,
                      " --set spray.minimumStretch=0.01 --set spray.rate=100 "
                      "--set spray.minimumSpeed=1");
    ASSERT_TRUE(scene.ok());
    EXPECT_GT(scene.of(36, "activeShare"), 0.99); // started at 1 m/s, so all of it is awake
    // Without friction, 1 m/s * t + g sin 35 t^2 / 2 = 7.4 m in 35 frames; with the slope's
    // friction of 0.4 and no patches, 4.0 m. The patches and ridges hold some of it.
    const double way = scene.last().meanPosition()[2] - scene.frame(1).meanPosition()[2];
    EXPECT_GT(way, 1);
    EXPECT_LT(way, 4.4);
    EXPECT_GT(scene.of(36, "particles", "spray"), 0);
}

TEST(RallyDrift, TheCarLeavesTracksAndTheFieldSleeps)
{
    const Scene scene("rally_drift", 0.2, 58);
    ASSERT_TRUE(scene.ok());
    const Frame first = scene.frame(1), last = scene.last();
    EXPECT_LT(scene.of(6, "activeShare"), 0.05);
    EXPECT_GT(scene.of(45, "activeShare"), 0.02);
    // The wheels' way near the apex, x from -3 to 3, is ploughed; the far corner, 9 m off, not.
    const auto way = ways(first, last, [](const Point& p) {
        return std::fabs(p[0]) < 3 && p[2] > -0.5 && p[2] < 2.5;
    });
    EXPECT_GT(way[way.size() * 9 / 10], 0.1);
    EXPECT_LT(most(ways(first, last, [](const Point& p) { return p[0] > 5 && p[2] > 2.2; })), 0.05);
    // And mud flew: it lay below 0.6 m.
    EXPECT_EQ(count(first, [](const Point& p) { return p[1] > 0.55; }), 0);
    EXPECT_GT(count(last, [](const Point& p) { return p[1] > 0.6; }) +
                  count(scene.frame(48), [](const Point& p) { return p[1] > 0.6; }),
              0);
}

TEST(GlacierCollapse, IceFallsIntoTheSeaAndWakesIt)
{
    const Scene scene("glacier_collapse", 6, 60);
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
    // 2.5 s after it broke off, it has fallen from 10 m above the sea until that carries it.
    EXPECT_LT(after[0], before[0] - 5);
    // What it displaces rises, and no sea is lost through its bed.
    EXPECT_GT(after[1], before[1] - 0.5);
    EXPECT_LT(scene.of(3, "activeShare"), 0.6);
    EXPECT_GT(scene.of(60, "activeShare"), 0.5);
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
            " --set spray.minimumSpeed=1 --set render.every=100000 --set states.every=100000" +
            " --set export.every=100000 --set export_spray.every=100000 --end " +
            std::to_string(end) + more);
        EXPECT_EQ(finished.code, 0) << finished.output;
    };
    run("whole", 30, " --checkpoint-every 0");
    run("parts", 20, " --checkpoint-every 20");
    run("parts", 30, " --resume");
    const auto bytes = [&](const char* name) {
        std::ifstream file(folder / name / "cache" / "spray.particles.0030.floe", std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_GT(Frame(folder / "whole" / "cache" / "spray.particles.0030.floe").count(), 100u);
    EXPECT_TRUE(bytes("whole") == bytes("parts"));
}

} // namespace
} // namespace floe
