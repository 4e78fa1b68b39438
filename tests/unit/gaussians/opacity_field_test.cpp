#include "random_set.hpp"
#include "surface/opacity_field.hpp"

#include "floe/sdk/node.hpp"

#include <gtest/gtest.h>

namespace floe::gaussians {
namespace {

constexpr auto kNothing = [] {
};
constexpr double kRadius = 0.5, kCell = 0.04;

/// Flat Gaussians on a sphere around (0, 1, 0), red where x < 0 and blue elsewhere; with a top or
/// open.
GaussianSet bowl(bool closed)
{
    constexpr int kCount = 6000;
    GaussianSet set;
    set.resize(kCount);
    for (int i = 0; i < kCount; ++i) {
        const auto n = static_cast<std::size_t>(i);
        const double y = -1 + (2 * i + 1.0) / kCount, angle = 2.399963229728653 * i;
        const double side = std::sqrt(1 - y * y);
        const Vec3 up = {side * std::cos(angle), y, side * std::sin(angle)};
        const Vec3 across = {-std::sin(angle), 0, std::cos(angle)};
        Mat3 axes;
        axes.setColumn(0, across);
        axes.setColumn(1, cross(up, across));
        axes.setColumn(2, up);
        const Quaternion q = quaternionOf(axes);
        for (std::size_t k = 0; k < 4; ++k)
            set.rotation[4 * n + k] = static_cast<float>(q[k]);
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            set.x[3 * n + a] = static_cast<float>(kRadius * up[axis] + (axis == 1 ? 1 : 0));
            set.scale[3 * n + a] = axis == 2 ? 0.002f : 0.02f;
            set.sh[3 * n + a] = axis == (up.x < 0 ? 0 : 2) ? 1.5f : -1.5f;
        }
        set.opacity[n] = 0.95f;
    }
    if (!closed)
        keepOnly(set, [&](std::size_t i) { return set.x[3 * i + 1] < 1; });
    return set;
}

double fromMiddle(const GaussianSet& set, std::size_t i)
{
    return std::hypot(set.x[3 * i], set.x[3 * i + 1] - 1, set.x[3 * i + 2]);
}

// On the sphere the field is the number of Gaussians a square metre, 1910, times 2 pi 0.02^2 times
// 0.95 = 4.6, and falls like exp(-d^2 / 2 0.02^2) for walls as thin as half a cell: to 0.5 at 0.042
// m. What is left inside has a radius of 0.458 m; cells that the wall only grazes leave a sixth
// open.
TEST(OpacityField, FillsAHollowBall)
{
    const GaussianSet ball = bowl(true);
    const GaussianSet filling = fillingOf(ball, {.cell = kCell}, kNothing);
    const double expected = 4.18879 * std::pow(0.458, 3) / std::pow(kCell, 3);
    EXPECT_NEAR(static_cast<double>(filling.count()), expected, expected / 6);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < filling.count(); ++i) {
        ASSERT_LT(fromMiddle(filling, i), kRadius);
        // The volume of the round Gaussian's ball is the cell's.
        ASSERT_NEAR(4.18879 * std::pow(filling.scale[3 * i], 3), std::pow(kCell, 3), 1e-9);
        const bool red = filling.sh[3 * i] > 0;
        wrong += std::abs(filling.x[3 * i]) > 2 * kCell && red != (filling.x[3 * i] < 0);
    }
    EXPECT_LT(static_cast<double>(wrong), 0.02 * static_cast<double>(filling.count()))
        << "colours come from near";
}

TEST(OpacityField, LeavesAnOpenBowlEmpty)
{
    EXPECT_EQ(fillingOf(bowl(false), {.cell = kCell}, kNothing).count(), 0u);
}

// Two balls, one within the other: between them is inside, within the inner one is not.
TEST(OpacityField, LeavesAHollowWithinEmpty)
{
    GaussianSet both = bowl(true);
    const GaussianSet outer = both;
    for (std::size_t i = 0; i < outer.count(); ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            both.x.push_back(axis == 1 ? 1 + 0.5f * (outer.x[3 * i + 1] - 1)
                                       : 0.5f * outer.x[3 * i + axis]);
        both.scale.insert(both.scale.end(), &outer.scale[3 * i], &outer.scale[3 * i] + 3);
        both.rotation.insert(both.rotation.end(), &outer.rotation[4 * i],
                             &outer.rotation[4 * i] + 4);
        both.sh.insert(both.sh.end(), &outer.sh[3 * i], &outer.sh[3 * i] + 3);
        both.opacity.push_back(outer.opacity[i]);
    }
    const GaussianSet filling = fillingOf(both, {.cell = kCell}, kNothing);
    EXPECT_GT(filling.count(), 1000u);
    std::size_t within = 0;
    for (std::size_t i = 0; i < filling.count(); ++i)
        within += fromMiddle(filling, i) < 0.2;
    EXPECT_EQ(within, 0u);
}

TEST(OpacityField, IsBoundedAndCanBeCancelled)
{
    const GaussianSet ball = bowl(true);
    EXPECT_THROW(fillingOf(ball, {.cell = 0.0005}, kNothing), sdk::Failure);
    EXPECT_THROW(fillingOf(ball, {.cell = kCell, .most = 100}, kNothing), sdk::Failure);
    EXPECT_THROW(fillingOf(ball, {.cell = kCell}, [] { throw sdk::Failure("", FLOE_CANCELLED); }),
                 sdk::Failure);
    GaussianSet haze = ball; // one as large as the sky neither fills the field nor takes time
    haze.scale[0] = 1e5f;
    EXPECT_NEAR(static_cast<double>(fillingOf(haze, {.cell = kCell}, kNothing).count()),
                static_cast<double>(fillingOf(ball, {.cell = kCell}, kNothing).count()), 50);
    EXPECT_THROW(fillingOf(GaussianSet{}, {.cell = kCell}, kNothing), sdk::Failure);
}

} // namespace
} // namespace floe::gaussians
