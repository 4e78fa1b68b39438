#include "scalar_range.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace floe::view {
namespace {

std::optional<ScalarRange::Ends> endsOf(const std::vector<float>& scalars)
{
    ScalarRange range;
    range.add(*compute::cpuDevice(), scalars.data(), scalars.size());
    return range.ends();
}

/// 0 to 1 m/s, as many of each.
std::vector<float> crowd(std::size_t count)
{
    std::vector<float> speeds(count);
    for (std::size_t i = 0; i < count; ++i)
        speeds[i] = static_cast<float>(i * 7919 % count) / static_cast<float>(count - 1);
    return speeds;
}

// One drop that flies off a thousand times faster leaves the colours of the rest as they are.
TEST(ScalarRange, OneOutlierDoesNotMoveTheEnds)
{
    for (const std::size_t count : {2'000u, 1'000'000u}) {
        std::vector<float> speeds = crowd(count);
        const auto before = endsOf(speeds);
        ASSERT_TRUE(before);
        EXPECT_EQ(before->low, 0) << "speeds begin at 0";
        EXPECT_NEAR(before->high, 0.99f, 0.005f); // 256 runs of neighbours, or all of them
        speeds[count / 2] = 1000;
        speeds[count / 3] = std::numeric_limits<float>::infinity();
        speeds[count / 5] = std::numeric_limits<float>::quiet_NaN();
        const auto after = endsOf(speeds);
        ASSERT_TRUE(after);
        EXPECT_NEAR(after->high, before->high, 0.005f);
    }
}

// A ball of a two-hundredth of all particles on a bed at rest still can be seen to move.
TEST(ScalarRange, AFewThatMoveAreNotLost)
{
    std::vector<float> speeds(20'000, 0.001f);
    for (std::size_t i = 0; i < 100; ++i)
        speeds[i * 200] = 5;
    const auto ends = endsOf(speeds);
    ASSERT_TRUE(ends);
    EXPECT_GT(ends->high, 1);
    EXPECT_LE(ends->high, 5);
}

TEST(ScalarRange, ASmallSetKeepsItsExtremes)
{
    const auto ends = endsOf({2, 3, 4});
    ASSERT_TRUE(ends);
    EXPECT_EQ(ends->low, 2);
    EXPECT_EQ(ends->high, 4);
}

// Stretch is around 1 and has no reason to begin at 0.
TEST(ScalarRange, ValuesAwayFromZeroKeepTheirLowEnd)
{
    std::vector<float> stretch = crowd(2'000);
    for (float& value : stretch)
        value = 0.95f + 0.1f * value;
    stretch[700] = 0.01f;
    const auto ends = endsOf(stretch);
    ASSERT_TRUE(ends);
    EXPECT_NEAR(ends->low, 0.951f, 0.001f);
    EXPECT_NEAR(ends->high, 1.049f, 0.001f);
}

// A body that falls as one has one colour, not the rounding of its speeds as a rainbow.
TEST(ScalarRange, RoundingIsNotSpreadOverTheMap)
{
    std::vector<float> speeds = crowd(2'000);
    for (float& speed : speeds)
        speed = 1.226f + 1e-5f * speed;
    const auto ends = endsOf(speeds);
    ASSERT_TRUE(ends);
    EXPECT_EQ(ends->low, 0);
    EXPECT_NEAR(ends->high, 1.226f, 1e-4f);
    for (float& speed : speeds)
        speed = -speed;
    EXPECT_EQ(endsOf(speeds)->high, 0);
}

// The volume of every particle [m³], say: the legend tells how large it is.
TEST(ScalarRange, EqualScalarsAreTheEndOfAMapFromZero)
{
    for (const float value : {3.0f, 2e-6f}) {
        const auto ends = endsOf({value, value, value});
        ASSERT_TRUE(ends);
        EXPECT_EQ(ends->low, 0);
        EXPECT_EQ(ends->high, value);
        EXPECT_EQ(endsOf({-value, -value})->low, -value);
        EXPECT_EQ(endsOf({-value, -value})->high, 0);
    }
}

TEST(ScalarRange, WithoutScalarsOrAtZeroThereAreNone)
{
    EXPECT_FALSE(endsOf({}));
    EXPECT_FALSE(endsOf({0, 0}));
    EXPECT_FALSE(endsOf({std::numeric_limits<float>::quiet_NaN()}));
}

} // namespace
} // namespace floe::view
