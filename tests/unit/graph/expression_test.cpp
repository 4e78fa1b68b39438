#include "floe/base/error.hpp"
#include "floe/graph/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace floe::graph {
namespace {

double value(const std::string& text, double frame = 1, std::vector<double> references = {})
{
    return Expression(text).evaluate(frame, frame / 24, 24, references);
}

TEST(Expression, FollowsTheRulesOfArithmetic)
{
    EXPECT_EQ(value("1 + 2 * 3 ^ 2"), 19);
    EXPECT_EQ(value("(1 + 2) * -3"), -9);
    EXPECT_EQ(value("1e2 + .5"), 100.5);
    EXPECT_EQ(value("frame > 2 ? 10 : 20", 3), 10);
    EXPECT_EQ(value("frame >= 2 && frame != 3", 3), 0);
    EXPECT_EQ(value("frame + time * fps", 48), 96);
}

TEST(Expression, KnowsTheUsualFunctions)
{
    EXPECT_NEAR(value("sin(pi / 6) + cos(pi / 3)"), 1, 1e-15);
    EXPECT_NEAR(value("log(exp(2)) + log2(8) + log10(100)"), 7, 1e-14);
    EXPECT_EQ(value("clamp(5, 0, 2) + clamp(-5, 0, 2)"), 2);
    EXPECT_EQ(value("lerp(10, 20, 0.25)"), 12.5);
    EXPECT_EQ(value("smoothstep(0, 2, 1)"), 0.5);
    EXPECT_EQ(value("smoothstep(0, 2, -1) + smoothstep(0, 2, 9)"), 1);
    EXPECT_EQ(value("mod(-1, 3)"), 2); // periodic below zero
    EXPECT_EQ(value("min(3, 1, 2) + max(3, 1, 2)"), 4);
    EXPECT_EQ(value("floor(-1.5) + ceil(1.2) + round(2.5) + fract(1.25)"), -2 + 2 + 3 + 0.25);
    EXPECT_NEAR(value("degrees(atan2(1, 1)) + radians(180)"), 45 + std::numbers::pi, 1e-12);
    EXPECT_EQ(value("step(2, 1) + step(2, 3) + sign(-7) + abs(-7)"), 0 + 1 - 1 + 7);
}

TEST(Expression, NoiseIsSmoothBoundedAndZeroAtWholeNumbers)
{
    const Expression noise("noise(frame, time, 0.5)");
    double least = 1, greatest = -1;
    for (int i = 0; i < 20000; ++i) {
        const double x = i * 0.0371, y = i * 0.0123;
        const double here = noise.evaluate(x, y, 24, {});
        const double near = noise.evaluate(x + 1e-4, y, 24, {});
        least = std::min(least, here);
        greatest = std::max(greatest, here);
        EXPECT_LT(std::abs(near - here), 1e-3); // slope of Perlin noise stays below about 5
    }
    EXPECT_LT(least, -0.5);
    EXPECT_GT(greatest, 0.5);
    EXPECT_GE(least, -1.1);
    EXPECT_LE(greatest, 1.1);
    EXPECT_EQ(value("noise(3) + noise(-2, 7) + noise(1, 2, 3)"), 0);
}

TEST(Expression, RandomNumbersAreEvenAndTheSameEveryTime)
{
    const Expression random("rand(frame)");
    double sum = 0;
    int low = 0;
    constexpr int kCount = 10000;
    for (int i = 0; i < kCount; ++i) {
        const double r = random.evaluate(i, 0, 24, {});
        ASSERT_GE(r, 0);
        ASSERT_LT(r, 1);
        EXPECT_EQ(r, random.evaluate(i, 0, 24, {}));
        sum += r;
        low += r < 0.1 ? 1 : 0;
    }
    // Four standard deviations: sigma of the mean is sqrt(1/12/n) = 0.0029, of the count 30.
    EXPECT_NEAR(sum / kCount, 0.5, 0.012);
    EXPECT_NEAR(low, kCount / 10, 120);
}

TEST(Expression, FindsItsReferences)
{
    const Expression expression("ball.radius * 2 + b2.center.x - ball.radius + e1.r");
    EXPECT_THAT(expression.references(),
                testing::ElementsAre("ball.radius", "b2.center.x", "e1.r"));
    EXPECT_FALSE(expression.usesTime());
    EXPECT_EQ(expression.evaluate(1, 0, 24, std::vector<double>{5, 7, 100}), 112);
    EXPECT_TRUE(Expression("sin(frame)").usesTime());
    EXPECT_TRUE(Expression("time").usesTime());
    EXPECT_FALSE(Expression("fps * pi").usesTime());
}

TEST(Expression, RenamesReferencesAndNothingElse)
{
    const auto rename = [](const std::string& text) {
        return text == "a.r" ? "a.radius" : text;
    };
    EXPECT_EQ(renameReferences("a.r*sin(a.r) + aa.r - a.rr + 1e3", rename),
              "a.radius*sin(a.radius) + aa.r - a.rr + 1e3");
}

TEST(Expression, WhatMakesNoSenseIsRefused)
{
    for (const char* text : {"",          " ",          "1 +",
                             "(1",        "1)",         "sin()",
                             "sin(1, 2)", "clamp(1)",   "noise(1, 2, 3, 4)",
                             "foo",       "foo(1)",     "a.b.c.d",
                             "a..b",      "frame = 3",  "x = 3",
                             "1, 2",      "\"text\"",   "1; 2",
                             "sin",       "frame.x(1)", "system(1)",
                             "$",         "1 2",        "_r0",
                             "time()",    "#",          "0x1F",
                             "\xc3\xa4"})
        EXPECT_THROW(Expression{text}, GraphError) << text;
    EXPECT_THROW(Expression(std::string(5000, '1')), GraphError);
    EXPECT_THROW(Expression(std::string(100, '(') + "1" + std::string(100, ')')), GraphError);
    EXPECT_THROW(Expression(std::string(4000, '-') + "+"), GraphError);
}

TEST(Expression, DeepButAllowedShapesWork)
{
    EXPECT_EQ(value(std::string(60, '(') + "1" + std::string(60, ')')), 1);
    std::string sum = "1";
    for (int i = 0; i < 1000; ++i)
        sum += "+1";
    EXPECT_EQ(value(sum), 1001);
    std::string choice;
    for (int i = 0; i < 200; ++i)
        choice += "frame>5?1:";
    EXPECT_EQ(value(choice + "2"), 2);
    std::string tower = "1";
    for (int i = 0; i < 500; ++i)
        tower += "^1";
    EXPECT_EQ(value(tower), 1);
}

} // namespace
} // namespace floe::graph
