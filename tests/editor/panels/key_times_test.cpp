#include "panels/key_times.hpp"

#include <gtest/gtest.h>

namespace floe::panels {
namespace {

using Frames = std::vector<double>;

const Json kCurve = {
    {"keys", {{1, 0.5, "bezier"}, {10, 1.5, "bezier", {-2, 0}, {3, 0.5}}, {20, 2}}}};
/// x has keys, y is constant, z an expression.
const Json kParts = Json::array({kCurve, 4, {{"expr", "frame"}}});
const Json kWhole = {{"keys", {{1, {0, 0, 0}}, {12, {1, 2, 3}}}}};

TEST(KeyTimes, FramesAreThoseOfAllComponents)
{
    EXPECT_EQ(keyFrames(kCurve), Frames({1, 10, 20}));
    EXPECT_EQ(keyFrames(Json::array({kCurve, {{"keys", {{5, 1}, {10, 2}}}}, 3})),
              Frames({1, 5, 10, 20}));
    EXPECT_EQ(keyFrames(kWhole), Frames({1, 12}));
    for (const Json& none : {Json(3), Json("text"), Json{{"expr", "frame"}}, Json{{"keys", 7}},
                             Json{{"keys", {{"one", 2}}}}, Json::array({1, 2, 3})})
        EXPECT_TRUE(keyFrames(none).empty()) << none;
}

// Values, ways to the next key and handles go with the key; order is that of frames.
TEST(KeyTimes, AMovedKeyKeepsEverythingButItsFrame)
{
    const Json moved = withKeysMoved(kCurve, {10}, 15);
    EXPECT_EQ(keyFrames(moved), Frames({1, 20, 25}));
    EXPECT_EQ(moved["keys"][2], Json::array({25, 1.5, "bezier", {-2, 0}, {3, 0.5}}));
    EXPECT_EQ(withKeysMoved(moved, {25}, -15), kCurve) << "and back";
}

TEST(KeyTimes, AMovedKeyTakesThePlaceOfAnother)
{
    const Json moved = withKeysMoved(kCurve, {1}, 9);
    EXPECT_EQ(keyFrames(moved), Frames({10, 20}));
    EXPECT_EQ(moved["keys"][0][1], 0.5);
    // Those that move together do not meet.
    EXPECT_EQ(keyFrames(withKeysMoved(kCurve, {1, 10}, 9)), Frames({10, 19, 20}));
}

TEST(KeyTimes, ComponentsWithoutKeysStay)
{
    const Json moved = withKeysMoved(kParts, {1, 10, 20}, 2);
    EXPECT_EQ(keyFrames(moved), Frames({3, 12, 22}));
    EXPECT_EQ(moved[1], 4);
    EXPECT_EQ(moved[2], kParts[2]);
}

TEST(KeyTimes, TheLastKeyLeavesItsValue)
{
    EXPECT_EQ(keyFrames(withoutKeys(kCurve, {10})), Frames({1, 20}));
    EXPECT_EQ(withoutKeys(kCurve, {1, 10, 20}), Json(0.5));
    EXPECT_EQ(withoutKeys(kWhole, {1, 12}), Json({0, 0, 0}));
    EXPECT_EQ(withoutKeys(kParts, {1, 10, 20}), Json::array({0.5, 4, {{"expr", "frame"}}}));
}

TEST(KeyTimes, WhatIsCopiedCanBePastedElsewhere)
{
    const Json copied = onlyKeys(kCurve, {10, 20});
    EXPECT_EQ(keyFrames(copied), Frames({10, 20}));
    EXPECT_EQ(keyFrames(withKeysPasted(kCurve, copied, 5)), Frames({1, 10, 15, 20, 25}));
    EXPECT_EQ(withKeysPasted(kCurve, copied, 0), kCurve);
    EXPECT_EQ(keyFrames(withKeysPasted(0.3, copied, 1)), Frames({11, 21})) << "onto a constant";
    EXPECT_EQ(keyFrames(withKeysPasted(kParts, onlyKeys(kParts, {1}), 3)), Frames({1, 4, 10, 20}));
    EXPECT_EQ(keyFrames(withKeysPasted(Json({0, 1, 0}), onlyKeys(kWhole, {12}), 0)), Frames({12}));
    EXPECT_TRUE(onlyKeys(kCurve, {7}).is_null());
}

TEST(KeyTimes, WhatDoesNotFitIsNotPasted)
{
    const Json number = onlyKeys(kCurve, {1}), vector = onlyKeys(kWhole, {1});
    EXPECT_EQ(withKeysPasted(kWhole, number, 0), kWhole);
    EXPECT_EQ(withKeysPasted(kCurve, vector, 0), kCurve);
    EXPECT_EQ(withKeysPasted(kParts, vector, 0), kParts);
    EXPECT_EQ(withKeysPasted("a text", number, 0), Json("a text"));
    EXPECT_EQ(withKeysPasted(kCurve, nullptr, 0), kCurve);
    const Json follows = {{"expr", "frame"}};
    EXPECT_EQ(withKeysPasted(follows, number, 0), follows);
}

} // namespace
} // namespace floe::panels
