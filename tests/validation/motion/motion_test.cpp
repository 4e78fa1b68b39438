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

// A thousandth of the time passes: the twelve frames of a camera of 24,000 frames a second.
TEST(FreeFall, IsSlowInSlowMotion)
{
    const GraphRun run("validation/free_fall.floe.json",
                       "--set solver.timeScale=0.001 --set solver.outputStress=true "
                       "--set solver.outputPlastic=true --set solver.transfer=picFlip");
    ASSERT_EQ(run.finished().code, 0) << run.finished().output;
    const Frame first = run.frame("solver", 1);
    const Frame last = run.frame("solver", 13);
    const double t = 12.0 / 24000.0;
    EXPECT_NEAR(last.meanVelocity()[1], 2 - kGravity * t, 2e-5);
    // Coordinates of about 1 m are single precision.
    EXPECT_NEAR(last.meanPosition()[1] - first.meanPosition()[1], 2 * t - kGravity * t * t / 2,
                1e-6);
    for (const float stress : last.particles().get<float>("stress", 6))
        ASSERT_NEAR(stress, 0, 10); // of a modulus of 1e5 and more: rounding of F
    EXPECT_EQ(last.particles().get<float>("plastic", 1).size(), last.particles().count());
}

} // namespace
} // namespace floe
