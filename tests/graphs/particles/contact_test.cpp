// Scenes of graphs/particles about contact: thin walls, bodies that end in each other, ropes on
// themselves, and what sleeps.
#include "particle_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace floe {

// Shaken for ten seconds, cups with walls of a tenth of a particle's radius lose nobody and keep
// their level.
TEST(ShakenCups, LoseNobody)
{
    const GraphRun run("particles/shaken_cups.floe.json",
                       std::string("--set solver.particleSize=0.03 --set solver.substeps=10") +
                           kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Json report = run.report();
    for (const Json& frame : report["frames"])
        EXPECT_EQ(frame["nodes"]["solver"]["leaked"].get<double>(), 0);
    const Frame first = run.frame("solver", 2), last = run.frame("solver", 265);
    ASSERT_EQ(first.count(), last.count());
    ASSERT_GT(first.count(), 400u);
    const auto material = last.particles().get<std::uint32_t>("material", 1);
    for (int frame = 2; frame <= 265; frame += 7) {
        const Frame now = run.frame("solver", frame);
        EXPECT_TRUE(now.allFinite());
        // A cup is 28 cm across and 32 cm high; it is moved by 7 cm and tilted by 18 degrees.
        for (std::size_t i = 0; i < now.count(); ++i) {
            const auto at = now.position(i);
            const double x = at[0] - (material[i] == 0 ? -0.25 : 0.25);
            EXPECT_LT(std::hypot(x, at[2]), 0.36) << frame;
            EXPECT_GT(at[1], 0.3) << frame;
        }
    }
    for (std::size_t i = 0; i < last.count(); ++i) { // at rest again
        const auto at = last.position(i);
        EXPECT_LT(std::hypot(at[0] - (material[i] == 0 ? -0.25 : 0.25), at[2]), 0.14);
        EXPECT_GT(at[1], 0.4);
        EXPECT_LT(at[1], 0.62);
    }
}

// Jacks that are shot at each other end in each other in two substeps a frame, and stay so. In
// small steps they bounce.
TEST(Interlock, HappensInLargeStepsOnly)
{
    const GraphRun run("particles/interlock.floe.json",
                       std::string("--end 60 --set coarse.bodyParticles=true --set "
                                   "fine.bodyParticles=true") +
                           kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    double apart[2] = {}, deepest[2] = {}; // the latter in radii of the smaller particle
    const char* const solvers[2] = {"coarse", "fine"};
    for (std::size_t k = 0; k < 2; ++k) {
        const auto places = bodyPlaces(run, 60, solvers[k]);
        ASSERT_EQ(places.size(), 2u);
        apart[k] = distance(places[0], places[1]);
        for (const auto& place : places) {
            EXPECT_GT(place[1], 0.05) << solvers[k];
            EXPECT_LT(place[1], 1) << solvers[k];
        }
        const Frame last = run.frame(solvers[k], 60);
        const auto body = last.particles().get<std::uint32_t>("body", 1);
        const auto radius = last.particles().get<float>("radius", 1);
        for (std::size_t i = 0; i < last.count(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                if (body[i] == body[j])
                    continue;
                const auto a = last.position(i), b = last.position(j);
                const double gap = distance({a[0], a[1], a[2]}, {b[0], b[1], b[2]}) -
                                   double{radius[i]} - double{radius[j]};
                deepest[k] = std::max(deepest[k], -gap / double{std::min(radius[i], radius[j])});
            }
    }
    EXPECT_LT(apart[0], 0.7); // arms of half a metre
    EXPECT_GT(deepest[0], 1);
    EXPECT_GT(apart[1], 1);
    EXPECT_LT(deepest[1], 0.3);
}

// A rope that falls lies on itself in coils: none of it is in another part.
TEST(CoiledRope, LiesOnItself)
{
    constexpr std::size_t kRing = 8, kRings = 65;
    constexpr double kRadius = 0.02;
    double height[2] = {}, nearest[2] = {1, 1};
    for (const bool self : {false, true}) {
        const GraphRun run("particles/coiled_rope.floe.json",
                           std::string("--end 60 --set rope.selfCollision=") +
                               (self ? "true" : "false") + kSmallPictures);
        ASSERT_EQ(run.finished().code, 0) << run.finished().output;
        const auto mesh = meshPoints(run, 60);
        std::vector<std::array<double, 3>> line;
        for (std::size_t k = 0; k < kRings; ++k)
            line.push_back(middle(mesh, k * kRing, (k + 1) * kRing));
        for (std::size_t a = 0; a < kRings; ++a) {
            height[self] = std::max(height[self], line[a][1]);
            EXPECT_GT(line[a][1], 0.8 * kRadius);
            for (std::size_t b = a + 2; b < kRings; ++b)
                nearest[self] = std::min(nearest[self], distance(line[a], line[b]));
        }
    }
    EXPECT_GT(nearest[1], 1.7 * kRadius);
    EXPECT_LT(nearest[0], 1.2 * kRadius); // without, it lies in itself
    EXPECT_GT(height[1], 2.5 * kRadius);
    EXPECT_LT(height[0], height[1]);
}

// The boxes of box_pile as grains: they fall in a heap, none is lost, and it comes to rest.
TEST(GrainPile, FallsInAHeap)
{
    const GraphRun run("particles/grain_pile.floe.json",
                       std::string("--end 72 --set solver.particleSize=0.6") + kSmallPictures);
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1), last = run.frame("solver", 72);
    EXPECT_TRUE(last.allFinite());
    ASSERT_EQ(first.count(), last.count());
    ASSERT_GT(last.count(), 3000u); // 27 a box
    EXPECT_GT(last.extent(1)[0], 0.2);
    EXPECT_LT(last.extent(1)[1], 0.7 * double{first.extent(1)[1]});
    EXPECT_GT(last.extent(0)[1], 5.5); // its upright sides slide down
    EXPECT_LT(last.extent(0)[1], 15);
}

TEST(CoiledRope, NeedsSegmentsOfItsThickness)
{
    const GraphRun run("particles/coiled_rope.floe.json",
                       std::string("--end 1 --set rope.segments=20") + kSmallPictures);
    EXPECT_NE(run.finished().code, 0);
    EXPECT_NE(run.finished().output.find("Segments, or a larger Radius"), std::string::npos)
        << run.finished().output;
}

} // namespace floe
