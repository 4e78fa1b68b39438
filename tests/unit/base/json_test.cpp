#include "floe/base/error.hpp"
#include "floe/base/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace floe {
namespace {

using testing::HasSubstr;

std::string messageOf(const std::string& text, const JsonLimits& limits = {})
{
    try {
        parseJson(text, "a.json", limits);
    } catch (const GraphError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Json, FaultsNameLineAndColumn)
{
    EXPECT_THAT(messageOf("{\"a\" 1}"), HasSubstr("a.json: is not valid JSON at line 1, column 6"));
    EXPECT_THAT(messageOf("{\n  \"a\": 1,\n  ?\n}"), HasSubstr("line 3, column 3"));
    EXPECT_THAT(messageOf("{\n\"a\": [1,\n2"), HasSubstr("line 3, column"));
    EXPECT_THAT(messageOf(""), HasSubstr("not valid JSON at line 1"));
}

TEST(Json, DuplicateKeysAreFaultsWithTheirPlace)
{
    EXPECT_THAT(messageOf("{\"a\": {\"b\": \"\\\"b\\\":\"},\n \"c\": 1,\n   \"a\": 2}"),
                HasSubstr("key 'a' appears twice in one object, at line 3, column 4"));
    EXPECT_EQ(messageOf(R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]})"), "no error");
}

TEST(Json, WhatIsNoJsonIsRefused)
{
    for (const char* text : {"NaN", "[Infinity]", "[1e999]", "{\"a\": 1,}", "// x\n1", "[1] 2",
                             "\"\xff\xfe\"", "'a'", "01", "{a: 1}"})
        EXPECT_NE(messageOf(text), "no error") << text;
}

TEST(Json, DepthAndSizeAreBounded)
{
    // A million brackets would overflow the stack of a recursive reader.
    EXPECT_THAT(messageOf(std::string(1'000'000, '[')), HasSubstr("nested deeper than 64"));
    EXPECT_THAT(messageOf("[[[]]]", {.depth = 2}), HasSubstr("nested deeper than 2"));
    EXPECT_EQ(messageOf("[[]]", {.depth = 2}), "no error");
    EXPECT_THAT(messageOf("[1, 2, 3]", {.bytes = 5}), HasSubstr("longer than 5 bytes"));
    EXPECT_THAT(messageOf(R"({"a": 1, "b": 2, "c": 3})", {.keys = 2}),
                HasSubstr("more than 2 keys"));
}

TEST(Json, FormattingIsStableAndKeepsOrder)
{
    const std::string text = "{\n"
                             "  \"zebra\": [1, 2.5, \"\\u0001\"],\n"
                             "  \"apple\": {\"b\": true, \"a\": null}\n"
                             "}\n";
    EXPECT_EQ(formatJson(parseJson(text, "a.json")), text);

    // What does not fit into the width goes one entry a line.
    EXPECT_EQ(formatJson(parseJson("{\"long\": [1234567890, 1234567890], \"s\": []}", "a"), 20),
              "{\n  \"long\": [\n    1234567890,\n    1234567890\n  ],\n  \"s\": []\n}\n");
}

TEST(Json, BytesThatAreNotUtf8AreReplaced)
{
    const Json value = {{"path\xff", {"\xa5 of a damaged file", "caf\u00e9"}}};
    const Json expected = {{"path\ufffd", {"\ufffd of a damaged file", "caf\u00e9"}}};
    EXPECT_EQ(parseJson(dumpJson(value), "a"), expected);
    EXPECT_EQ(parseJson(formatJson(value), "a"), expected);
    EXPECT_EQ(parseJson(formatJson(value, 10), "a"), expected); // a line each
}

TEST(Json, NumbersSurviveToTheLastBit)
{
    for (const double value : {0.1, 1e-300, 1.0 / 3, 123456789.123456789, -0.0}) {
        const Json again = parseJson(formatJson(Json(value)), "a");
        EXPECT_EQ(again.get<double>(), value);
    }
}

} // namespace
} // namespace floe
