// Differentials of stress against differences of stress, in double precision.

#include "by_stretch.hpp"

#include <gtest/gtest.h>

#include <random>

using namespace floe::physics;

namespace {

using M = Mat3<double>;
using V = Vec3<double>;

M randomMatrix(std::mt19937& random, double size)
{
    std::uniform_real_distribution<double> any(-size, size);
    M a;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a[i][j] = any(random);
    return a;
}

/// P(F) of a law with its return map.
template <class Law>
M piola(const Law& law, const M& F, double state)
{
    const Svd<double> s = svd(F);
    const PrincipalResponse<double> r = principalResponse(law, extensionFrom(s.sigma), state, 1e-3);
    return compose(s.U, principalPiola(extensionFrom(s.sigma), r.tau), s.V);
}

/// Relative difference between K and a central difference of P at F, in a random direction.
template <class Law>
double error(const Law& law, const M& F, double state, std::mt19937& random, double step)
{
    const Svd<double> s = svd(F);
    const StressDifferential<double> K = stressDifferential(
        extensionFrom(s.sigma), principalResponse(law, extensionFrom(s.sigma), state, 1e-3));
    const M d = randomMatrix(random, 1);
    const M got = s.U * apply(K, transpose(s.U) * d * s.V) * transpose(s.V);
    const M expected =
        (1 / (2 * step)) * (piola(law, F + step * d, state) - piola(law, F - step * d, state));
    return std::sqrt(squaredNorm(got - expected) / squaredNorm(expected));
}

M rotation(std::mt19937& random)
{
    return polarRotation(M::identity() + randomMatrix(random, 1));
}

constexpr float kMu = 4e5f, kLambda = 6e5f;

} // namespace

// A central difference of step 1e-5 is right to the square of it and to rounding / 1e-5.
TEST(Differential, IsTheDerivativeOfElasticStress)
{
    std::mt19937 random(1);
    const FixedCorotated corotated{kMu, kLambda};
    const NeoHookean neo{kMu, kLambda};
    const Hencky hencky{kMu, kLambda};
    for (int n = 0; n < 50; ++n) {
        const M F = rotation(random) * (M::identity() + randomMatrix(random, 0.3));
        if (determinant(F) < 0.2)
            continue;
        EXPECT_LT(error(corotated, F, 1, random, 1e-5), 1e-6);
        EXPECT_LT(error(neo, F, 1, random, 1e-5), 1e-6);
        EXPECT_LT(error(hencky, F, 0, random, 1e-5), 1e-6);
    }
}

// Equal stretches have no axes of their own; the differential has its limit there. The constant of
// such a pair is taken from the derivatives within 1e-7 of it.
TEST(Differential, HoldsWhereStretchesAreEqual)
{
    std::mt19937 random(2);
    const FixedCorotated corotated{kMu, kLambda};
    const NeoHookean neo{kMu, kLambda};
    const Hencky hencky{kMu, kLambda};
    for (const V stretch : {V{1, 1, 1}, V{1.2, 1.2, 0.9}, V{1.1, 0.8, 0.8}})
        for (int n = 0; n < 10; ++n) {
            const M R = rotation(random);
            const M F = rotation(random) * R * M::diagonal(stretch) * transpose(R);
            EXPECT_LT(error(corotated, F, 1, random, 1e-5), 1e-5);
            EXPECT_LT(error(neo, F, 1, random, 1e-5), 1e-5);
            EXPECT_LT(error(hencky, F, 0, random, 1e-5), 1e-5);
        }
}

// Snow within its limits is fixed corotated, hardened; mud and soil share an energy.
TEST(Differential, IsTheDerivativeOfPlasticLawsWithinTheirLimits)
{
    std::mt19937 random(3);
    const Snow snow{kMu, kLambda, 0.3f, 0.3f, 10, 0.05f, 20};
    const HerschelBulkley mud{{}, kMu, 9e5f, 1e9f, 1, 1};
    for (int n = 0; n < 30; ++n) {
        const M F = rotation(random) * (M::identity() + randomMatrix(random, 0.05));
        EXPECT_LT(error(snow, F, 0.93, random, 1e-5), 1e-6);
        EXPECT_LT(error(mud, F, 0, random, 1e-5), 1e-6);
    }
}

// Beyond the yield surface it is that of the stress after the return map: a metal sheared or pulled
// four times past its limit. The tangent is a one-sided difference of 1e-4 against stretches that
// differ by 1e-2: one per cent.
TEST(Differential, FollowsPlasticFlow)
{
    std::mt19937 random(4);
    const VonMises metal{{}, kMu, kLambda, 4e3f, 2e4f};
    for (int n = 0; n < 30; ++n) {
        const M F =
            rotation(random) * (M::diagonal({1.03, 1.0, 0.98}) + randomMatrix(random, 0.004));
        const Svd<double> s = svd(F);
        V sigma = s.sigma;
        double state = 0.1;
        ASSERT_TRUE(mapStretches(metal, sigma, state, 1e-3));
        EXPECT_LT(error(metal, F, 0.1, random, 1e-5), 0.01);
    }
}

// In the weak sense that matters to a linear solver: no direction in which the force falls, and
// nothing changed where there was none.
TEST(Differential, PositivePartIsPositiveAndElseTheSame)
{
    std::mt19937 random(5);
    const FixedCorotated law{kMu, kLambda};
    bool changed = false;
    for (int n = 0; n < 200; ++n) {
        const M F = M::identity() + randomMatrix(random, n % 2 ? 0.9 : 0.01);
        const Svd<double> s = svd(F);
        const StressDifferential<double> K = stressDifferential(
            extensionFrom(s.sigma), principalResponse(law, extensionFrom(s.sigma), 1.0, 0.0));
        const StressDifferential<double> kept = positivePart(K);
        const M d = randomMatrix(random, 1);
        const M force = apply(kept, d);
        double work = 0, before = 0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                work += force[i][j] * d[i][j];
                before += apply(K, d)[i][j] * d[i][j];
            }
        EXPECT_GE(work, -1e-6 * kLambda);
        EXPECT_GE(work, before - 1e-6 * kLambda);
        changed = changed || work > before + 1e-3 * kLambda;
    }
    EXPECT_TRUE(changed);
    const StressDifferential<double> rest =
        stressDifferential<double>({0, 0, 0}, principalResponse(law, V{0, 0, 0}, 1.0, 0.0));
    const M d = randomMatrix(random, 1);
    EXPECT_LT(squaredNorm(apply(positivePart(rest), d) - apply(rest, d)), 1e-6);
}

TEST(Differential, OfALiquidIsThatOfItsPressure)
{
    for (const double divergence : {-3.0, -1.0, -0.1}) {
        const Liquid water{2e5f, 7, 0, 0};
        const double dt = 0.01, step = 1e-5;
        const double low = liquidResponse(water, -0.05, divergence - step, dt).minusPJ;
        const double high = liquidResponse(water, -0.05, divergence + step, dt).minusPJ;
        const double slope = liquidResponse(water, -0.05, divergence, dt).stiffness;
        EXPECT_NEAR(slope, (high - low) / (2 * step * dt), 1e-5 * slope);
    }
    // One that cannot pull has no stiffness where it parts.
    EXPECT_EQ(liquidResponse(Liquid{2e5f, 7, 0, 0}, 0.0, 2.0, 0.01).stiffness, 0);
    EXPECT_EQ(liquidResponse(Liquid{2e5f, 7, 0, 10}, 0.1, 2.0, 0.01).stiffness, 0);
}
