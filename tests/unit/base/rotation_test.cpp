#include "floe/base/rotation.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace floe {
namespace {

// About x first, then y, then z: what pointed along z turns to -y, stays there, and turns to x.
TEST(Rotation, AnglesAreAppliedInOrder)
{
    const auto v = rotated(orientationOf({90, 0, 90}), {0, 0, 1});
    EXPECT_NEAR(v[0], 1, 1e-12);
    EXPECT_NEAR(v[1], 0, 1e-12);
    EXPECT_NEAR(v[2], 0, 1e-12);
}

TEST(Rotation, OneFollowsTheOther)
{
    const UnitQuaternion both = followedBy(orientationOf({90, 0, 0}), orientationOf({0, 90, 0}));
    const auto v = rotated(both, {0, 1, 0}); // to z, and from there to x
    EXPECT_NEAR(v[0], 1, 1e-12);
    const Angles angles = rotationNear(both, {80, 80, 10});
    const auto w = rotated(orientationOf(angles), {0, 1, 0});
    EXPECT_NEAR(w[0], 1, 1e-9);
}

} // namespace
} // namespace floe
