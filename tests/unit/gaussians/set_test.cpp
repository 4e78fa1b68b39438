#include "random_set.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace floe::gaussians {
namespace {

using test::colourOf;
using test::covarianceOf;
using test::randomSet;

Vec3 direction(unsigned i)
{
    const double z = -1 + (2 * i + 1) / 20.0, angle = 2.4 * i, side = std::sqrt(1 - z * z);
    return {side * std::cos(angle), side * std::sin(angle), z};
}

// Orthonormal: integrals over the sphere by Gauss quadrature in z and even steps around are exact.
TEST(Harmonics, AreOrthonormal)
{
    // Gauss-Legendre nodes and weights of order 4, exact to degree 7.
    const double nodes[] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                            0.8611363115940526};
    const double weights[] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                              0.3478548451374538};
    double sums[16][16] = {};
    constexpr int kAround = 8;
    const double pi = std::acos(-1.0);
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < kAround; ++k) {
            const double angle = 2 * pi * k / kAround, side = std::sqrt(1 - nodes[i] * nodes[i]);
            const auto y = harmonicsIn({side * std::cos(angle), side * std::sin(angle), nodes[i]});
            for (int a = 0; a < 16; ++a)
                for (int b = 0; b < 16; ++b)
                    sums[a][b] += weights[i] * 2 * pi / kAround * y[static_cast<std::size_t>(a)] *
                                  y[static_cast<std::size_t>(b)];
        }
    for (int a = 0; a < 16; ++a)
        for (int b = 0; b < 16; ++b)
            EXPECT_NEAR(sums[a][b], a == b, 1e-12) << a << ' ' << b;
}

// A set that is moved, turned and scaled as a whole: what was seen along d is seen along R d.
TEST(Placement, TurnsColoursWithTheGaussians)
{
    const GaussianSet before = randomSet(20, 3);
    GaussianSet after = before;
    const Placement placement = {2.5, fromEuler({30, -80, 140}), {1, 2, 3}};
    place(after, placement);
    const Mat3 R = matrixOf(placement.rotation);
    for (std::size_t i = 0; i < before.count(); ++i) {
        const Vec3 x = {before.x[3 * i], before.x[3 * i + 1], before.x[3 * i + 2]};
        const Vec3 moved = 2.5 * (R * x) + Vec3{1, 2, 3};
        const Mat3 expected = R * covarianceOf(before, i) * transpose(R);
        const Mat3 found = covarianceOf(after, i);
        for (int row = 0; row < 3; ++row) {
            EXPECT_NEAR(after.x[3 * i + static_cast<std::size_t>(row)], moved[row], 1e-5);
            for (int column = 0; column < 3; ++column)
                EXPECT_NEAR(found[row][column], 6.25 * expected[row][column],
                            1e-6 * (1 + 6.25 * std::abs(expected[row][column])));
        }
        for (unsigned k = 0; k < 20; ++k) {
            const auto was = colourOf(before, i, direction(k)),
                       is = colourOf(after, i, R * direction(k));
            for (std::size_t channel = 0; channel < 3; ++channel)
                EXPECT_NEAR(was[channel], is[channel], 2e-6); // floats of sixteen terms near 1
        }
    }
}

TEST(Rotation, MatrixAndQuaternionAgree)
{
    for (unsigned i = 0; i < 20; ++i)
        for (const double angle : {0.0, 1.0, 90.0, 179.0, 180.0, 181.0, 300.0}) {
            const Vec3 axis = direction(i);
            const double half = angle * std::acos(-1.0) / 360;
            const Quaternion q = {std::sin(half) * axis.x, std::sin(half) * axis.y,
                                  std::sin(half) * axis.z, std::cos(half)};
            const Quaternion back = quaternionOf(matrixOf(q));
            double cosine = 0;
            for (std::size_t k = 0; k < 4; ++k)
                cosine += q[k] * back[k];
            EXPECT_NEAR(std::abs(cosine), 1, 1e-12);
        }
    // A quarter turn about z takes x to y.
    const Vec3 turned = matrixOf(fromEuler({0, 0, 90})) * Vec3{1, 0, 0};
    EXPECT_NEAR(turned.y, 1, 1e-12);
}

TEST(Unusable, IsRemovedAndCounted)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinite = std::numeric_limits<float>::infinity();
    GaussianSet set = randomSet(10, 1);
    set.x[0] = nan;
    set.x[3] = 1e30f;
    set.scale[6] = infinite;
    set.scale[9] = -1;
    std::fill_n(&set.rotation[16], 4, 0.0f);
    set.opacity[5] = nan;
    set.sh[12 * 6 + 11] = infinite;
    set.opacity[7] = 1.5f;
    set.rotation[32] = 3; // not of length 1
    const float kept = set.x[21];
    EXPECT_EQ(removeUnusable(set), 7u);
    ASSERT_EQ(set.count(), 3u);
    EXPECT_EQ(set.x[0], kept);
    EXPECT_EQ(set.opacity[0], 1);
    double length = 0;
    for (std::size_t k = 0; k < 4; ++k)
        length += set.rotation[4 + k] * set.rotation[4 + k];
    EXPECT_NEAR(length, 1, 1e-6);
}

} // namespace
} // namespace floe::gaussians
