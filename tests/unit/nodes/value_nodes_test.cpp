#include "cooked_node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace {

using namespace floe::test;
using floe::expect;
using floe::make;
using floe::NumberValue;
using floe::ValueRef;
using floe::VectorValue;
using testing::HasSubstr;
using testing::ThrowsMessage;

ValueRef number(double value)
{
    auto made = make<NumberValue>(value);
    made->seal();
    return made;
}

ValueRef vector(const Vec& value)
{
    auto made = make<VectorValue>(value);
    made->seal();
    return made;
}

double numberOf(const ValueRef& value)
{
    return expect<NumberValue>(value).number();
}

Vec vectorOf(const ValueRef& value)
{
    return expect<VectorValue>(value).vector();
}

ValueRef math(const char* operation, const Settings& settings, const Links& links = {})
{
    Settings all = settings;
    all.emplace("operation", operation);
    return cook("floe.value.math", all, links).output("result");
}

TEST(Math, CalculatesWithNumbers)
{
    const Settings abc = {{"a", 7.0}, {"b", -2.0}, {"c", 0.5}};
    const std::pair<const char*, double> results[] = {{"add", 5},
                                                      {"subtract", 9},
                                                      {"multiply", -14},
                                                      {"divide", -3.5},
                                                      {"power", 1.0 / 49},
                                                      {"modulo", -1},
                                                      {"minimum", -2},
                                                      {"maximum", 7},
                                                      {"clamp", 0.5},
                                                      {"mix", 2.5},
                                                      {"multiplyAdd", -13.5},
                                                      {"greater", 1},
                                                      {"less", 0},
                                                      {"absolute", 7},
                                                      {"floor", 7},
                                                      {"round", 7},
                                                      {"length", 7},
                                                      {"squareRoot", std::sqrt(7.0)},
                                                      {"sine", std::sin(7.0)},
                                                      {"cosine", std::cos(7.0)}};
    for (const auto& [operation, result] : results)
        EXPECT_DOUBLE_EQ(numberOf(math(operation, abc)), result) << operation;
}

TEST(Math, CalculatesWithVectorsAndSpreadsNumbersOverThem)
{
    const Links links = {{"a", {vector({1, 2, 3})}}, {"b", {vector({-2, 0.5, 4})}}};
    EXPECT_EQ(vectorOf(math("add", {}, links)), (Vec{-1, 2.5, 7}));
    EXPECT_DOUBLE_EQ(numberOf(math("dot", {}, links)), -2 + 1 + 12);
    EXPECT_EQ(vectorOf(math("cross", {}, links)), (Vec{8 - 1.5, -6 - 4, 0.5 + 4}));
    EXPECT_EQ(vectorOf(math("multiply", {{"b", 2.0}}, {{"a", {vector({1, 2, 3})}}})),
              (Vec{2, 4, 6}));
    EXPECT_DOUBLE_EQ(numberOf(math("length", {}, {{"a", {vector({2, 3, 6})}}})), 7);
    EXPECT_EQ(vectorOf(math("normalize", {}, {{"a", {vector({0, 3, 4})}}})), (Vec{0, 0.6, 0.8}));
    EXPECT_EQ(vectorOf(math("normalize", {}, {{"a", {vector({0, 0, 0})}}})), (Vec{0, 0, 0}));
    EXPECT_EQ(vectorOf(math("vector", {{"a", 1.0}, {"b", 2.0}}, {{"c", {number(3)}}})),
              (Vec{1, 2, 3}));
    EXPECT_DOUBLE_EQ(numberOf(math("y", {}, links)), 2);
}

TEST(Math, ALinkTakesThePlaceOfTheParameterAndNoResultIsSaid)
{
    EXPECT_DOUBLE_EQ(numberOf(math("add", {{"a", 100.0}, {"b", 1.0}}, {{"a", {number(4)}}})), 5);
    EXPECT_THAT(
        [] {
            math("divide", {{"a", 1.0}, {"b", 0.0}});
        },
        ThrowsMessage<std::exception>(HasSubstr("no finite result")));
    EXPECT_THAT(
        [] {
            math("squareRoot", {{"a", -1.0}});
        },
        ThrowsMessage<std::exception>(HasSubstr("no finite result")));
}

TEST(Noise, WandersSmoothlyAroundItsMiddleAndNeverFurtherThanItsAmplitude)
{
    const Settings settings = {{"middle", 10.0}, {"amplitude", 2.0}, {"frequency", 1.5}};
    double previous = 0, lowest = 1e9, highest = -1e9;
    for (int frame = 0; frame < 480; ++frame) { // twenty seconds
        const double value =
            numberOf(cook("floe.value.noise", settings, {}, frame).output("value"));
        if (frame > 0) { // the slope of gradient noise is below 4 a unit; two octaves, 1/16 unit
            EXPECT_LT(std::fabs(value - previous), 2 * 4.0 * 1.5 / 24 * 1.5);
        }
        previous = value;
        lowest = std::min(lowest, value);
        highest = std::max(highest, value);
    }
    EXPECT_GE(lowest, 8);
    EXPECT_LE(highest, 12);
    EXPECT_LT(lowest, 9.5); // thirty swings reach a quarter of the way on either side
    EXPECT_GT(highest, 10.5);
}

TEST(Noise, ComponentsAndSeedsDifferAndRepeat)
{
    std::set<double> values;
    for (const int seed : {0, 1}) {
        const Settings settings = {{"gives", "vector"}, {"seed", seed}};
        const Vec value = vectorOf(cook("floe.value.noise", settings, {}, 7).output("value"));
        EXPECT_EQ(value, vectorOf(cook("floe.value.noise", settings, {}, 7).output("value")));
        values.insert(value.begin(), value.end());
    }
    EXPECT_EQ(values.size(), 6u);
}

TEST(Switch, PassesOnTheValueOfThatNumber)
{
    const Links three = {{"values", {number(10), vector({1, 2, 3}), number(30)}}};
    const auto chosen = [&](const Settings& settings, const Links& links) {
        return cook("floe.value.switch", settings, links).output("value");
    };
    EXPECT_EQ(numberOf(chosen({}, three)), 10);
    EXPECT_EQ(vectorOf(chosen({{"which", 1}}, three)), (Vec{1, 2, 3}));
    EXPECT_EQ(numberOf(chosen({{"which", 99}}, three)), 30);
    EXPECT_EQ(numberOf(chosen({{"which", -5}}, three)), 10);
    EXPECT_EQ(numberOf(chosen({{"which", 3}, {"beyond", "repeat"}}, three)), 10);
    EXPECT_EQ(numberOf(chosen({{"which", -1}, {"beyond", "repeat"}}, three)), 30);
    Links linked = three;
    for (const auto& [given, result] : {std::pair{2.9, 30.0}, {-1e300, 10.0}, {1e300, 30.0}}) {
        linked["which"] = {number(given)};
        EXPECT_EQ(numberOf(chosen({{"which", 1}}, linked)), result) << given;
    }
}

// Any kind passes: a level set is the same value, not a copy.
TEST(Switch, PassesOnShapes)
{
    const ValueRef ball = shape("floe.shape.sphere"), box = shape("floe.shape.box");
    const ValueRef chosen =
        cook("floe.value.switch", {{"which", 1}}, {{"values", {ball, box}}}).output("value");
    EXPECT_EQ(chosen.get(), box.get());
}

} // namespace
