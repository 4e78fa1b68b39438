#include "random_set.hpp"
#include "set/spikes.hpp"

#include "floe/sdk/node.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace floe::gaussians {
namespace {

using test::covarianceOf;
using test::randomSet;

double longest(const GaussianSet& set, std::size_t i)
{
    return std::max({set.scale[3 * i], set.scale[3 * i + 1], set.scale[3 * i + 2]});
}

double middle(const GaussianSet& set, std::size_t i)
{
    std::array<float, 3> sorted = {set.scale[3 * i], set.scale[3 * i + 1], set.scale[3 * i + 2]};
    std::sort(sorted.begin(), sorted.end());
    return sorted[1];
}

/// One needle, slanted in space.
GaussianSet needle()
{
    GaussianSet set = randomSet(1, 3);
    set.scale = {0.01f, 0.2f, 0.012f};
    set.opacity = {0.8f};
    return set;
}

/// How much of the light a set takes on a line through `x` that all of it lies around: pieces lie
/// in a row, so their centres' offsets along it are all that counts.
double takenAt(const GaussianSet& set, const Vec3& along, const Vec3& from, double away, double sd)
{
    double through = 1;
    for (std::size_t i = 0; i < set.count(); ++i) {
        const Vec3 offset = Vec3{set.x[3 * i], set.x[3 * i + 1], set.x[3 * i + 2]} - from;
        const double at = away - dot(offset, along);
        through *= 1 - set.opacity[i] * std::exp(-0.5 * at * at / (sd * sd));
    }
    return 1 - through;
}

TEST(Spikes, ARowLooksLikeItsSpike)
{
    const GaussianSet before = needle();
    GaussianSet after = before;
    EXPECT_EQ(boundSpikes(after, {.length = 4}), 1u);
    ASSERT_GT(after.count(), 2u);
    const Mat3 axes =
        matrixOf({before.rotation[0], before.rotation[1], before.rotation[2], before.rotation[3]});
    const Vec3 along = axes.column(1), x = {before.x[0], before.x[1], before.x[2]};
    double opacities = 0;
    for (const float opacity : after.opacity)
        opacities += opacity;
    Vec3 mean{0, 0, 0};
    Mat3 spread = covarianceOf(after, 0);
    for (std::size_t i = 0; i < after.count(); ++i) {
        const Vec3 offset = Vec3{after.x[3 * i], after.x[3 * i + 1], after.x[3 * i + 2]} - x;
        const double share = after.opacity[i] / opacities;
        mean = mean + share * offset;
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                spread[row][column] += share * offset[row] * offset[column];
        EXPECT_LE(longest(after, i), 4.001 * middle(after, i));
        EXPECT_TRUE(std::equal(&after.sh[48 * i], &after.sh[48 * i] + 48, before.sh.begin()));
    }
    EXPECT_NEAR(length(mean), 0, 1e-6);
    // The row ends where its opacities are a fifth of the middle's: a tenth of the variance is
    // lost.
    const Mat3 whole = covarianceOf(before, 0);
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            EXPECT_NEAR(spread[row][column], whole[row][column], 0.1 * 0.04) << row << column;
    // What is seen is not a sum: opaque ones hide each other. A tenth of the opacity off at most.
    for (const double away : {0.0, 0.1, 0.2, 0.3, 0.4, 0.6})
        EXPECT_NEAR(takenAt(after, along, x, away, longest(after, 0)),
                    takenAt(before, along, x, away, 0.2), 0.1 * 0.8)
            << away;
}

TEST(Spikes, FlatAndRoundOnesStay)
{
    GaussianSet set = randomSet(3, 0);
    set.scale = {0.1f, 0.1f, 0.001f, 0.1f, 0.12f, 0.11f, 0.2f, 0.1f, 0.1f};
    const GaussianSet before = set;
    EXPECT_EQ(boundSpikes(set, {.length = 3}), 0u);
    EXPECT_EQ(set.scale, before.scale);
    EXPECT_EQ(set.x, before.x);
    // A size of their own bounds these too.
    EXPECT_EQ(boundSpikes(set, {.length = 3, .size = 0.15, .spikes = Spikes::Clamp}), 1u);
    ASSERT_EQ(set.count(), 3u);
    EXPECT_FLOAT_EQ(set.scale[6], 0.15f);
    EXPECT_EQ(set.x, before.x);
    EXPECT_EQ(set.opacity, before.opacity);
}

TEST(Spikes, AreBoundedInNumber)
{
    GaussianSet set = needle();
    set.scale[1] = 1e5f; // as no picture needs it: in pieces of a bounded number, cut to length
    EXPECT_EQ(boundSpikes(set, {.length = 2}), 1u);
    EXPECT_EQ(set.count(), 65u);
    for (std::size_t i = 0; i < set.count(); ++i)
        EXPECT_LE(longest(set, i), 2.001 * middle(set, i));
    GaussianSet many = needle();
    EXPECT_THROW(boundSpikes(many, {.length = 2, .most = 3}), sdk::Failure);
    GaussianSet nothing = needle();
    nothing.scale = {0, 0, 0};
    EXPECT_EQ(boundSpikes(nothing, {}), 0u);
}

} // namespace
} // namespace floe::gaussians
