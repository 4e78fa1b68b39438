// The scenes of graphs/particles, run by the real program: what must be true of where they end.
#include "particle_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace floe {

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

// The cloth hangs from the ball in folds: none of it is in the ball, in the ground, or in another
// fold.
TEST(Draped, HangsInFolds)
{
    constexpr double kSpacing = 0.1;
    const GraphRun run("particles/draped.floe.json",
                       std::string("--end 72 --set cloth.spacing=0.1") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const auto first = meshPoints(run, 1), last = meshPoints(run, 72);
    ASSERT_EQ(first.size(), 441u);
    const auto apart = [](const auto& a, const auto& b) {
        return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    };
    double widest = 0;
    for (std::size_t i = 0; i < last.size(); ++i) {
        EXPECT_GT(apart(last[i], std::array{0.0, 0.9, 0.0}), 0.35) << i;
        EXPECT_GT(last[i][1], 0) << i;
        widest = std::max(widest, std::hypot(last[i][0], last[i][2]));
        for (std::size_t j = i + 1; j < last.size(); ++j)
            if (apart(first[i], first[j]) > 2 * kSpacing) {
                EXPECT_GT(apart(last[i], last[j]), 0.6 * kSpacing) << i << " " << j;
            }
    }
    EXPECT_LT(widest, 1.1); // it was 1.4 m from the middle to a corner
}

// The bridge bears the ball: no rope stretches, no plank leaves its ropes, and the ball lies on it.
TEST(RopeBridge, BearsTheBall)
{
    const GraphRun run("particles/rope_bridge.floe.json", std::string("--end 60") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const auto mesh = meshPoints(run, 60);
    const auto places = bodyPlaces(run, 60);
    const auto colours = meshColours(run, 60);
    ASSERT_EQ(colours.size(), mesh.size());
    EXPECT_EQ(colours.front(), (std::array{0.45f, 0.35f, 0.2f})); // of a rope, and of the ball
    EXPECT_EQ(colours.back(), (std::array{0.2f, 0.3f, 0.6f}));
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

// The pot that falls from low stays whole; the other pot and the stone break, and lie on the
// ground.
TEST(BrokenPots, BreakFromHighUp)
{
    const GraphRun run("particles/broken_pots.floe.json", std::string("--end 40") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    std::ifstream stream(cached(run, "states", 40), std::ios::binary);
    const ValueRef value = readValue(stream);
    const auto& states = expect<ParticlesValue>(value);
    const auto whole = states.get<std::uint32_t>("whole", 1);
    const auto mass = states.get<float>("mass", 1);
    const auto x = states.get<float>("x", 3);
    const auto& first = bodyPlaces(run, 1);
    ASSERT_EQ(first.size(), 3u);
    double count[3] = {}, weight[3] = {};
    for (std::size_t b = 0; b < states.count(); ++b) {
        ASSERT_LT(whole[b], 3u);
        count[whole[b]] += 1;
        weight[whole[b]] += mass[b];
        EXPECT_GT(x[3 * b + 1], 0.0f) << b;
        EXPECT_LT(x[3 * b + 1], 1.0f) << b;
    }
    EXPECT_EQ(count[0], 1); // pots of 24 pieces, a stone of 7 that break again
    EXPECT_EQ(count[1], 24);
    EXPECT_GT(count[2], 7);
    EXPECT_NEAR(weight[1], weight[0], 0.001 * weight[0]);
    const Json last = run.report()["frames"].back()["nodes"]["solver"];
    EXPECT_EQ(last["bodies"].get<double>(), static_cast<double>(states.count()));
    EXPECT_GE(last["broken"].get<double>(), 3);
}

// The plate breaks into its nine parts, which lie about where it fell.
TEST(Plate, BreaksIntoItsParts)
{
    const GraphRun run("particles/plate.floe.json", std::string("--end 24") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    ASSERT_EQ(bodyPlaces(run, 1).size(), 1u);
    const auto places = bodyPlaces(run, 24);
    ASSERT_EQ(places.size(), 9u);
    for (const auto& x : places) {
        EXPECT_GT(x[1], 0.0);
        EXPECT_LT(x[1], 0.25);
        EXPECT_LT(std::hypot(x[0], x[2]), 0.8);
    }
    const GraphRun none("particles/plate.floe.json",
                        std::string("--end 1 --set plate_shape.radius=0.1") + kSmallPictures);
    EXPECT_NE(none.finished().code, 0);
    EXPECT_NE(none.finished().output.find("mesh of parts"), std::string::npos)
        << none.finished().output;
}

// The ball breaks bricks, and loses its swing.
TEST(WreckingBall, BreaksBricks)
{
    const GraphRun run("particles/wrecking_ball.floe.json",
                       std::string("--end 48") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Json last = run.report()["frames"].back()["nodes"]["solver"];
    EXPECT_GE(last["broken"].get<double>(), 3);
    EXPECT_LT(last["broken"].get<double>(), 27); // not all of them
    for (const auto& place : bodyPlaces(run, 48))
        EXPECT_GT(place[1], 0.0);
}

// Nonsense is refused with what would be right.
TEST(BrokenPots, RefuseWhatCannotBe)
{
    for (const auto& [setting, words] :
         {std::pair{"low_pot.pieces=1000", "voxels and cannot break into 1000 pieces"},
          {"low_pot.pieces=1000000", "must be between 0 and 1000"},
          {"stone.generations=4 --set stone.pieces=12", "choose fewer pieces or generations"}}) {
        const GraphRun run("particles/broken_pots.floe.json",
                           std::string("--end 1 --set ") + setting + kSmallPictures);
        EXPECT_NE(run.finished().code, 0) << setting;
        EXPECT_NE(run.finished().output.find(words), std::string::npos) << run.finished().output;
    }
    const GraphRun none("particles/broken_pots.floe.json",
                        std::string("--end 2 --set low_pot.pieces=0") + kSmallPictures);
    EXPECT_EQ(none.finished().code, 0) << none.finished().output;
}

// Scenes of Jia 2017, chapter 6, in small.

// A pile of boxes: none in another, none in the ground, all nearly at rest.
TEST(BoxPile, ComesToRest)
{
    const GraphRun run("particles/box_pile.floe.json",
                       std::string("--end 60 --set boxes.voxel=0.3 --set boxes.copiesX=3 --set "
                                   "boxes.copiesY=3 --set boxes.copiesZ=2") +
                           kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const auto before = bodyPlaces(run, 54), places = bodyPlaces(run, 60);
    ASSERT_EQ(places.size(), 18u);
    for (std::size_t a = 0; a < places.size(); ++a) {
        EXPECT_GT(places[a][1], 0.85) << a; // half an edge is 0.9
        EXPECT_LT(distance(places[a], before[a]), 0.3) << a;
        for (std::size_t b = 0; b < a; ++b) // whatever their rotations, an edge apart
            EXPECT_GT(distance(places[a], places[b]), 1.72) << a << ' ' << b;
    }
}

// The ball goes into the gravel, and no grain is lost.
TEST(GravelImpact, StopsTheBall)
{
    const GraphRun run("particles/gravel_impact.floe.json",
                       std::string("--end 30 --set solver.particleSize=0.06") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame last = run.frame("solver", 30);
    EXPECT_TRUE(last.allFinite());
    ASSERT_GT(last.count(), 1000u);
    EXPECT_EQ(last.count(), run.frame("solver", 1).count());
    for (std::size_t axis : {0u, 2u}) {
        const double wide = std::max(-last.extent(axis)[0], last.extent(axis)[1]);
        EXPECT_GT(wide, 0.62); // its upright sides slide down
        EXPECT_LT(wide, 0.8);
    }
    EXPECT_GT(last.extent(1)[0], 0.0);
    const auto ball = bodyPlaces(run, 30)[0], earlier = bodyPlaces(run, 27)[0];
    EXPECT_LT(ball[1], 0.5); // the heap is half a metre high
    EXPECT_GT(ball[1], 0.2);
    EXPECT_LT(distance(ball, earlier), 0.05);
}

// A cube and a ball of water, without weight, become one drop.
TEST(Drops, BecomeOneBall)
{
    const GraphRun run("particles/drops.floe.json",
                       std::string("--end 36 --set solver.particleSize=0.003") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame last = run.frame("solver", 36);
    ASSERT_GT(last.count(), 500u);
    for (std::size_t axis = 0; axis < 3; ++axis) // of both volumes: a ball of 34 mm
        EXPECT_NEAR(last.extent(axis)[1] - last.extent(axis)[0], 0.034 - 0.003, 0.004) << axis;
}

TEST(Knots, FallInAHeap)
{
    const GraphRun run("particles/knots.floe.json",
                       std::string("--end 48 --set knots.copiesX=2 --set knots.copiesZ=2 --set "
                                   "knots.copiesY=3") +
                           kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    ASSERT_EQ(bodyPlaces(run, 48).size(), 12u);
    double top = 0;
    for (const auto& x : meshPoints(run, 48)) {
        EXPECT_GT(x[1], -0.04); // a mesh stands out of particles of 6 cm by less
        top = std::max(top, x[1]);
    }
    EXPECT_LT(top, 2.5); // the highest began above 3
}

// Lighter balls float higher; the heavy one lies on the floor.
TEST(ThreeDensities, AreInOrder)
{
    const GraphRun run("particles/three_densities.floe.json",
                       std::string("--end 60 --set solver.particleSize=0.06 --set light.voxel=0.06 "
                                   "--set middle.voxel=0.06 --set heavy.voxel=0.06") +
                           kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const auto places = bodyPlaces(run, 60);
    ASSERT_EQ(places.size(), 3u);
    EXPECT_GT(places[0][1], places[1][1] + 0.04);
    EXPECT_GT(places[1][1], 0.4);
    EXPECT_LT(places[2][1], 0.25);
}

// The wave lifts the knot off the floor; the stone goes through the water.
TEST(ThrownUp, LiftsWhatIsLight)
{
    const GraphRun run("particles/thrown_up.floe.json",
                       std::string("--end 40 --set solver.particleSize=0.06 --set knot.voxel=0.05 "
                                   "--set stone.voxel=0.06") +
                           kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const double start = bodyPlaces(run, 1)[0][1];
    double top = 0;
    for (int frame = 1; frame <= 40; ++frame)
        top = std::max(top, bodyPlaces(run, frame)[0][1]);
    EXPECT_GT(top, start + 0.25);
    EXPECT_LT(bodyPlaces(run, 40)[1][1], 0.3);
    EXPECT_TRUE(run.frame("solver", 40).allFinite());
}

// The jelly bends and comes to rest, the rigid knot keeps its shape, and the balloon bounces.
TEST(SoftKnots, BendAndBounce)
{
    const GraphRun run("particles/soft_knots.floe.json",
                       std::string("--end 36 --set jelly.voxel=0.05 --set rigid.voxel=0.05 --set "
                                   "balloon.voxel=0.06") +
                           kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const auto first = meshPoints(run, 1);
    std::size_t points = 1; // of a knot: the second one is the rigid one, 1.1 m to the left
    while (points < first.size() && std::abs(first[points][0] - first[0][0] + 1.1) +
                                            std::abs(first[points][1] - first[0][1]) +
                                            std::abs(first[points][2] - first[0][2]) >
                                        1e-4)
        ++points;
    ASSERT_LT(2 * points, first.size());
    double bent[2] = {}, bounced = 0, low = 1;
    for (int frame = 1; frame <= 36; ++frame) {
        const auto now = meshPoints(run, frame);
        for (std::size_t knot = 0; knot < 2; ++knot)
            for (std::size_t k = 1; k < points; ++k) {
                const std::size_t a = knot * points, b = a + k;
                bent[knot] = std::max(
                    bent[knot], std::abs(distance(now[a], now[b]) - distance(first[a], first[b])));
            }
        for (const auto& x : now)
            low = std::min(low, x[1]);
        if (frame > 13) // it has touched the ground
            bounced = std::max(bounced, bodyPlaces(run, frame)[2][1]);
    }
    EXPECT_LT(bent[1], 1e-3);
    EXPECT_GT(bent[0], 0.1); // of 0.8 m
    EXPECT_GT(bounced, 0.4); // its radius is 0.3
    EXPECT_GT(low, -0.06);
}

// Scenes that show what goes wrong where something is missing, beside what is right.

// The fewer particles, the lower the splash at the wall.
TEST(Sampling, CoarseParticlesHardlySplash)
{
    const GraphRun run("particles/sampling.floe.json",
                       std::string("--end 26 --set fine.particleSize=0.05") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    double top[3] = {};
    const char* const solvers[3] = {"coarse", "middle", "fine"};
    for (std::size_t k = 0; k < 3; ++k)
        for (int frame = 12; frame <= 26; ++frame) {
            const Frame now = run.frame(solvers[k], frame);
            EXPECT_TRUE(now.allFinite());
            top[k] = std::max(top[k], double{now.extent(1)[1]});
        }
    EXPECT_LT(top[0], 0.8 * top[1]);
    EXPECT_LT(top[0], 0.8 * top[2]);
}

// The bowl of one layer of particles, in two steps a frame, lets water through; the other holds it.
TEST(ThinBowl, HoldsWaterOnlyWhereItIsResolved)
{
    const GraphRun run("particles/thin_bowl.floe.json",
                       std::string("--end 36 --set thin.particleSize=0.04 --set "
                                   "thick.particleSize=0.04") +
                           kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const auto held = [&](const char* solver, double x) {
        const Frame last = run.frame(solver, 36);
        double inside = 0;
        for (std::size_t i = 0; i < last.count(); ++i) {
            const auto at = last.position(i);
            inside += distance({at[0], at[1], at[2]}, {x, 0.4, 0}) < 0.36;
        }
        EXPECT_GT(last.count(), 400u);
        return inside / static_cast<double>(last.count());
    };
    EXPECT_LT(held("thin", -0.6), 0.3);
    EXPECT_GT(held("thick", 0.6), 0.6);
}

// Eight stones stand in small steps; in two large ones without stabilisation they sink into each
// other and the ground.
TEST(Towers, StandInSmallSteps)
{
    const GraphRun run("particles/towers.floe.json", std::string("--end 40") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const auto many = bodyPlaces(run, 40, "many"), few = bodyPlaces(run, 40, "few");
    ASSERT_EQ(many.size(), 8u);
    ASSERT_EQ(few.size(), 8u);
    for (std::size_t k = 0; k < 8; ++k) {
        EXPECT_NEAR(many[k][1], 0.15 + 0.3 * static_cast<double>(k), 0.02) << k;
        EXPECT_NEAR(many[k][0], 0.6, 0.02) << k;
    }
    EXPECT_LT(few.back()[1], 1);
}

} // namespace floe
