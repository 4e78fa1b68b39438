// Strain as small as stiff bodies have it, in single precision: the stress of every law is as
// precise, in relation to its size, as at a strain of one per cent. With F itself, of which 1 +
// 1e-7 is the next number after 1, it would be noise.
#include "by_stretch.hpp"

#include <floe/sdk/physics/rounding.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace floe::physics;

namespace {

using MatD = Mat3<double>;
using MatF = Mat3<float>;

constexpr float kMu = 2.6e10f, kLambda = 5e10f, kKappa = 7e10f; // [Pa], aluminium

MatF single(const MatD& a)
{
    MatF r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            r[i][j] = static_cast<float>(a[i][j]);
    return r;
}
MatD twice(const MatF& a)
{
    MatD r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            r[i][j] = a[i][j];
    return r;
}
double distance(const MatD& a, const MatD& b)
{
    return std::sqrt(squaredNorm(a - b));
}

/// Gradients of random shape, pressed together so that sand holds.
class Gradients {
public:
    MatF next(double size)
    {
        MatD H = -1.0 * MatD::identity();
        for (auto& row : H.m)
            for (double& a : row)
                a += normal_(random_);
        return single(size * H);
    }

private:
    std::mt19937 random_{5};
    std::normal_distribution<double> normal_;
};

template <class Law>
Law stiff();
template <>
FixedCorotated stiff()
{
    return {kMu, kLambda};
}
template <>
NeoHookean stiff()
{
    return {kMu, kLambda};
}
template <>
Hencky stiff()
{
    return {kMu, kLambda};
}
template <>
Snow stiff()
{
    return {kMu, kLambda, 2.5e-2f, 7.5e-3f, 10, 0.05f, 20};
}
template <>
DruckerPrager stiff()
{
    return {{}, kMu, kLambda, DruckerPrager::frictionSlope(0.6f), 0};
}
template <>
VonMises stiff()
{
    return {{}, kMu, kLambda, 3e3f, 0}; // yields from 1e-7 on
}
template <>
HerschelBulkley stiff()
{
    return {{}, kMu, kKappa, 1e6f, 20, 0.5f};
}
template <>
CamClay stiff()
{
    return {{}, kMu, kKappa, 0.3f, 1.5f, CamClay::slopeOf(0.7f), -0.04f};
}

template <class Law>
class SmallStrain : public testing::Test {};
using Laws = testing::Types<FixedCorotated, NeoHookean, Hencky, Snow, DruckerPrager, VonMises,
                            HerschelBulkley, CamClay>;
TYPED_TEST_SUITE(SmallStrain, Laws);

} // namespace

// The same H in both precisions. Single precision has 6e-8 of each number; a few dozen operations,
// none of them a difference of nearly equal numbers, make some 1e-6 of it. Where a stress yields,
// the slack that makes return maps idempotent adds 4e-6.
TYPED_TEST(SmallStrain, StressIsAsPreciseAsTheStrain)
{
    const auto law = stiff<TypeParam>();
    Gradients gradients;
    for (const double size : {1e-10, 1e-8, 1e-7, 1e-6, 1e-4})
        for (int n = 0; n < 200; ++n) {
            MatF H = gradients.next(size);
            MatD exactH = twice(H);
            float state = law.initialState();
            double exactState = state;
            const MatD tau = twice(respondToGradient(law, H, state, 1e-6f).tau.matrix());
            const MatD exact = respondToGradient(law, exactH, exactState, 1e-6).tau.matrix();
            ASSERT_LT(distance(tau, exact), 1e-5 * double(law.restModulus()) * size) << size;
            ASSERT_LT(distance(twice(H), exactH), 1e-5 * size) << size;
        }
}

// The control: kept as F, the same strains are lost to within a few per cent and more.
TYPED_TEST(SmallStrain, WouldBeLostInF)
{
    const auto law = stiff<TypeParam>();
    Gradients gradients;
    double worst = 0;
    for (int n = 0; n < 200; ++n) {
        const MatF H = gradients.next(1e-7);
        MatF F = MatF::identity() + H;
        MatD exactH = twice(H);
        float state = law.initialState();
        double exactState = state;
        const MatD tau = twice(respond(law, F, state, 1e-6f).tau.matrix());
        const MatD exact = respondToGradient(law, exactH, exactState, 1e-6).tau.matrix();
        worst = std::max(worst, distance(tau, exact) / std::sqrt(squaredNorm(exact)));
    }
    EXPECT_GT(worst, 0.05);
}

// A step of a stiff body strains it by 1e-10; a thousand of them strain it by 1e-7.
TEST(SmallStrain, StepsAddUp)
{
    MatF L = 0.0f * MatF::identity(), H = L;
    L[0][1] = 1e-3f; // [1/s]
    L[2][2] = -2e-3f;
    for (int step = 0; step < 1000; ++step)
        H = advanceGradient(H, L, 1e-7f);
    // a thousand roundings of 6e-8 of it
    EXPECT_NEAR(H[0][1], 1e-7, 6e-5 * 1e-7);
    EXPECT_NEAR(H[2][2], -2e-7, 6e-5 * 2e-7);
}

// Water at real stiffness under a centimetre of itself: 98 Pa, a change of volume of 4.5e-8.
TEST(SmallStrain, OfWater)
{
    const Liquid water{2.2e9f / 7, 7, 0, 0};
    float change = 0;
    for (int step = 0; step < 1000; ++step)
        change = advanceLiquidVolume(water, change, -4.4545e-4f, 1e-7f);
    EXPECT_NEAR(water.pressure(change), 98.0, 0.01);
}

// Large strains come out the same whichever of the two ways a lane takes.
TEST(Stretching, AgreesWithTheDecompositionOfF)
{
    std::mt19937 random(9);
    std::normal_distribution<float> normal;
    int moderate = 0, other = 0;
    for (int n = 0; n < 4000; ++n) {
        MatF H;
        for (auto& row : H.m)
            for (float& a : row)
                a = std::pow(10.0f, static_cast<float>(-(n % 4))) * normal(random);
        const Stretching<float> s = stretching(H);
        (s.moderate ? moderate : other)++;
        const MatD back = compose(
            twice(s.U), Vec3<double>{1.0 + s.extension.x, 1.0 + s.extension.y, 1.0 + s.extension.z},
            twice(s.V));
        const double size = 1 + std::sqrt(squaredNorm(twice(H)));
        ASSERT_LT(distance(back, MatD::identity() + twice(H)), 3e-6 * size) << n;
        ASSERT_LT(distance(twice(s.U) * transpose(twice(s.U)), MatD::identity()), 4e-6) << n;
        ASSERT_NEAR(determinant(twice(s.U)), 1, 4e-6);
        ASSERT_NEAR(determinant(twice(s.V)), 1, 4e-6);
    }
    EXPECT_GT(moderate, 1000);
    EXPECT_GT(other, 500);
}

TEST(Elementary, LogarithmAndExponentialNearOneArePreciseInRelationToTheirSize)
{
    for (const float sign : {-1.0f, 1.0f})
        for (float x = 1e-20f; x < 0.99f; x *= 1.013f) {
            const double a = sign * x;
            ASSERT_NEAR(logOnePlus(sign * x), std::log1p(a), 3e-7 * std::abs(std::log1p(a))) << a;
            ASSERT_NEAR(expMinusOne(sign * x), std::expm1(a), 3e-7 * std::abs(std::expm1(a))) << a;
        }
    for (float x = 1; x < 80; x *= 1.1f) {
        EXPECT_NEAR(logOnePlus(x), std::log1p(double(x)), 3e-7 * std::log1p(double(x)));
        EXPECT_NEAR(expMinusOne(x), std::expm1(double(x)), 3e-7 * std::expm1(double(x)));
        EXPECT_NEAR(expMinusOne(-x), std::expm1(-double(x)), 3e-7);
    }
}

// Half a million additions of a tenth of what separates two numbers, each rounded by chance: the
// sum is right to the root of their number, and what does not move stays.
TEST(Rounding, ByChanceIsRightOnAverage)
{
    for (const float step : {2.4e-8f, -2.4e-8f, 1e-9f, 7e-8f})
        for (const float start : {1.25f, 3.1f, -0.7f}) {
            Vec3<double> sum{0, 0, 0};
            int count = 0;
            for (std::int32_t id = 0; id < 512; ++id)
                for (int n = 0; n < 400; ++n, ++count) {
                    const std::int32_t chance = roundingBits(id, roundingSeed(1e-6 * n));
                    const Vec3<float> x{start, start, start}, d{step, step, step};
                    const Vec3<float> y = addStochastic(x, d, chance);
                    for (int axis = 0; axis < 3; ++axis)
                        sum[axis] += double(y[axis]) - double(start);
                    ASSERT_EQ(addStochastic(start, 0.0f, chance), start);
                }
            // five times the standard error of roundings of at most 2.4e-7
            for (int axis = 0; axis < 3; ++axis)
                EXPECT_NEAR(sum[axis] / count, double(step), 5 * 1.2e-7 / std::sqrt(count))
                    << start << ' ' << axis;
        }
}
