#include <floe/sdk/physics/svd.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

using namespace floe::physics;

namespace {

using MatF = Mat3<float>;
using MatD = Mat3<double>;

MatD toDouble(const MatF& a)
{
    MatD r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            r[i][j] = a[i][j];
    return r;
}

double largestEntry(const MatD& a)
{
    double most = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            most = std::max(most, std::abs(a[i][j]));
    return most;
}

double distanceFromRotation(const MatD& R)
{
    return std::max(largestEntry(transpose(R) * R - MatD::identity()),
                    std::abs(determinant(R) - 1));
}

MatF randomMatrix(std::mt19937& random, float scale)
{
    std::normal_distribution<float> normal;
    MatF a;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a[i][j] = scale * normal(random);
    return a;
}

MatF randomRotation(std::mt19937& random)
{
    return svd(randomMatrix(random, 1)).U;
}

/// Hard cases beside random ones: each a matrix on which a careless decomposition fails.
std::vector<MatF> matrices()
{
    std::mt19937 random(7);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<MatF> all;
    for (int i = 0; i < 2000; ++i)
        all.push_back(randomMatrix(random, std::pow(10.0f, 4 * uniform(random))));
    for (int i = 0; i < 2000; ++i) // near a rotation, as most particles are
        all.push_back(randomRotation(random) +
                      randomMatrix(random, std::pow(10.0f, -3 + 3 * uniform(random))));
    for (int i = 0; i < 2000; ++i) { // given singular values: repeated, tiny, zero, negative
        const float choices[] = {1, 1, 0.5f, 2, 1e-3f, 1e-6f, 0, -1, -0.1f, 30};
        std::uniform_int_distribution<int> pick(0, 9);
        const Vec3<float> sigma{choices[pick(random)], choices[pick(random)],
                                choices[pick(random)]};
        all.push_back(compose(randomRotation(random), sigma, randomRotation(random)));
    }
    all.push_back(MatF::identity());
    all.push_back(-1.0f * MatF::identity());
    all.push_back(0.0f * MatF::identity());
    all.push_back(MatF::diagonal({1, -1, 1}));
    all.push_back({{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}});
    all.push_back({{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}});
    all.push_back({{{1, 1e-4f, 0}, {0, 1, 0}, {0, 0, 1}}});
    return all;
}

} // namespace

// 2e-6 is about 16 units in the last place: two matrix products and some thirty rotations.
TEST(Svd, FactorsRebuildTheMatrixAndAreRotations)
{
    for (const MatF& F : matrices()) {
        const Svd<float> s = svd(F);
        const double size = std::max(std::abs(s.sigma.x), 1e-15f);
        const MatD U = toDouble(s.U), V = toDouble(s.V);
        const MatD again =
            compose(U, Vec3<double>{s.sigma.x, s.sigma.y, s.sigma.z}, V) - toDouble(F);
        ASSERT_LT(largestEntry(again), 2e-6 * size) << F[0][0] << " " << F[1][1];
        ASSERT_LT(distanceFromRotation(U), 2e-6);
        ASSERT_LT(distanceFromRotation(V), 2e-6);
        ASSERT_GE(s.sigma.x * (1 + 1e-6f), s.sigma.y);
        ASSERT_GE(s.sigma.y * (1 + 1e-5f) + 1e-6f * s.sigma.x, std::abs(s.sigma.z));
    }
}

TEST(Svd, TheSignOfTheDeterminantIsOnTheSmallestValue)
{
    std::mt19937 random(3);
    for (int i = 0; i < 1000; ++i) {
        const MatF F = randomMatrix(random, 1);
        const double det = determinant(toDouble(F));
        if (std::abs(det) < 1e-3)
            continue;
        const Svd<float> s = svd(F);
        EXPECT_GT(s.sigma.y, 0);
        EXPECT_EQ(s.sigma.z > 0, det > 0);
        EXPECT_NEAR(double(s.sigma.x) * s.sigma.y * s.sigma.z, det, 1e-5 * std::abs(det) + 1e-5);
    }
}

TEST(Svd, DoublePrecisionReachesDoublePrecision)
{
    std::mt19937 random(5);
    for (int i = 0; i < 500; ++i) {
        const MatD F = toDouble(randomMatrix(random, 1));
        const Svd<double> s = svd(F);
        EXPECT_LT(largestEntry(compose(s.U, s.sigma, s.V) - F), 1e-13 * s.sigma.x);
        EXPECT_LT(distanceFromRotation(s.U), 1e-13);
    }
}

// Small singular values of an ill-conditioned matrix keep their *relative* accuracy only as far as
// rounding F itself allows: an absolute error of a few 1e-7 of the largest.
TEST(Svd, FindsGivenSingularValues)
{
    std::mt19937 random(11);
    const Vec3<float> given{3, 0.7f, 0.01f};
    for (int i = 0; i < 200; ++i) {
        const Svd<float> s = svd(compose(randomRotation(random), given, randomRotation(random)));
        EXPECT_NEAR(s.sigma.x, given.x, 6e-6);
        EXPECT_NEAR(s.sigma.y, given.y, 3e-6);
        EXPECT_NEAR(s.sigma.z, given.z, 3e-6);
    }
}

TEST(Polar, IsTheRotationPartOfEveryMatrix)
{
    for (const MatF& F : matrices()) {
        const MatD R = toDouble(polarRotation(F));
        ASSERT_LT(distanceFromRotation(R), 3e-6);
        const MatD S = transpose(R) * toDouble(F);
        const double size = std::max(largestEntry(S), 1e-15);
        ASSERT_LT(largestEntry(S - transpose(S)), 6e-6 * size);
    }
}

TEST(Polar, UndoesAStretchOfAKnownRotation)
{
    std::mt19937 random(13);
    for (int i = 0; i < 500; ++i) {
        const MatF R = randomRotation(random), V = randomRotation(random);
        const MatF stretch = compose(V, Vec3<float>{1.3f, 0.9f, 0.6f}, V);
        EXPECT_LT(largestEntry(toDouble(polarRotation(R * stretch) - R)), 2e-6);
    }
}
