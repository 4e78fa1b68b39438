// Transforms and curves between their keys.
#include "floe/base/error.hpp"
#include "floe/data/curve.hpp"
#include "floe/data/transform.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace floe {

namespace {

/// Rotation by `angle` [rad] around z.
std::array<double, 4> aroundZ(double angle)
{
    return {0, 0, std::sin(angle / 2), std::cos(angle / 2)};
}

constexpr double kTolerance = 1e-12; // a few roundings of numbers around 1

} // namespace

TEST(Transforms, TurnAtConstantRateBetweenKeys)
{
    const double turn = 2.0; // [rad] over 4 frames
    const TransformKey keys[] = {{10, {0, 0, 0}, aroundZ(0), 1}, {14, {8, 0, 0}, aroundZ(turn), 3}};
    const auto transform = make<TransformValue>(keys);
    for (const double frame : {10.0, 10.5, 12.0, 13.9, 14.0}) {
        const double t = (frame - 10) / 4;
        const TransformKey key = transform->at(frame);
        EXPECT_NEAR(key.position[0], 8 * t, kTolerance);
        EXPECT_NEAR(key.scale, 1 + 2 * t, kTolerance);
        EXPECT_NEAR(2 * std::atan2(key.rotation[2], key.rotation[3]), turn * t, kTolerance);
    }
    EXPECT_EQ(transform->at(-100).position[0], 0);
    EXPECT_EQ(transform->at(100).position[0], 8);
}

TEST(Transforms, TakeTheShorterWayRound)
{
    auto far = aroundZ(0.2);
    for (double& component : far)
        component = -component; // the same rotation
    const TransformKey keys[] = {{0, {}, aroundZ(0), 1}, {1, {}, far, 1}};
    const TransformKey half = make<TransformValue>(keys)->at(0.5);
    EXPECT_NEAR(std::abs(half.rotation[3]), std::cos(0.05), kTolerance);
}

TEST(Transforms, MatricesScaleThenTurnThenMove)
{
    const TransformKey key[] = {{0, {1, 2, 3}, aroundZ(std::numbers::pi / 2), 2}};
    const auto m = make<TransformValue>(key)->matrixAt(0);
    // (1, 0, 0) -> scaled (2, 0, 0) -> turned (0, 2, 0) -> moved (1, 4, 3)
    EXPECT_NEAR(m[0] + m[3], 1, kTolerance);
    EXPECT_NEAR(m[4] + m[7], 4, kTolerance);
    EXPECT_NEAR(m[8] + m[11], 3, kTolerance);
    EXPECT_EQ(m[15], 1);
}

TEST(Transforms, RotationsAreMadeUnitAndNonsenseIsRefused)
{
    const TransformKey twice[] = {{0, {}, {0, 0, 0, 2}, 1}};
    EXPECT_NEAR(make<TransformValue>(twice)->at(0).rotation[3], 1, kTolerance);
    EXPECT_THROW(make<TransformValue>(std::span<const TransformKey>()), InputError);
    const TransformKey none[] = {{0, {}, {0, 0, 0, 0}, 1}};
    EXPECT_THROW(make<TransformValue>(none), InputError);
    const TransformKey flat[] = {{0, {}, {0, 0, 0, 1}, 0}};
    EXPECT_THROW(make<TransformValue>(flat), InputError);
    const TransformKey back[] = {{1, {}, {0, 0, 0, 1}, 1}, {0, {}, {0, 0, 0, 1}, 1}};
    EXPECT_THROW(make<TransformValue>(back), InputError);
    const TransformKey lost[] = {{0, {NAN, 0, 0}, {0, 0, 0, 1}, 1}};
    EXPECT_THROW(make<TransformValue>(lost), InputError);
}

TEST(Curves, NeverGoBack)
{
    const float points[] = {0, 1, 2, 5, 2, 9, 4, 9}; // a step is fine
    EXPECT_EQ(make<CurveValue>(points)->count(), 4u);
    const float back[] = {1, 0, 0, 0};
    EXPECT_THROW(make<CurveValue>(back), InputError);
    EXPECT_THROW(make<CurveValue>(std::span<const float>()), InputError);
}

} // namespace floe
