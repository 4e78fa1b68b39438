// Every example scene, coarser than its pictures, run by the real program: what must be true of its
// last frame whatever the resolution.
#include "floe/io/mesh.hpp"
#include "run_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace floe {
namespace {

using test::Frame;
using test::GraphRun;

constexpr const char* kSmallPictures = " --set render.width=320 --set render.height=180";

/// What holds for every run: it finished, every number is finite, no particle was lost, and the
/// last frame's picture and particles were written.
void expectSound(const GraphRun& run, const Frame& last, const std::string& name)
{
    const Json report = run.report();
    EXPECT_EQ(report["result"], "finished");
    EXPECT_TRUE(last.allFinite());
    const Json& solver = report["frames"].back()["nodes"]["solver"];
    EXPECT_EQ(solver["emitted"].get<double>(), static_cast<double>(last.count()) +
                                                   solver["leftDomain"].get<double>() +
                                                   solver["deletedByCollider"].get<double>());
    char number[16];
    std::snprintf(number, sizeof number, ".%04d", report["range"]["end"].get<int>());
    EXPECT_GT(std::filesystem::file_size(run.output() / "images" / (name + number + ".png")),
              2000u);
    EXPECT_TRUE(std::filesystem::exists(run.output() / "particles" / (name + number + ".vdb")));
}

/// @return what the solver said; the picture's node may miss a program for movies
std::vector<std::string> solverMessages(const GraphRun& run)
{
    std::vector<std::string> messages;
    const Json report = run.report();
    for (const Json& message : report["messages"])
        if (message["node"] == "solver")
            messages.push_back(message["text"]);
    return messages;
}

TEST(FirstSnow, BreaksOnTheWedge)
{
    const GraphRun run("first_snow.floe.json",
                       std::string("--set solver.cellSize=0.045 --end 26") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1);
    const Frame last = run.frame("solver", 26);
    expectSound(run, last, "first_snow");
    EXPECT_EQ(last.count(), first.count());
    EXPECT_GT(last.extent(1)[0], -0.045); // the ground, at 0, holds it to within a cell

    // The wedge's edge lies at x = 0: the ball, which comes down 3 cm beside it, is in two parts.
    double left = 0;
    double right = 0;
    for (std::size_t i = 0; i < last.count(); ++i) {
        left += last.position(i)[0] < -0.15;
        right += last.position(i)[0] > 0.15;
    }
    EXPECT_GT(left / static_cast<double>(last.count()), 0.1);
    EXPECT_GT(right / static_cast<double>(last.count()), 0.2);
    EXPECT_LT(last.meanPosition()[1], 0.4);
}

// A shot at 20 m/s keeps almost half of its speed where the sheet tears. One that never fails
// stretches and holds it.
TEST(TornSheet, LetsTheShotThroughOnlyIfItMayTear)
{
    const auto speed = [](const std::string& failureStrain) {
        const GraphRun run("torn_sheet.floe.json",
                           "--set solver.cellSize=0.02 --set solver.timeScale=0.1 --end 9 "
                           "--set render.every=100 --set metal.failureStrain=" +
                               failureStrain + kSmallPictures);
        EXPECT_EQ(run.finished().code, 0) << run.finished().output;
        const Frame last = run.frame("solver", 9);
        EXPECT_TRUE(last.allFinite());
        const auto material = last.particles().get<std::uint32_t>("material", 1);
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < last.count(); ++i)
            if (material[i] == 1) {
                sum -= last.velocity(i)[1];
                ++count;
            }
        return sum / count;
    };
    EXPECT_GT(speed("0.5"), 8);
    EXPECT_LT(speed("0"), 5);
}

// A material a hundred thousand times too light: the run says why it takes so long, and for whose
// sake.
TEST(TornSheet, AMaterialThatAsksForManyStepsIsNamed)
{
    const GraphRun run("torn_sheet.floe.json",
                       "--set solver.cellSize=0.04 --end 2 --set render.every=100 "
                       "--set metal.density=0.03" +
                           std::string(kSmallPictures));
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const std::vector<std::string> messages = solverMessages(run);
    ASSERT_EQ(messages.size(), 1u);
    const std::string& text = messages[0];
    EXPECT_NE(text.find("material 'Metal'"), std::string::npos) << text;
    EXPECT_NE(text.find("raise its density"), std::string::npos) << text;
    EXPECT_NE(text.find("'Steel' alone would take"), std::string::npos) << text;
}

// Eight passive particles beside each grain go where the sand goes: no farther from it than a cell,
// and no deeper than into the first centimetres of a tray that they do not know.
TEST(Pour, PassiveParticlesGoWithTheSand)
{
    const GraphRun run("live/pour.floe.json",
                       "--set solver.cellSize=0.1 --end 40 --set render.every=100" +
                           std::string(kSmallPictures));
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame sand = run.frame("solver", 40), all = run.frame("fill", 40);
    ASSERT_GT(sand.count(), 300u);
    ASSERT_EQ(all.count(), 9 * sand.count());
    EXPECT_TRUE(all.allFinite());
    std::size_t far = 0;
    for (std::size_t i = sand.count(); i < all.count(); ++i) {
        const auto x = all.position(i);
        double nearest = 1e300;
        for (std::size_t k = 0; k < sand.count(); ++k) {
            const auto y = sand.position(k);
            nearest = std::min(nearest, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
        }
        far += nearest > 0.1;
        ASSERT_GT(x[1], 0);
    }
    EXPECT_LT(static_cast<double>(far), 0.01 * static_cast<double>(all.count()));
}

// Mud and boulders are of other densities: mass does not tell the volume of the water among them.
TEST(Mixed, SaysOnceThatVolumeByPositionActsOnNothing)
{
    const GraphRun run("mixed.floe.json",
                       "--set solver.cellSize=0.1 --end 3 --set render.every=100 "
                       "--set solver.volumeByPosition=true" +
                           std::string(kSmallPictures));
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const std::vector<std::string> messages = solverMessages(run);
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_NE(messages[0].find("'volumeByPosition' acts on nothing"), std::string::npos)
        << messages[0];
}

// Axisymmetric collapse of height/radius 2: Lube et al. 2004 measured a runout of
// r/r0 = 1 + 1.6 sqrt(a) = 3.3 and a height of 0.88 r0 a^(1/6) = 0.99 r0. On this coarse grid
// within a third of the runout, and half of the height; sand without friction would spread to a
// film.
TEST(SandColumn, RunsOutAsMeasured)
{
    const GraphRun run("sand_column.floe.json",
                       std::string("--set solver.cellSize=0.03 --end 30") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame last = run.frame("solver", 30);
    expectSound(run, last, "sand_column");
    std::vector<double> radii;
    double top = 0;
    for (std::size_t i = 0; i < last.count(); ++i) {
        const auto x = last.position(i);
        radii.push_back(std::hypot(x[0], x[2]));
        top = std::max(top, x[1]);
    }
    // The front of a real heap is a single grain; the farthest percent is left out.
    std::sort(radii.begin(), radii.end());
    const double runout = radii[radii.size() * 99 / 100] / 0.25;
    EXPECT_GT(runout, 0.6 * 3.3);
    EXPECT_LT(runout, 1.4 * 3.3);
    EXPECT_GT(top / 0.25, 0.6 * 0.99);
    EXPECT_LT(top / 0.25, 1.4 * 0.99);
}

TEST(DamBreak, WaterStaysInTheTankAndFlattens)
{
    const GraphRun run("dam_break.floe.json",
                       std::string("--set solver.cellSize=0.05 --end 72") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame early = run.frame("solver", 14);
    const Frame last = run.frame("solver", 72);
    expectSound(run, last, "dam_break");
    for (const std::size_t axis : {0u, 2u}) {
        const double half = axis == 0 ? 1.0 : 0.3;
        EXPECT_GT(last.extent(axis)[0], -half - 0.05);
        EXPECT_LT(last.extent(axis)[1], half + 0.05);
    }
    EXPECT_GT(last.extent(1)[0], -0.05);
    // Half a second after the gate opens, the front is more than three quarters of the column's
    // length away from it (Martin and Moyce 1952: Z = 1.9 at T = 1.6).
    EXPECT_GT(early.extent(0)[1], -0.4 + 0.45);
    // At rest its mean height is half the depth, 0.6 * 0.55 / 2 = 0.165 m; three seconds on it
    // still sloshes, and the coarse grid keeps part of a cell of air below: a third is left for
    // both.
    EXPECT_NEAR(last.meanPosition()[1], 0.0825, 0.0275);
}

TEST(JellyDrop, KeepsItsVolumeAndStaysAboveTheGround)
{
    const GraphRun run("jelly_drop.floe.json",
                       std::string("--set solver.cellSize=0.045 --end 24") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame last = run.frame("solver", 24);
    expectSound(run, last, "jelly_drop");
    EXPECT_GT(last.extent(1)[0], -0.045);
    const auto volumeRatio = last.particles().get<float>("J", 1);
    ASSERT_FALSE(volumeRatio.empty());
    double sum = 0;
    for (const float J : volumeRatio)
        sum += J;
    // Both are nearly incompressible: the mean over the bodies is 1 but for what the impact leaves
    // in waves.
    EXPECT_NEAR(sum / static_cast<double>(volumeRatio.size()), 1.0, 0.05);
}

// The same of bodies that do not tear, which stay as far apart: nothing sticks to the other.
TEST(JellyDrop, OfBodiesThatStayWhole)
{
    const std::string whole = "--set solver.cellSize=0.045 --set jello.staysWhole=true "
                              "--set rubber.staysWhole=true --set solver.bodies=materials";
    const GraphRun run("jelly_drop.floe.json", whole + " --end 24" + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame last = run.frame("solver", 24);
    expectSound(run, last, "jelly_drop");
    EXPECT_GT(last.extent(1)[0], -0.045);
    double sum = 0;
    for (const float J : last.particles().get<float>("J", 1))
        sum += J;
    EXPECT_NEAR(sum / static_cast<double>(last.count()), 1.0, 0.05);
}

// What bodies that stay whole do not know is said in the first frame.
TEST(JellyDrop, BodiesThatStayWholeAreRefusedWhereTheyCannotBe)
{
    const auto expectRefused = [](const char* graph, const std::string& settings,
                                  const char* what) {
        const GraphRun run(graph, settings + " --end 2" + kSmallPictures);
        EXPECT_NE(run.finished().code, 0) << settings;
        EXPECT_NE(run.finished().output.find(what), std::string::npos) << run.finished().output;
    };
    expectRefused("jelly_drop.floe.json",
                  "--set rubber.staysWhole=true --set solver.integrator=semiImplicit",
                  "the semi-implicit integrator");
    expectRefused("jelly_drop.floe.json", "--set rubber.staysWhole=true --set ring.settled=true",
                  "settled");
    expectRefused("activation/bullet_time.floe.json", "--set seed.staysWhole=true", "'activation'");
}

/// How high the water stands over each square of a cell's size; its columns by x and z.
std::map<std::array<long, 2>, double> tops(const Frame& water, double cellSize)
{
    std::map<std::array<long, 2>, double> found;
    for (std::size_t i = 0; i < water.count(); ++i) {
        const auto at = water.position(i);
        double& top =
            found
                .try_emplace({std::lround(at[0] / cellSize), std::lround(at[2] / cellSize)}, -1e300)
                .first->second;
        top = std::max(top, at[1]);
    }
    return found;
}

// A swell over a sea at rest foams where it breaks, not while it stands. What it leaves floats.
TEST(BreakingWave, FoamsWhereItBreaksAndTheFoamFloats)
{
    constexpr double kCell = 0.2;
    const GraphRun run("breaking_wave.floe.json",
                       std::string("--set solver.cellSize=0.2 --end 60") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame water = run.frame("solver", 60), foam = run.frame("foam", 60);
    expectSound(run, water, "breaking_wave");
    EXPECT_TRUE(foam.allFinite());
    // It ran up the beach, over the line of the water at rest (0.9 m high, at x = 6.7).
    EXPECT_GT(water.extent(0)[1], 6.7);
    EXPECT_GT(foam.count(), 20 * run.frame("foam", 8).count());
    EXPECT_GT(foam.count(), 1000u);
    // The basin is 3 m wide; what was just born lies where its water does.
    EXPECT_GT(foam.extent(2)[0], -1.5 - 0.5 * kCell);
    EXPECT_LT(foam.extent(2)[1], 1.5 + 0.5 * kCell);

    const auto surface = tops(water, kCell);
    std::size_t afloat = 0, there = 0;
    for (std::size_t i = 0; i < foam.count(); ++i) {
        const auto at = foam.position(i);
        const auto column = surface.find({std::lround(at[0] / kCell), std::lround(at[2] / kCell)});
        if (column == surface.end())
            continue;
        ++there;
        afloat += std::abs(at[1] - column->second) < kCell;
    }
    EXPECT_GT(static_cast<double>(there), 0.8 * static_cast<double>(foam.count()));
    EXPECT_GT(static_cast<double>(afloat), 0.7 * static_cast<double>(there));
}

// Nothing leaves a world whose sides are one; what the slope gives the water, stones and bed take.
TEST(EndlessStream, FlowsOnThroughTheSides)
{
    constexpr double kCell = 0.08;
    const GraphRun run("endless_stream.floe.json",
                       std::string("--set solver.cellSize=0.08 --end 60 --set foam.rate=20") +
                           kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1), last = run.frame("solver", 60);
    expectSound(run, last, "endless_stream");
    EXPECT_EQ(last.count(), first.count());
    EXPECT_GE(last.extent(0)[0], -1.6);
    EXPECT_LE(last.extent(0)[1], 1.6);
    const double mean = last.meanVelocity()[0];
    EXPECT_GT(mean, 0.1);
    EXPECT_LT(mean, 2.5);
    // It has gone round: as much water lies beside one side as beside the other.
    double left = 0, right = 0;
    for (std::size_t i = 0; i < last.count(); ++i) {
        left += last.position(i)[0] < -1.6 + 2 * kCell;
        right += last.position(i)[0] > 1.6 - 2 * kCell;
    }
    EXPECT_NEAR(left, right, 0.25 * right);
}

// A jug as thin as paper holds its water until it pours it into a cup, which holds it too.
TEST(PouredCup, HoldsWhatTheJugHeld)
{
    const GraphRun run("poured_cup.floe.json",
                       std::string("--set solver.cellSize=0.035 --set water.bulkModulus=40000 "
                                   "--end 84 --set render.every=83") +
                           kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1), last = run.frame("solver", 84);
    EXPECT_TRUE(last.allFinite());
    EXPECT_EQ(run.report()["frames"].back()["nodes"]["solver"]["leaked"], 0);
    ASSERT_EQ(last.count(), first.count());
    EXPECT_GT(run.frame("solver", 16).extent(1)[0], 0.33); // all of it in the jug
    std::size_t held = 0;
    for (std::size_t i = 0; i < last.count(); ++i) {
        const auto at = last.position(i);
        held += std::hypot(at[0] - 0.12, at[2]) < 0.14 && at[1] > 0.01 && at[1] < 0.33;
    }
    // In cells as coarse as these much of it splashes over the rim.
    EXPECT_GT(static_cast<double>(held), 0.25 * static_cast<double>(last.count()));
}

// A ball takes the upper slabs off the stack, if they are bodies of their own.
TEST(JellyStack, ComesApartOnlyIfItsSlabsAreBodies)
{
    const auto scattered = [](const std::string& bodies) {
        const GraphRun run("contact/jelly_stack.floe.json",
                           "--set solver.cellSize=0.045 --end 24 --set render.every=100 "
                           "--set solver.bodies=" +
                               bodies + kSmallPictures);
        EXPECT_EQ(run.finished().code, 0) << run.finished().output;
        const Frame last = run.frame("solver", 24);
        EXPECT_TRUE(last.allFinite());
        EXPECT_GT(last.extent(1)[0], -0.045);
        std::size_t beside = 0; // of the stack, between where it stands and where it may have flown
        for (std::size_t i = 0; i < last.count(); ++i)
            beside += last.position(i)[0] > 0.4;
        return static_cast<double>(beside) / static_cast<double>(last.count());
    };
    EXPECT_GT(scattered("emitters"), 0.15);
    EXPECT_LT(scattered("together"), 0.05);
}

TEST(Mixed, TheWaveCarriesTheMud)
{
    const GraphRun run("mixed.floe.json",
                       std::string("--set solver.cellSize=0.05 --end 24") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1);
    const Frame last = run.frame("solver", 24);
    expectSound(run, last, "mixed");
    const auto meanX = [](const Frame& frame) {
        std::map<std::uint32_t, std::pair<double, double>> sums;
        const auto materials = frame.particles().get<std::uint32_t>("material", 1);
        for (std::size_t i = 0; i < materials.size(); ++i) {
            sums[materials[i]].first += frame.position(i)[0];
            sums[materials[i]].second += 1;
        }
        std::map<std::uint32_t, double> means;
        for (const auto& [material, sum] : sums)
            means[material] = sum.first / sum.second;
        return means;
    };
    const auto before = meanX(first);
    const auto after = meanX(last);
    ASSERT_EQ(after.size(), 3u);
    // In the order of the emitters' links: water, mud, concrete. The first two move downstream, and
    // nothing is sucked against the flow.
    EXPECT_GT(after.at(0) - before.at(0), 0.2);
    EXPECT_GT(after.at(1) - before.at(1), 0.02);
    EXPECT_GT(after.at(2) - before.at(2), -0.01);
}

TEST(MeshSource, TakesAnyClosedMesh)
{
    std::string options = std::string("--set solver.cellSize=0.045 --end 20") + kSmallPictures;
    if (const char* folder = std::getenv("FLOE_MODELS"))
        options += std::string(" --set mesh.path=") + folder + "/spot.obj";
    const GraphRun run("mesh_source.floe.json", options);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1);
    const Frame last = run.frame("solver", 20);
    expectSound(run, last, "mesh_source");
    // The node fits the mesh into a cube of 0.8 m.
    double largest = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
        largest = std::max(largest, first.extent(axis)[1] - first.extent(axis)[0]);
    EXPECT_NEAR(largest, 0.8, 0.045);
    EXPECT_LT(last.meanPosition()[1], first.meanPosition()[1] - 0.3);
}

double enclosedVolume(const MeshValue& mesh)
{
    double six = 0;
    for (std::size_t t = 0; t < mesh.triangleCount(); ++t) {
        std::array<const float*, 3> p;
        for (std::size_t i = 0; i < 3; ++i)
            p[i] = &mesh.points()[3 * std::size_t{mesh.triangles()[3 * t + i]}];
        for (std::size_t a = 0; a < 3; ++a) {
            const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
            six += double{p[0][a]} * (double{p[1][b]} * p[2][c] - double{p[1][c]} * p[2][b]);
        }
    }
    return six / 6;
}

// The ring is bent over the post; its mesh stays whole and keeps to the particles.
TEST(JellyMesh, FollowsTheParticlesWithAllItsDetail)
{
    const GraphRun run("jelly_mesh.floe.json", "--set solver.cellSize=0.05 "
                                               "--set ring.voxelSize=0.012 --end 20" +
                                                   std::string(kSmallPictures));
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const auto first = io::readMesh(run.output() / "mesh/jelly_mesh.0001.ply");
    const auto last = io::readMesh(run.output() / "mesh/jelly_mesh.0020.ply");
    ASSERT_EQ(last->pointCount(), first->pointCount());
    EXPECT_GT(first->pointCount(), 5000u);
    const Json report = run.report();
    EXPECT_EQ(report["frames"].back()["nodes"]["skin"]["lost points"].get<double>(), 0);

    // The jelly's particles change their volume by about 2 % while it bounces; between them and the
    // surface, half a cell away, the mesh extrapolates.
    EXPECT_NEAR(enclosedVolume(*last) / enclosedVolume(*first), 1, 0.06);
    const Frame particles = run.frame("solver", 20);
    const auto box = last->bounds();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(box[axis], particles.extent(axis)[0], 0.05);
        EXPECT_NEAR(box[3 + axis], particles.extent(axis)[1], 0.05);
    }
    EXPECT_LT(particles.meanPosition()[1], run.frame("solver", 1).meanPosition()[1] - 0.2);
    EXPECT_GT(box[1], -0.05); // the ground, to within a cell
}

} // namespace

// A drop that falls into a dish throws up a crown; surface tension keeps it from spraying apart.
TEST(Crown, ADropThrowsUpARim)
{
    const std::string coarse =
        std::string("--set solver.cellSize=0.0012 --end 18") + kSmallPictures;
    const auto strays = [](const Frame& water) { // far above the rim
        std::size_t count = 0;
        for (std::size_t i = 0; i < water.count(); ++i)
            count += water.position(i)[1] > 0.012;
        return count;
    };
    const GraphRun run("crown.floe.json", coarse);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame water = run.frame("solver", 18);
    expectSound(run, water, "crown");
    EXPECT_GT(water.extent(1)[1], 0.0058); // the dish is 5 mm deep
    const GraphRun loose("crown.floe.json", coarse + " --set water.surfaceTension=0");
    ASSERT_EQ(loose.finished().code, 0) << loose.finished().output;
    EXPECT_LE(strays(water), strays(loose.frame("solver", 18)));
}

// Ten million times the tension of water: what takes so long is its ripples.
TEST(Crown, RipplesThatAskForManyStepsAreNamed)
{
    const GraphRun run("crown.floe.json",
                       "--set solver.cellSize=0.003 --end 2 --set render.every=100 "
                       "--set water.surfaceTension=1e6 --set water.density=100" +
                           std::string(kSmallPictures));
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const std::vector<std::string> messages = solverMessages(run);
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_NE(messages[0].find("ripples run over material 'Water'"), std::string::npos)
        << messages[0];
    EXPECT_NE(messages[0].find("lower its surface tension"), std::string::npos) << messages[0];
}

} // namespace floe
