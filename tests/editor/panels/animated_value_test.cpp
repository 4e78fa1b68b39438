#include "panels/animated_value.hpp"

#include "floe/graph/flat_graph.hpp"
#include "floe/graph/node_type.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace floe;
using namespace floe::panels;

Channel curve(const Json& keys)
{
    return readChannels({{"keys", keys}}, 1)->front();
}

TEST(AnimatedValue, StaysTheSameThroughReadingAndWriting)
{
    const Json values[] = {
        0.5,
        {{"expr", "sin(frame / 24)"}},
        {{"keys", {{1, 0.5, "step"}, {10, 2.5, "linear"}, {20, 1.5, "bezier"}}}},
        {{"keys",
          {{1, 0.5, "bezier", {-2.0, 0.25}, {3.0, -0.5}}, {20, 1.5, "bezier", {-1.0, 0.0}}}}},
    };
    for (const Json& value : values)
        EXPECT_EQ(writeChannels(*readChannels(value, 1), false), value);
    const Json vector = {0.5, {{"expr", "frame"}}, {{"keys", {{1, 0.5, "step"}}}}};
    EXPECT_EQ(writeChannels(*readChannels(vector, 3), false), vector);
}

TEST(AnimatedValue, AVectorWithCommonKeysFallsApartIntoThree)
{
    const auto channels = readChannels(
        {{"keys", {{1, {0, 1, 2}, "bezier", {-1, 0}, {4, {7, 8, 9}}}, {9, {3, 4, 5}, "linear"}}}},
        3);
    ASSERT_TRUE(channels);
    EXPECT_EQ((*channels)[2].keys[1].value, 5);
    EXPECT_EQ((*(*channels)[1].keys[0].out)[1], 8);
}

TEST(AnimatedValue, OddValuesAreNoNumbers)
{
    for (const Json& odd : {Json("x"), Json(), Json{{"keys", Json::array()}}, Json{{"keys", 5}},
                            Json{{"keys", {{5, 1}, {3, 1}}}}, Json{{"keys", {{1, "a"}}}},
                            Json{{"expr", 5}}, Json::array({1, 2}), Json::object()})
        EXPECT_FALSE(readChannels(odd, 1)) << odd;
    EXPECT_FALSE(readChannels(Json::array({1, 2}), 3));
}

// The panel shows what the runtime will compute: the same curve, evaluated by the graph library.
TEST(AnimatedValue, CurvesAreThoseOfTheRuntime)
{
    const Json keys = {{1, 0.0, "bezier"},
                       {9, 3.0, "bezier", {-3.0, 1.0}, {2.5, -1.5}},
                       {17, -1.0, "linear"},
                       {20, 2.0, "step"},
                       {24, 0.5, "bezier"}};
    graph::TypeLibrary types;
    ASSERT_TRUE(
        types
            .addManifest(
                {{"format", 1},
                 {"id", "t.curves"},
                 {"version", "1.0.0"},
                 {"label", "T"},
                 {"license", "x"},
                 {"abi", {{"major", 1}, {"minor", 0}}},
                 {"library", "t_curves"},
                 {"nodes",
                  {{{"type", "t.n"},
                    {"version", 1},
                    {"label", "N"},
                    {"category", "C"},
                    {"parameters", {{{"name", "p"}, {"type", "float"}, {"default", 0}}}}}}}},
                "plugin.json")
            .empty());
    const Json file = {
        {"floe", 1},
        {"nodes", {{"n", {{"type", "t.n"}, {"parameters", {{"p", {{"keys", keys}}}}}}}}}};
    const auto document = graph::Document::parse(file.dump(), "t.floe.json");
    const auto flat = graph::flatten(document, types);
    const Channel channel = curve(keys);
    for (double frame = -1; frame <= 26; frame += 0.25) {
        const double runtime = std::get<double>(flat.evaluate(0, "p", {frame, 24}));
        EXPECT_NEAR(valueAt(channel.keys, frame), runtime, 1e-9) << frame; // bisection to 2^-40
    }
}

TEST(AnimatedValue, KeysComeAndGo)
{
    Channel channel;
    channel.constant = 3;
    setKey(channel, 10, 5);
    setKey(channel, 1, 4);
    setKey(channel, 10, 6);
    ASSERT_EQ(channel.keys.size(), 2u);
    EXPECT_EQ(channel.keys[0].frame, 1);
    EXPECT_EQ(channel.keys[1].value, 6);
    removeKey(channel, 1);
    removeKey(channel, 10);
    EXPECT_EQ(channel.kind, Channel::Kind::Constant);
    EXPECT_EQ(channel.constant, 6); // the value of the last key stays
}

TEST(AnimatedValue, ExpressionsSaySoWhenTheyAreWrong)
{
    Channel channel{Channel::Kind::Expression, 0, {}, "2 * ball.radius + frame"};
    const Resolver resolver = [](const std::string& name) {
        return name == "ball.radius" ? std::optional(0.5) : std::nullopt;
    };
    EXPECT_DOUBLE_EQ(*evaluate(channel, 3, 1, 24, resolver).value, 4);
    channel.expression = "cube.size";
    EXPECT_TRUE(evaluate(channel, 3, 1, 24, resolver).error.contains("cube.size"));
    channel.expression = "2 +";
    EXPECT_FALSE(evaluate(channel, 3, 1, 24, resolver).error.isEmpty());
    channel.expression = "1 / 0";
    EXPECT_FALSE(evaluate(channel, 3, 1, 24, resolver).value);
    channel.expression = "time";
    EXPECT_DOUBLE_EQ(*evaluate(channel, 25, 1, 24, {}).value, 1); // a second after the first frame
}

} // namespace
