#include "by_stretch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>

using namespace floe::physics;

namespace {

using MatD = Mat3<double>;
using MatF = Mat3<float>;

const Lame kLame = lameFromYoung(1e5f, 0.3f);

/// The law as the tests see it: F in, energy or stress out, in double precision.
template <class Law>
double energyOf(const Law& law, const MatD& F, double state)
{
    return energyAt(law, svd(F).sigma, state);
}

MatD randomGradient(std::mt19937& random, double size)
{
    std::normal_distribution<double> normal;
    MatD F = MatD::identity();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            F[i][j] += size * normal(random);
    return F;
}

/// Checks materialModulus() against d2Psi/dsigma_i^2, the modulus of waves along the axes of F per
/// length at rest, by differences; relative error 1e-8 and cancellation of 1e-15 / h^2 = 1e-7.
template <class Law>
void expectMaterialModulusBoundsWaves(const Law& law)
{
    constexpr double h = 1e-4;
    std::mt19937 random(3);
    std::uniform_real_distribution<double> stretch(0.4, 3);
    for (int trial = 0; trial < 60; ++trial) {
        Vec3<double> sigma{stretch(random), stretch(random), stretch(random)};
        if (trial % 3 == 0) // two equal ones: the bound is exact where they are the longer ones
            sigma = {sigma.x, std::max(sigma.x, sigma.y), std::max(sigma.x, sigma.y)};
        const MatD F =
            compose(svd(randomGradient(random, 0.3)).U, sigma, svd(randomGradient(random, 0.3)).V);
        MatD H = F;
        for (int i = 0; i < 3; ++i)
            H[i][i] -= 1;
        const double shortest = std::min({sigma.x, sigma.y, sigma.z});
        const double b = largestInverseSquare(H);
        EXPECT_GT(b * shortest * shortest, 1 - 1e-6);
        EXPECT_LT(b * shortest * shortest, 4.0 / 3 + 1e-6);
        if (trial % 3 == 0) {
            EXPECT_NEAR(b * shortest * shortest, 1, 1e-6); // a third is single precision
        }
        double stiffest = law.restModulus();
        for (int i = 0; i < 3; ++i) {
            Vec3<double> up = sigma, down = sigma;
            up[i] += h;
            down[i] -= h;
            stiffest = std::max(stiffest, (energyAt(law, up, 0) - 2 * energyAt(law, sigma, 0) +
                                           energyAt(law, down, 0)) /
                                              (h * h));
        }
        const double bound = law.materialModulus(H, b);
        EXPECT_GT(bound, (1 - 1e-5) * stiffest);
        EXPECT_LT(bound, 4 * stiffest); // a step at most twice as short as it might be
    }
}

/// tau = P F^T with P_ij = dPsi/dF_ij by central differences; relative error h^2 = 1e-10 and, in an
/// energy computed to 1e-15, cancellation of 1e-10: 1e-6 of the modulus is far above both.
template <class Law>
void expectStressIsEnergyGradient(const Law& law, double state, double size)
{
    std::mt19937 random(17);
    const double h = 1e-5;
    for (int trial = 0; trial < 40; ++trial) {
        const MatD F = randomGradient(random, size);
        if (determinant(F) < 0.1)
            continue;
        MatD P;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                MatD up = F, down = F;
                up[i][j] += h;
                down[i][j] -= h;
                P[i][j] = (energyOf(law, up, state) - energyOf(law, down, state)) / (2 * h);
            }
        const MatD expected = P * transpose(F);
        const Svd<double> s = svd(F);
        const MatD tau = conjugateDiagonal(s.U, stressAt(law, s.sigma, state)).matrix();
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                ASSERT_NEAR(tau[i][j], expected[i][j], 1e-6 * law.restModulus());
    }
}

Snow snow()
{
    const Lame l = lameFromYoung(1.4e5f, 0.2f);
    return {l.mu, l.lambda, 2.5e-2f, 7.5e-3f, 10, 0.1f, 20};
}
DruckerPrager sand(float cohesion = 0)
{
    const float phi = 0.6f;
    return {{},
            kLame.mu,
            kLame.lambda,
            DruckerPrager::frictionSlope(phi),
            DruckerPrager::cohesionStrainOf(cohesion, phi, kLame)};
}
HerschelBulkley mud()
{
    return {{}, 4e4f, 1e5f, 500, 20};
}
CamClay clay()
{
    return {{}, 4e4f, 8e4f, 0.3f, 1.5f, CamClay::slopeOf(0.7f), -0.04f};
}

/// Random trial stretches from gentle to violent.
template <class Check>
void forRandomStretches(double spread, Check&& check)
{
    std::mt19937 random(23);
    std::normal_distribution<double> normal;
    for (int i = 0; i < 3000; ++i) {
        const double size = spread * std::pow(10.0, -(i % 4));
        check(Vec3<double>{std::exp(size * normal(random)), std::exp(size * normal(random)),
                           std::exp(size * normal(random))});
    }
}

/// Mapping an admissible state again must change nothing.
template <class Law>
void expectIdempotent(const Law& law, double tolerance)
{
    forRandomStretches(0.5, [&](const Vec3<double>& trial) {
        double state = law.initialState();
        const Vec3<double> once = mapped(law, trial, state);
        const double stateOnce = state;
        const Vec3<double> twice = mapped(law, once, state);
        for (int i = 0; i < 3; ++i)
            ASSERT_NEAR(twice[i], once[i], tolerance);
        ASSERT_NEAR(state, stateOnce, tolerance);
    });
}

double norm(const Vec3<double>& a)
{
    return std::sqrt(dot(a, a));
}

} // namespace

TEST(Laws, StressIsTheGradientOfTheEnergy)
{
    expectStressIsEnergyGradient(FixedCorotated{kLame.mu, kLame.lambda}, 1, 0.2);
    expectStressIsEnergyGradient(NeoHookean{kLame.mu, kLame.lambda}, 1, 0.2);
    expectStressIsEnergyGradient(Hencky{kLame.mu, kLame.lambda}, 0, 0.2);
    expectStressIsEnergyGradient(snow(), 0.95, 0.2);
    expectStressIsEnergyGradient(mud(), 0, 0.2);
    expectStressIsEnergyGradient(clay(), -0.04, 0.2);
}

TEST(Laws, ShortcutsGiveTheSameStressAsThePrincipalForm)
{
    std::mt19937 random(29);
    for (int trial = 0; trial < 200; ++trial) {
        const MatD F = randomGradient(random, 0.15);
        if (determinant(F) < 0.05)
            continue;
        const Svd<double> s = svd(F);
        MatD G = F;
        double state = 1;
        const FixedCorotated corotated{kLame.mu, kLame.lambda};
        const NeoHookean neo{kLame.mu, kLame.lambda};
        const MatD a = respond(corotated, G, state, 0.0).tau.matrix();
        const MatD b = conjugateDiagonal(s.U, stressAt(corotated, s.sigma, 1.0)).matrix();
        const MatD c = respond(neo, G, state, 0.0).tau.matrix();
        const MatD d = conjugateDiagonal(s.U, stressAt(neo, s.sigma, 1.0)).matrix();
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                ASSERT_NEAR(a[i][j], b[i][j], 1e-7 * corotated.restModulus());
                ASSERT_NEAR(c[i][j], d[i][j], 1e-7 * neo.restModulus());
            }
    }
}

// The time step rests on this bound: the acoustic modulus along a principal axis, by differences of
// the principal stress, must never exceed it.
template <class Law>
void expectModulusBoundsTheTangent(const Law& law, double state)
{
    forRandomStretches(0.4, [&](Vec3<double> sigma) {
        const double bound = modulusAt(law, sigma, state);
        const double h = 1e-6;
        for (int i = 0; i < 3; ++i) {
            Vec3<double> up = sigma, down = sigma;
            up[i] *= 1 + h;
            down[i] *= 1 - h;
            const double slope =
                (stressAt(law, up, state)[i] - stressAt(law, down, state)[i]) / (2 * h);
            const double modulus = slope - stressAt(law, sigma, state)[i];
            ASSERT_LE(modulus, bound * (1 + 1e-5) + 1e-3);
        }
    });
}
// Simple shear at rate g: tau_xy = mu t_d g, and none of the other shears.
TEST(Laws, DampingIsAShearViscosity)
{
    const NeoHookean law{kLame.mu, kLame.lambda, 0.01f};
    ASSERT_TRUE(isDamped(law));
    EXPECT_FALSE(isDamped(NeoHookean{kLame.mu, kLame.lambda}));
    Mat3<float> grad{};
    grad[0][1] = 3;
    Sym3<float> tau{};
    addDamping(law, grad, tau);
    EXPECT_FLOAT_EQ(tau.xy, kLame.mu * 0.01f * 3);
    EXPECT_EQ(tau.xx, 0);
    EXPECT_EQ(tau.yz, 0);
    EXPECT_FLOAT_EQ(shearViscosity(law), kLame.mu * 0.01f);
}

TEST(Laws, TheWaveModulusIsAnUpperBound)
{
    expectModulusBoundsTheTangent(FixedCorotated{kLame.mu, kLame.lambda}, 1);
    expectModulusBoundsTheTangent(NeoHookean{kLame.mu, kLame.lambda}, 1);
    expectModulusBoundsTheTangent(Hencky{kLame.mu, kLame.lambda}, 0);
    expectModulusBoundsTheTangent(snow(), 0.95);
    expectModulusBoundsTheTangent(mud(), 0);
    expectModulusBoundsTheTangent(clay(), -0.04);
}

TEST(Laws, TheMaterialModulusIsAnUpperBound)
{
    expectMaterialModulusBoundsWaves(FixedCorotated{kLame.mu, kLame.lambda});
    expectMaterialModulusBoundsWaves(NeoHookean{kLame.mu, kLame.lambda});
    expectMaterialModulusBoundsWaves(Hencky{kLame.mu, kLame.lambda});
}

TEST(Laws, ReturnMapsAreIdempotent)
{
    expectIdempotent(snow(), 0);
    expectIdempotent(sand(), 2e-7); // constants are single precision
    expectIdempotent(sand(300), 2e-7);
    expectIdempotent(VonMises{{}, kLame.mu, kLame.lambda, 800, 0}, 1e-5);
    expectIdempotent(VonMises{{}, kLame.mu, kLame.lambda, 800, 5000}, 1e-5);
    // Cam-Clay that softens has a smaller surface to return to the next time; one that hardens is
    // inside.
    const CamClay law = clay();
    int checked = 0;
    forRandomStretches(0.1, [&](const Vec3<double>& trial) {
        double alpha = law.alpha0;
        const Vec3<double> once = mapped(law, trial, alpha);
        if (alpha > law.alpha0)
            return;
        ++checked;
        const double hardened = alpha;
        const Vec3<double> twice = mapped(law, once, alpha);
        ASSERT_LT(norm(twice - once), 1e-5);
        ASSERT_NEAR(alpha, hardened, 1e-5);
    });
    EXPECT_GT(checked, 500);
}

// Singular values end exactly inside [1 - theta_c, 1 + theta_s] (Stomakhin et al. 2013, section 7).
TEST(Snow, ClampsExactlyAndKeepsTheWholeDeformation)
{
    const Snow law = snow();
    forRandomStretches(0.3, [&](const Vec3<double>& trial) {
        double J = 1;
        const Vec3<double> s = mapped(law, trial, J);
        for (int i = 0; i < 3; ++i) {
            ASSERT_GE(s[i], 1 - double(law.criticalCompression));
            ASSERT_LE(s[i], 1 + double(law.criticalStretch));
        }
        // det F = det F_E det F_P
        ASSERT_NEAR(J * product(s), product(trial), 1e-12 * product(trial));
    });
}
TEST(Snow, HardensByTheExponentOfPlasticCompression)
{
    const Snow law = snow();
    EXPECT_NEAR(law.hardeningFactor(0.9), std::exp(1.0), 1e-6);
    EXPECT_NEAR(law.hardeningFactor(0.5), 20.0, 1e-5); // held at the bound, not e^5
    EXPECT_NEAR(law.hardeningFactor(2.0), 0.1, 1e-6);
}

TEST(DruckerPrager, AfterProjectionTheStressIsOnOrInsideTheCone)
{
    const DruckerPrager law = sand();
    int onCone = 0, atTip = 0, inside = 0;
    forRandomStretches(0.2, [&](const Vec3<double>& trial) {
        double lost = 0;
        const Vec3<double> s = mapped(law, trial, lost);
        const Vec3<double> tau = stressAt(law, s, lost);
        const double pressure = -sum(tau) / 3; // compression positive
        const double shear = norm(deviator(tau));
        // |dev tau| <= sqrt(6) sin phi 2/(3 - sin phi) p in the terms of Mohr-Coulomb
        const double limit = 3 * law.alpha * pressure;
        ASSERT_GE(pressure, -1e-9 * law.mu);
        ASSERT_LE(shear, limit * (1 + 1e-6)); // constants are single precision
        if (sum(logarithm(trial)) >= 0) {
            ++atTip;
            ASSERT_LT(norm(tau), 1e-8 * law.mu);
        } else if (shear > limit * (1 - 1e-6))
            ++onCone;
        else
            ++inside;
    });
    EXPECT_GT(onCone, 100);
    EXPECT_GT(atTip, 100);
    EXPECT_GT(inside, 100);
}
// A triaxial test: at failure the ratio of principal stresses is that of the friction angle,
// (s1 - s3)/(s1 + s3) = sin phi, for a sample squeezed along one axis.
TEST(DruckerPrager, FailsAtItsFrictionAngleInTriaxialCompression)
{
    const DruckerPrager law = sand();
    double lost = 0;
    const Vec3<double> s = mapped(law, {0.9, 1.04, 1.04}, lost);
    const Vec3<double> tau = stressAt(law, s, lost);
    EXPECT_NEAR((tau.x - tau.y) / (tau.x + tau.y), std::sin(0.6), 1e-6);
}
TEST(DruckerPrager, LostVolumeComesBackBeforePressureDoes)
{
    const DruckerPrager law = sand();
    double lost = 0;
    mapped(law, {1.02, 1.01, 1.0}, lost); // pulled apart
    EXPECT_NEAR(lost, std::log(1.02 * 1.01), 1e-9);
    Vec3<double> s = mapped(law, {0.99, 1, 1}, lost); // pushed back, but not all the way
    EXPECT_LT(norm(stressAt(law, s, lost)), 1e-6 * law.mu);
    EXPECT_NEAR(lost, std::log(1.02 * 1.01 * 0.99), 1e-9);
    s = mapped(law, {0.97, 0.99, 0.99}, lost); // now there is contact
    EXPECT_GT(-sum(stressAt(law, s, lost)), 1e-3 * law.mu);
    EXPECT_EQ(lost, 0);
}
// Loose grains: pressure along the cap is in proportion to the volume taken, until there is no more
// to take; what is taken stays, and stretching gives it back.
TEST(DruckerPrager, LooseGrainsArePressedTogetherForGood)
{
    DruckerPrager law = sand();
    const double bulk = kLame.lambda + 2.0 / 3 * kLame.mu, full = 0.1 * bulk;
    law.looseness = 0.05f;
    law.yielding = DruckerPrager::yieldingOf(law.looseness, static_cast<float>(full), kLame);
    const auto pressed = [&](double logVolume, Vec3<double>& s, double& lost) {
        const double edge = std::exp(logVolume / 3);
        s = mapped(law, {edge * s.x, edge * s.y, edge * s.z}, lost);
        return -sum(stressAt(law, s, lost)) / 3;
    };
    double lost = 0;
    Vec3<double> s{1, 1, 1};
    for (int step = 0; step < 9; ++step) { // as much is elastic as twice what is taken
        const double pressure = pressed(-0.01, s, lost);
        EXPECT_NEAR(pressure, full * -lost / 0.05, 1e-4 * full) << step;
        EXPECT_NEAR(-lost, 0.01 * (step + 1) / 3, 1e-6) << step;
    }
    const double before = lost;
    EXPECT_NEAR(pressed(0.02, s, lost), full * -before / 0.05 - 0.02 * bulk, 1e-4 * full);
    EXPECT_EQ(lost, before); // unloading is elastic
    EXPECT_NEAR(pressed(-0.2, s, lost), (0.09 + 0.18 - 0.05) * bulk, 1e-4 * full);
    EXPECT_NEAR(lost, -0.05, 1e-7); // dense
    pressed(0.25, s, lost);         // 0.03 beyond the tip
    EXPECT_NEAR(lost, -0.02, 1e-6);
    EXPECT_NEAR(pressed(0.04, s, lost), 0, 1e-6 * full);
    EXPECT_NEAR(lost, 0.02, 1e-6); // loose again, and apart
    expectIdempotent(law, 1e-5);
}
TEST(DruckerPrager, CohesionBearsTheTensionOfMohrCoulombsTip)
{
    const float cohesion = 300;
    const DruckerPrager law = sand(cohesion);
    double lost = 0;
    const Vec3<double> s = mapped(law, {1.5, 1.5, 1.5}, lost);
    const Vec3<double> tau = stressAt(law, s, lost);
    EXPECT_NEAR(tau.x, cohesion / std::tan(0.6), 0.1);
}

// What a friction angle means: on no plane is shear more than tan phi times the pressure, so that
// (largest - least) / (largest + least) principal stress is sin phi. The round cone keeps that
// under triaxial compression alone.
TEST(DruckerPrager, CoulombsShareKeepsTheFrictionAngleInEveryDirection)
{
    const float phi = 35 * 0.0174532925f;
    const DruckerPrager cone{{}, kLame.mu, kLame.lambda, DruckerPrager::frictionSlope(phi), 0};
    DruckerPrager grains = cone;
    grains.section = DruckerPrager::sectionOf(phi, 1);
    const auto angle = [](const DruckerPrager& law, const Vec3<double>& strain) {
        double lost = 0;
        const Vec3<double> s =
            mapped(law, {std::exp(strain.x), std::exp(strain.y), std::exp(strain.z)}, lost);
        const Vec3<double> tau = stressAt(law, s, lost);
        const double least = std::min({tau.x, tau.y, tau.z}),
                     most = std::max({tau.x, tau.y, tau.z});
        return std::asin((most - least) / -(most + least)) / 0.0174532925;
    };
    // Pressed along one axis, along two, and in a plane.
    const Vec3<double> compression{0.05, 0.05, -0.14}, extension{-0.09, -0.09, 0.14},
        plane{-0.11, -0.01, 0.09};
    EXPECT_NEAR(angle(grains, compression), 35, 0.01);
    EXPECT_NEAR(angle(cone, compression), 35, 0.01);
    EXPECT_NEAR(angle(grains, extension), 35, 0.01);
    EXPECT_GT(angle(cone, extension), 65);
    // Measured: up to a ninth more than under triaxial compression (Cornforth 1964; Matsuoka and
    // Nakai 1974 give 39 degrees).
    EXPECT_NEAR(angle(grains, plane), 38.5, 1);
    EXPECT_GT(angle(cone, plane), 50);
    expectIdempotent(grains, 1e-5);
}

TEST(VonMises, YieldsAtTheUniaxialYieldStressAndHardens)
{
    const VonMises soft{{}, kLame.mu, kLame.lambda, 800, 0};
    const VonMises hard{{}, kLame.mu, kLame.lambda, 800, 5000};
    int yielded = 0;
    forRandomStretches(0.2, [&](const Vec3<double>& trial) {
        double a = 0, b = 0;
        const Vec3<double> s = mapped(soft, trial, a), t = mapped(hard, trial, b);
        // von Mises stress sqrt(3/2) |dev tau| equals the yield stress while flowing; 1 Pa is the
        // slack that makes the map idempotent (4e-7 of 2 mu and rounding).
        const double vonMises = std::sqrt(1.5) * norm(deviator(stressAt(soft, s, a)));
        const double hardened = std::sqrt(1.5) * norm(deviator(stressAt(hard, t, b)));
        ASSERT_LE(vonMises, 801);
        ASSERT_LE(hardened, 801 + 5000 * b);
        ASSERT_NEAR(product(s), product(trial), 1e-7 * product(trial)); // flow keeps volume
        if (a > 0) {
            ++yielded;
            ASSERT_GT(vonMises, 799);
        }
    });
    EXPECT_GT(yielded, 500);
}

TEST(HerschelBulkley, RelaxesTowardsTheYieldStressAtTheRateOfItsViscosity)
{
    const HerschelBulkley law = mud();
    const Vec3<double> trial{1.1, 1.0, 0.93};
    const auto shear = [&](const Vec3<double>& s) {
        return norm(deviator(stressAt(law, s, 0.0)));
    };
    const double before = shear(trial), yield = std::sqrt(2.0 / 3) * law.yieldStress;
    double state = 0;
    ASSERT_GT(before, yield);
    // dt = 0: nothing flows. Long time: exactly the yield stress. Between: backward Euler of
    // ds/dt = -(mu/K)(s - yield).
    EXPECT_NEAR(shear(mapped(law, trial, state, 0.0)), before, 1e-9);
    EXPECT_NEAR(shear(mapped(law, trial, state, 1e6)), yield, 1e-5 * yield);
    const double dt = 2e-4;
    const double expected = before - (before - yield) / (1 + law.viscosity / (law.mu * dt));
    EXPECT_NEAR(shear(mapped(law, trial, state, dt)), expected, 1e-6 * before);
}
TEST(HerschelBulkley, TheExcessSolvesTheEquationForAnyIndex)
{
    for (const float index : {0.2f, 0.33f, 0.5f, 0.9f, 1.0f, 1.4f, 2.0f})
        for (double excess = 1; excess < 1e6; excess *= 7)
            for (double dt = 1e-7; dt < 1e3; dt *= 30) {
                const HerschelBulkley law{{}, 4e4f, 1e5f, 500, 20, index};
                const double x = excess * law.relaxation(excess, dt);
                ASSERT_GE(x, 0);
                const double root2 = std::sqrt(2.0);
                const double flowed =
                    root2 * 4e4 * dt * std::pow(x / (root2 * 20), 1 / double(index));
                ASSERT_NEAR(x + flowed, excess, 1e-6 * excess) << index << ' ' << excess;
            }
    // Without viscosity all of it goes at once.
    EXPECT_LT((HerschelBulkley{{}, 4e4f, 1e5f, 500, 0, 0.5f}.relaxation(100.0, 1e-4)), 1e-6);
}

TEST(CamClay, AfterProjectionTheStressIsOnOrInsideTheEllipse)
{
    const CamClay law = clay();
    int moved = 0;
    forRandomStretches(0.1, [&](const Vec3<double>& trial) {
        double alpha = law.alpha0;
        const double p0 = law.preconsolidation(alpha), pMin = -law.beta * p0;
        const Vec3<double> s = mapped(law, trial, alpha);
        const Vec3<double> tau = stressAt(law, s, alpha);
        const double p = -sum(tau) / 3, q = std::sqrt(1.5) * norm(deviator(tau));
        const double y = (1 + 2 * law.beta) * q * q + law.M * law.M * (p - pMin) * (p - p0);
        // the slack that makes the map idempotent: 1e-6 of kappa in p, 1e-5 in q
        ASSERT_LE(y, 1e-4 * law.M * law.M * p0 * p0);
        moved += norm(s - trial) > 1e-6;
    });
    EXPECT_GT(moved, 500);
}
TEST(CamClay, CrushingConsolidatesAndTearingLoosens)
{
    const CamClay law = clay();
    double crushed = law.alpha0, torn = law.alpha0;
    mapped(law, {0.9, 0.9, 0.9}, crushed);
    mapped(law, {1.1, 1.1, 1.1}, torn);
    EXPECT_LT(crushed, law.alpha0); // larger p0: harder
    EXPECT_GT(torn, law.alpha0);
}

TEST(Liquid, PressureFollowsColesLawAndItsSoundSpeed)
{
    const Liquid water{1e5f, 7, 0, 0};
    EXPECT_NEAR(water.pressure(-0.01), 1e5 * (std::pow(0.99, -7) - 1), 1e-6);
    EXPECT_EQ(water.pressure(0.01), 0); // no suction
    const Liquid sticky{1e5f, 7, 0, 1e9f};
    const double h = 1e-6;
    for (double J : {0.8, 0.95, 1.0, 1.05}) {
        const double v = J - 1;
        // p = -dPsi/dJ
        const double slope = (sticky.energy(v + h) - sticky.energy(v - h)) / (2 * h);
        EXPECT_NEAR(sticky.pressure(v), -slope, 1e-3);
        // rho0 c^2 = dp / d(1/J)
        const double c2 =
            (sticky.pressure(v - h) - sticky.pressure(v + h)) / (1 / (J - h) - 1 / (J + h));
        const MatD still = 0.0 * MatD::identity();
        EXPECT_GE(respond(sticky, v, still).waveModulus, c2 * (1 - 1e-6));
    }
}
TEST(Liquid, ViscousStressIsNewtonsAndFreeOfTrace)
{
    const Liquid honey{1e5f, 7, 10, 0};
    MatD grad{{{0.3, 2, 0}, {0, -0.1, 0}, {0.5, 0, 0.2}}};
    const MatD tau = respond(honey, 0.0, grad).tau.matrix();
    EXPECT_NEAR(tau[0][1], 10 * 2, 1e-5);
    EXPECT_NEAR(tau[0][2], 10 * 0.5, 1e-5);
    EXPECT_NEAR(trace(tau), 0, 1e-5);
    // a rigid rotation shears nothing
    const MatD spin{{{0, -3, 0}, {3, 0, 0}, {0, 0, 0}}};
    EXPECT_NEAR(squaredNorm(respond(honey, 0.0, spin).tau.matrix()), 0, 1e-10);
}

TEST(Parameters, EveryLawIsFoundByNameAndBuiltFromItsDefaults)
{
    for (const char* name : {"fixedCorotated", "neoHookean", "hencky", "liquid", "snow",
                             "druckerPrager", "vonMises", "herschelBulkley", "camClay"}) {
        const LawDescription* law = findLaw(name);
        ASSERT_NE(law, nullptr) << name;
        const Material m = makeMaterial(
            law->kind, 1000, [](const LawParameter& parameter) { return parameter.value; });
        EXPECT_EQ(m.kind, law->kind);
        const float modulus = visitLaw(m, [](const auto& l) { return l.restModulus(); });
        EXPECT_GT(modulus, 1e3f) << name;
        EXPECT_TRUE(std::isfinite(modulus)) << name;
    }
    EXPECT_EQ(findLaw("granite"), nullptr);
}
TEST(Parameters, BulkAndShearModulusAreThoseOfYoungAndPoisson)
{
    // E = 9 K G / (3 K + G), nu = (3 K - 2 G) / (2 (3 K + G))
    const Material m = makeMaterial(LawKind::camClay, 1000, [](const LawParameter& parameter) {
        return std::string_view(parameter.name) == "youngModulus"   ? 3e6
               : std::string_view(parameter.name) == "poissonRatio" ? 0.25
                                                                    : parameter.value;
    });
    const double K = m.camClay.kappa, G = m.camClay.mu;
    EXPECT_NEAR(9 * K * G / (3 * K + G), 3e6, 3);
    EXPECT_NEAR((3 * K - 2 * G) / (2 * (3 * K + G)), 0.25, 1e-6);
}
