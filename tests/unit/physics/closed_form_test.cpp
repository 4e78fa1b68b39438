// One particle with a prescribed deformation gradient: the stress of every law against the closed
// forms of uniaxial strain and simple shear, which no decomposition has been near.
#include <floe/sdk/physics/parameters.hpp>

#include <gtest/gtest.h>

#include <cmath>

using namespace floe::physics;

namespace {

using MatD = Mat3<double>;
using MatF = Mat3<float>;

constexpr float kMu = 4e4f, kLambda = 6e4f, kKappa = 1e5f;

MatD diagonal(double a, double b, double c)
{
    return MatD::diagonal(Vec3<double>{a, b, c});
}
MatD shearGradient(double g)
{
    return {{{1, g, 0}, {0, 1, 0}, {0, 0, 1}}};
}

/// Compares in double and in single precision.
template <class Law>
void expectStress(const Law& law, const MatD& F, const MatD& expected, double state)
{
    MatD G = F;
    double s = state;
    const MatD tau = respond(law, G, s, 1e-4).tau.matrix();
    MatF single;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            single[i][j] = float(F[i][j]);
    float t = float(state);
    const MatF rounded = respond(law, single, t, 1e-4f).tau.matrix();
    const double size = law.restModulus();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            // The laws' constants (1/3) are single precision, 3e-8; F itself is in the second,
            // where the errors of a dozen operations add up.
            EXPECT_NEAR(tau[i][j], expected[i][j], 1e-7 * size) << i << j;
            EXPECT_NEAR(rounded[i][j], expected[i][j], 3e-6 * size) << i << j;
            EXPECT_EQ(G[i][j], F[i][j]); // nothing has yielded
        }
}

/// tau of Hencky's law in simple shear: principal stretches s and 1/s, s = (g + sqrt(g^2 + 4))/2,
/// their axes turned by theta, tan 2 theta = 2/g.
MatD henckyShear(double g)
{
    const double root = std::sqrt(g * g + 4), log = std::log((g + root) / 2);
    const double sine = 2 / root, cosine = g / root;
    const double t = 2 * double(kMu) * log;
    return {{{t * cosine, t * sine, 0}, {t * sine, -t * cosine, 0}, {0, 0, 0}}};
}
MatD henckyUniaxial(double s)
{
    const double e = std::log(s);
    return diagonal((2 * double(kMu) + kLambda) * e, kLambda * e, kLambda * e);
}
/// V = sqrt(F F^T) in simple shear is [[2 + g^2, g], [g, 2]]/sqrt(4 + g^2), so
/// tau = 2 mu (F F^T - V).
MatD corotatedShear(double g)
{
    const double root = std::sqrt(4 + g * g), m = 2 * double(kMu);
    const double xx = m * (1 + g * g - (2 + g * g) / root), xy = m * (g - g / root),
                 yy = m * (1 - 2 / root);
    return {{{xx, xy, 0}, {xy, yy, 0}, {0, 0, 0}}};
}
MatD corotatedUniaxial(double s)
{
    const double v = kLambda * (s - 1) * s;
    return diagonal(2 * double(kMu) * (s - 1) * s + v, v, v);
}
MatD splitShear(double g)
{
    const double m = kMu, third = g * g / 3;
    return {{{m * (g * g - third), m * g, 0}, {m * g, -m * third, 0}, {0, 0, -m * third}}};
}
MatD splitUniaxial(double s)
{
    const double p = kKappa / 2.0 * (s * s - 1), m = kMu * std::pow(s, -2.0 / 3);
    const double mean = (s * s + 2) / 3;
    return diagonal(p + m * (s * s - mean), p + m * (1 - mean), p + m * (1 - mean));
}

constexpr double kStretches[] = {0.5, 0.9, 0.99, 1.0, 1.01, 1.3, 3.0};
constexpr double kShears[] = {-2.0, -0.1, 1e-3, 0.3, 1.0, 4.0};
// Small enough that nothing yields below.
constexpr double kSmallStretches[] = {0.985, 0.999, 1.0, 1.004};
constexpr double kSmallShears[] = {-5e-3, 1e-3, 4e-3};

} // namespace

TEST(ClosedForm, FixedCorotated)
{
    const FixedCorotated law{kMu, kLambda};
    for (const double s : kStretches)
        expectStress(law, diagonal(s, 1, 1), corotatedUniaxial(s), 1);
    for (const double g : kShears)
        expectStress(law, shearGradient(g), corotatedShear(g), 1);
}
TEST(ClosedForm, NeoHookean)
{
    const NeoHookean law{kMu, kLambda};
    for (const double s : kStretches) {
        const double v = kLambda * std::log(s);
        expectStress(law, diagonal(s, 1, 1), diagonal(kMu * (s * s - 1) + v, v, v), 1);
    }
    for (const double g : kShears)
        expectStress(law, shearGradient(g),
                     MatD{{{kMu * g * g, kMu * g, 0}, {kMu * g, 0, 0}, {0, 0, 0}}}, 1);
}
TEST(ClosedForm, Hencky)
{
    const Hencky law{kMu, kLambda};
    for (const double s : kStretches)
        expectStress(law, diagonal(s, 1, 1), henckyUniaxial(s), 0);
    for (const double g : kShears)
        expectStress(law, shearGradient(g), henckyShear(g), 0);
}
TEST(ClosedForm, SnowIsCorotatedTimesItsHardening)
{
    const Snow law{kMu, kLambda, 2.5e-2f, 7.5e-3f, 10, 0.05f, 20};
    const double plastic = 0.9, h = std::exp(10 * (1 - plastic));
    for (const double s : kSmallStretches)
        expectStress(law, diagonal(s, 1, 1), h * corotatedUniaxial(s), plastic);
    for (const double g : kSmallShears)
        expectStress(law, shearGradient(g), h * corotatedShear(g), plastic);
}
TEST(ClosedForm, MetalAndSandAreHenckyBelowYield)
{
    const VonMises metal{{}, kMu, kLambda, 1e5f, 100};
    for (const double s : kSmallStretches)
        expectStress(metal, diagonal(s, 1, 1), henckyUniaxial(s), 0);
    for (const double g : kSmallShears)
        expectStress(metal, shearGradient(g), henckyShear(g), 0);
    // Sand holds under pressure only, and alone where that exceeds the shear.
    const DruckerPrager sand{{}, kMu, kLambda, DruckerPrager::frictionSlope(1.0f), 0};
    for (const double s : {0.985, 0.999})
        expectStress(sand, diagonal(s, 1, 1), henckyUniaxial(s), 0);
    const MatD squeezed = 0.98 * shearGradient(0.01);
    MatD expected = henckyShear(0.01);
    for (int i = 0; i < 3; ++i)
        expected[i][i] += (2 * double(kMu) + 3 * double(kLambda)) * std::log(0.98);
    expectStress(sand, squeezed, expected, 0);
}
TEST(ClosedForm, PasteAndClaySplitVolumeAndShape)
{
    const HerschelBulkley paste{{}, kMu, kKappa, 1e5f, 5, 0.5f};
    const CamClay clay{{}, kMu, kKappa, 1, 5, 2, -0.5f};
    for (const double s : kSmallStretches) {
        expectStress(paste, diagonal(s, 1, 1), splitUniaxial(s), 0);
        expectStress(clay, diagonal(s, 1, 1), splitUniaxial(s), -0.5);
    }
    for (const double g : kSmallShears) {
        expectStress(paste, shearGradient(g), splitShear(g), 0);
        expectStress(clay, shearGradient(g), splitShear(g), -0.5);
    }
}
TEST(ClosedForm, LiquidShearsAsNewtonWrote)
{
    const Liquid law{1e5f, 7, 3, 0};
    MatD grad = 0.0 * MatD::identity();
    grad[0][1] = 8; // couette flow at 8/s
    const MatD tau = respond(law, -0.03, grad).tau.matrix();
    const double p = 1e5 * (std::pow(0.97, -7) - 1);
    EXPECT_NEAR(tau[0][1], 0.97 * 3 * 8, 1e-5);
    EXPECT_NEAR(tau[0][0], -0.97 * p, 1e-6 * p);
    EXPECT_NEAR(tau[2][2], -0.97 * p, 1e-6 * p);
}
