// Motion that has a formula, run by the real program.
#include "run_graph.hpp"

#include <gtest/gtest.h>

namespace floe {
namespace {

using test::Frame;
using test::GraphRun;

constexpr double kGravity = 9.81;

TEST(FreeFall, IsExactToFloat)
{
    const GraphRun run("validation/free_fall.floe.json", "");
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1);
    const Frame last = run.frame("solver", 13);
    const double t = 12.0 / 24.0;
    // Velocity: what a few hundred additions of g dt round to in float.
    const auto velocity = last.meanVelocity();
    EXPECT_NEAR(velocity[0], 1.5, 1e-5);
    EXPECT_NEAR(velocity[1], 2 - kGravity * t, 2e-5);
    EXPECT_NEAR(velocity[2], 0, 1e-5);
    // Position: symplectic Euler is ahead of the parabola by g t dt / 2.
    double longest = 0;
    const Json report = run.report();
    for (const Json& frame : report["frames"])
        longest = std::max(longest, frame["nodes"]["solver"]["longestStep"].get<double>());
    const auto from = first.meanPosition();
    const auto to = last.meanPosition();
    EXPECT_NEAR(to[0] - from[0], 1.5 * t, 1e-5);
    EXPECT_NEAR(to[1] - from[1], 2 * t - kGravity * t * t / 2, kGravity * t * longest / 2 + 1e-5);
    // Nothing deforms it.
    for (const float J : last.particles().get<float>("J", 1))
        ASSERT_NEAR(J, 1, 1e-4);
}

const double kSlope = std::acos(-1.0) / 6;

/// The block's way and gain of speed down the slope from frame 5, when it has settled, to 25.
struct Slide {
    double way, speed;
};

Slide slide(double friction)
{
    const GraphRun run("validation/sliding_block.floe.json",
                       "--set slope.friction=" + std::to_string(friction));
    EXPECT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 5);
    const Frame last = run.frame("solver", 25);
    const auto along = [](const std::array<double, 3>& v) {
        return -std::cos(kSlope) * v[0] - std::sin(kSlope) * v[1];
    };
    return {along(last.meanPosition()) - along(first.meanPosition()),
            along(last.meanVelocity()) - along(first.meanVelocity())};
}

// A block sliding down a plane at angle a with friction mu accelerates at g (sin a - mu cos a).
TEST(SlidingBlock, AcceleratesAtCoulombsRate)
{
    for (const double friction : {0.1, 0.3}) {
        const double rate = kGravity * (std::sin(kSlope) - friction * std::cos(kSlope));
        // 3 %: the elastic block shivers as it meets the nodes of a plane across the grid.
        EXPECT_NEAR(slide(friction).speed * 24 / 20, rate, 0.03 * rate) << "friction " << friction;
    }
}

// Well above tan a = 0.58 it sticks: not a fiftieth of a cell in 0.8 s.
TEST(SlidingBlock, SticksUnderMuchFriction)
{
    EXPECT_NEAR(slide(1.2).way, 0, 0.04 / 50);
}

// A collider known only by its level sets, frame by frame, carries what lies on it.
TEST(DeformingCollider, LiftsABlockAsFastAsItRises)
{
    const GraphRun plate("validation/rising_plate.floe.json", "");
    ASSERT_EQ(plate.finished().code, 0) << plate.finished().output;
    const GraphRun run("validation/lifted_block.floe.json",
                       "--set plate.path=" + (plate.output() / "plate.%04d.vdb").string());
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1);
    const Frame last = run.frame("solver", 13);
    const double t = 12.0 / 24.0;
    EXPECT_NEAR(last.meanPosition()[1] - first.meanPosition()[1], t * t, 0.01);
    EXPECT_NEAR(last.meanVelocity()[1], 2 * t, 0.1);
    EXPECT_NEAR(last.extent(1)[0], t * t, 0.02); // half a cell
}

} // namespace
} // namespace floe
