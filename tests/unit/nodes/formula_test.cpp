// Formulas of nodes and expressions of parameters mean the same: every operator and function that
// one knows gives the same number in the other.
#include "cooked_node.hpp"

#include "floe/graph/expression.hpp"
#include "floe/sdk/level_set.hpp"

#include <gtest/gtest.h>

namespace {

using namespace floe::test;
using floe::expect;
using floe::VolumeValue;

/// The value of a formula, computed by the node in the one voxel of its box.
double formula(const std::string& text)
{
    const auto volume = cook("floe.volume.formula", {{"kind", "numbers"},
                                                     {"value", text},
                                                     {"center", Vec{0, 0, 0}},
                                                     {"size", Vec{0.01, 0.01, 0.01}}})
                            .output("volume");
    const auto& grid = expect<VolumeValue>(volume);
    return floe::sdk::LevelSet(
               {sizeof(floe_volume), FLOE_SPACE_HOST, grid.grid(), grid.gridBytes()})
        .sampler()
        .distance({0, 0, 0});
}

double expression(const std::string& text)
{
    return floe::graph::Expression(text).evaluate(0, 0, 24, {});
}

TEST(Formula, MeansWhatAnExpressionMeans)
{
    // In the order of the page on graphs, with the operators.
    for (const char* text : {"sin(0.7)",
                             "cos(0.7)",
                             "tan(0.7)",
                             "asin(0.3)",
                             "acos(0.3)",
                             "atan(2)",
                             "atan2(-1, -2)",
                             "sinh(0.5)",
                             "cosh(0.5)",
                             "tanh(0.5)",
                             "sqrt(2)",
                             "exp(1.5)",
                             "log(5)",
                             "log2(5)",
                             "log10(5)",
                             "pow(2, 0.5)",
                             "abs(-2.5)",
                             "sign(-3)",
                             "floor(-1.5)",
                             "ceil(-1.5)",
                             "round(2.5)",
                             "trunc(-1.5)",
                             "fract(-0.25)",
                             "mod(-1, 3)",
                             "min(3, 1, 2)",
                             "max(3, 1, 2)",
                             "radians(90)",
                             "degrees(1)",
                             "clamp(5, 0, 2)",
                             "lerp(1, 3, 0.25)",
                             "step(1, 0.5)",
                             "smoothstep(0, 2, 0.5)",
                             "2 ^ 3 ^ 2",
                             "-2 ^ 2",
                             "7 / 2 - 3 * 1.5",
                             "1 < 2 && 2 <= 2",
                             "1 != 1 || 3 >= 4",
                             "3 > 2 ? 5 : 6",
                             "pi",
                             "1e-3 + 2E2"})
        EXPECT_NEAR(formula(text), expression(text), 1e-6 * (1 + std::abs(expression(text))))
            << text;
}

TEST(Formula, NoiseIsSmoothAndRandomNumbersAreThoseOfTheirArgument)
{
    EXPECT_EQ(formula("noise(3, 5, 7)"), 0); // at whole numbers
    EXPECT_NE(formula("noise(3.4, 5.2, 7.1)"), 0);
    EXPECT_NEAR(formula("noise(3.4)"), formula("noise(3.4001)"), 1e-3);
    EXPECT_EQ(formula("rand(4)"), formula("rand(4)"));
    EXPECT_NE(formula("rand(4)"), formula("rand(5)"));
    EXPECT_EQ(formula("rand(0)"), formula("rand(-0.0)"));
    EXPECT_GE(formula("rand(4)"), 0);
    EXPECT_LT(formula("rand(4)"), 1);
}

} // namespace
