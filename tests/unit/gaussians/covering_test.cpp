#include "random_set.hpp"
#include "surface/covering.hpp"

#include "floe/sdk/node.hpp"

#include <gtest/gtest.h>

namespace floe::gaussians {
namespace {

using test::colourOf;
using test::covarianceOf;

Covering covering(std::size_t count)
{
    Covering settings;
    settings.count = count;
    settings.colour = [](const Vec3&) {
        return std::array{0.8, 0.4, 0.2};
    };
    return settings;
}

// A rectangle in the plane y = 0.5 and, far away, a triangle of a ninth of its area.
const std::vector<float> kPoints = {0, 0.5f, 0, 3, 0.5f, 0, 3, 0.5f, 1,          0, 0.5f,
                                    1, 9,    0, 0, 9,    0, 1, 9,    0.6666667f, 0};
const std::vector<std::uint32_t> kTriangles = {0, 2, 1, 0, 3, 2, 4, 5, 6};

TEST(Covering, IsEvenFlatAndOnTheSurface)
{
    const GaussianSet set = cover(kPoints, kTriangles, covering(10'000));
    ASSERT_EQ(set.count(), 10'000u);
    std::size_t apart = 0, left = 0;
    for (std::size_t i = 0; i < set.count(); ++i) {
        const float* x = &set.x[3 * i];
        if (x[0] > 8) {
            ++apart;
            EXPECT_NEAR(x[0], 9, 1e-5);
            continue;
        }
        EXPECT_NEAR(x[1], 0.5, 1e-6);
        EXPECT_TRUE(x[0] >= 0 && x[0] <= 3 && x[2] >= 0 && x[2] <= 1);
        left += x[0] < 1;
        const Mat3 A = covarianceOf(set, i);
        const double width = 0.8 * std::sqrt((3 + 1.0 / 3) / 10'000);
        EXPECT_NEAR(A[0][0], width * width, 1e-3 * width * width);
        EXPECT_NEAR(A[2][2], width * width, 1e-3 * width * width);
        EXPECT_NEAR(A[1][1], 0.01 * width * width, 1e-3 * width * width);
    }
    EXPECT_NEAR(static_cast<double>(apart), 1000, 1);  // strata follow the areas
    EXPECT_NEAR(static_cast<double>(left), 3000, 200); // even within triangles: 4 sigma
}

// Lambert's law on a plane that faces up, and a highlight in the mirrored direction alone.
TEST(Covering, IsLitFromOneSide)
{
    Covering settings = covering(10);
    const double slant = std::sqrt(0.5);
    settings.toLight = {slant, slant, 0};
    settings.ambient = 0.2;
    const GaussianSet matt =
        cover(std::span(kPoints).first(12), std::span(kTriangles).first(6), settings);
    for (const Vec3& along : {Vec3{0, -1, 0}, Vec3{slant, -slant, 0}})
        EXPECT_NEAR(colourOf(matt, 3, along)[0], 0.8 * (0.2 + 0.8 * slant), 1e-6);
    settings.gloss = 0.5;
    const GaussianSet glossy =
        cover(std::span(kPoints).first(12), std::span(kTriangles).first(6), settings);
    // From the mirrored direction one looks along l - 2 (l n) n.
    EXPECT_NEAR(colourOf(glossy, 3, {slant, -slant, 0})[0] -
                    colourOf(matt, 3, {slant, -slant, 0})[0],
                0.5 * slant, 1e-5);
    EXPECT_LT(std::abs(colourOf(glossy, 3, {-slant, -slant, 0})[0] -
                       colourOf(matt, 3, {-slant, -slant, 0})[0]),
              0.1);
}

// The eye in front of a surface sees its sheen, whatever the light; from the side there is none.
TEST(Covering, ASheenDependsOnTheSurfaceAlone)
{
    Covering settings = covering(10);
    settings.ambient = 1;
    settings.sheen = 0.4;
    const auto plane = [](const std::vector<float>& points, const Covering& with) {
        return cover(std::span(points).first(12), std::span(kTriangles).first(6), with);
    };
    const GaussianSet set = plane(kPoints, settings);
    EXPECT_NEAR(colourOf(set, 3, {0, -1, 0})[0], 0.8 + 0.4, 1e-6);
    EXPECT_LT(std::abs(colourOf(set, 3, {1, 0, 0})[0] - 0.8), 0.1);
    settings.toLight = {1, 0, 0};
    EXPECT_EQ(plane(kPoints, settings).sh, set.sh); // all light is ambient

    // Painted where it was: the colours of the points at rest, on the surface as it is.
    std::vector<float> moved = kPoints;
    for (float& number : moved)
        number += 20;
    settings.colour = [](const Vec3& place) {
        return std::array{place.x / 10, 0.0, 0.0};
    };
    settings.sheen = 0;
    settings.painted = std::span(kPoints).first(12);
    const GaussianSet still = plane(moved, settings);
    for (std::size_t i = 0; i < still.count(); ++i)
        EXPECT_NEAR(colourOf(still, i, {0, 1, 0})[0], (still.x[3 * i] - 20) / 10, 1e-5);
    settings.painted = std::span(kPoints).first(9);
    EXPECT_THROW(plane(moved, settings), sdk::Failure);
}

TEST(Covering, NeedsASurface)
{
    EXPECT_THROW(cover({}, {}, covering(5)), sdk::Failure);
    const std::vector<std::uint32_t> outside = {0, 1, 99};
    EXPECT_THROW(cover(kPoints, outside, covering(5)), sdk::Failure);
    const std::vector<std::uint32_t> line = {0, 1, 1};
    EXPECT_THROW(cover(kPoints, line, covering(5)), sdk::Failure);
}

} // namespace
} // namespace floe::gaussians
