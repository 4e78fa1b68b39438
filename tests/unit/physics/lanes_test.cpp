#include <floe/sdk/physics/material.hpp>
#include <floe/sdk/physics/pack.hpp>
#include <floe/sdk/physics/spline.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace floe::physics;

namespace {

double unitsInLastPlace(float got, double exact)
{
    const float rounded = static_cast<float>(exact);
    const float next = std::nextafter(std::abs(rounded), INFINITY);
    return std::abs(got - exact) / (double(next) - std::abs(rounded));
}

} // namespace

TEST(Elementary, ExpAndLogAreWithinTwoUnitsInTheLastPlace)
{
    for (float x = -86; x < 88; x += 0.0137f)
        ASSERT_LT(unitsInLastPlace(floe::physics::exp(x), std::exp(double(x))), 2) << x;
    for (float x = 1.2e-38f; x < 1e38f; x *= 1.00731f)
        ASSERT_LT(unitsInLastPlace(floe::physics::log(x), std::log(double(x))), 2) << x;
    for (float x = 0.9f; x < 1.1f; x += 1.7e-5f) // near log's zero
        ASSERT_LT(unitsInLastPlace(floe::physics::log(x), std::log(double(x))), 2) << x;
}
TEST(Elementary, OutOfRangeArgumentsStayFinite)
{
    for (float x : {-1e30f, -1.0f, 0.0f, 1e-45f})
        EXPECT_TRUE(std::isfinite(floe::physics::log(x))) << x;
    for (float x : {-1e30f, -100.0f, 100.0f, 1e30f})
        EXPECT_TRUE(std::isfinite(floe::physics::exp(x))) << x;
}

TEST(Spline, WeightsSumToOneReproduceThePositionAndHaveConstantInertia)
{
    for (float x = -3; x < 3; x += 0.0173f) {
        const auto s = quadraticSpline(x);
        EXPECT_GE(s.f, 0.5f);
        EXPECT_LT(s.f, 1.5f);
        double total = 0, first = 0, second = 0;
        for (int i = 0; i < 3; ++i) {
            const double node = s.base + i;
            EXPECT_GE(s.w[i], 0);
            total += s.w[i];
            first += s.w[i] * node;
            second += s.w[i] * (node - x) * (node - x);
        }
        EXPECT_NEAR(total, 1, 2e-7);
        EXPECT_NEAR(first, x, 1e-6);
        EXPECT_NEAR(second, 0.25, 1e-6); // why APIC's D is dx^2/4 wherever the particle is
    }
}
TEST(Spline, CubicOnesDoSoToo)
{
    for (float x = -3; x < 3; x += 0.0173f) {
        const auto s = cubicSpline(x);
        EXPECT_GE(s.f, 1.0f);
        EXPECT_LT(s.f, 2.0f);
        double total = 0, first = 0, second = 0;
        for (int i = 0; i < 4; ++i) {
            const double node = s.base + i, d = std::abs(node - x);
            // Stomakhin et al. 2013, section 4
            const double expected =
                d < 1 ? d * d * d / 2 - d * d + 2.0 / 3 : -d * d * d / 6 + d * d - 2 * d + 4.0 / 3;
            EXPECT_NEAR(s.w[i], expected, 2e-7);
            total += s.w[i];
            first += s.w[i] * node;
            second += s.w[i] * (node - x) * (node - x);
        }
        EXPECT_NEAR(total, 1, 2e-7);
        EXPECT_NEAR(first, x, 1e-6);
        EXPECT_NEAR(second, 1.0 / 3, 2e-6);
    }
}

namespace {

template <int N>
void expectLanesAreScalars()
{
    using Real = Pack<float, N>;
    std::mt19937 random(41);
    std::normal_distribution<float> normal;
    std::vector<Material> materials;
    const Lame l = lameFromYoung(1e5f, 0.3f);
    const auto add = [&](LawKind kind, auto fill) {
        Material m;
        m.kind = kind;
        fill(m);
        materials.push_back(m);
    };
    add(LawKind::fixedCorotated, [&](Material& m) { m.fixedCorotated = {l.mu, l.lambda}; });
    add(LawKind::neoHookean, [&](Material& m) { m.neoHookean = {l.mu, l.lambda}; });
    add(LawKind::hencky, [&](Material& m) { m.hencky = {l.mu, l.lambda}; });
    add(LawKind::snow,
        [&](Material& m) { m.snow = {l.mu, l.lambda, 2.5e-2f, 7.5e-3f, 10, 0.1f, 20}; });
    add(LawKind::druckerPrager, [&](Material& m) {
        m.druckerPrager = {{}, l.mu, l.lambda, 0.3f, 1e-3f};
    });
    add(LawKind::druckerPrager, [&](Material& m) {
        m.druckerPrager = {{}, l.mu, l.lambda, 0.3f, 1e-3f, DruckerPrager::sectionOf(0.6f, 1)};
    });
    add(LawKind::druckerPrager,
        [&](Material& m) { m.druckerPrager = {{}, l.mu, l.lambda, 0.3f, 1e-3f, 0, 0.05f, 0.8f}; });
    add(LawKind::vonMises, [&](Material& m) { m.vonMises = {{}, l.mu, l.lambda, 800, 100}; });
    add(LawKind::vonMises,
        [&](Material& m) { m.vonMises = {{}, l.mu, l.lambda, 800, 100, 0.05f, 0.0125f}; });
    add(LawKind::herschelBulkley, [&](Material& m) {
        m.herschelBulkley = {{}, 4e4f, 1e5f, 500, 20};
    });
    add(LawKind::herschelBulkley,
        [&](Material& m) { m.herschelBulkley = {{}, 4e4f, 1e5f, 500, 20, 0.5f}; });
    add(LawKind::camClay,
        [&](Material& m) { m.camClay = {{}, 4e4f, 8e4f, 0.3f, 1.5f, 1.5f, -0.04f}; });

    for (const Material& material : materials)
        for (int trial = 0; trial < 50; ++trial) {
            Mat3<float> F[N];
            Mat3<Real> packed;
            float state[N];
            Real packedState;
            visitLaw(material, [&](const auto& law) {
                for (int lane = 0; lane < N; ++lane) {
                    F[lane] = Mat3<float>::identity();
                    state[lane] = law.initialState();
                    if (material.kind == LawKind::vonMises) // sound, failing and failed
                        state[lane] = 0.05f * std::abs(normal(random));
                    packedState.set(lane, state[lane]);
                    for (int i = 0; i < 3; ++i)
                        for (int j = 0; j < 3; ++j) {
                            F[lane][i][j] += 0.1f * normal(random);
                            packed[i][j].set(lane, F[lane][i][j]);
                        }
                }
                if constexpr (requires { law.kPlastic; }) {
                    const Response<Real> all = respond(law, packed, packedState, Real(1e-3f));
                    for (int lane = 0; lane < N; ++lane) {
                        const Response<float> one = respond(law, F[lane], state[lane], 1e-3f);
                        // Same operations in the same order: equal to rounding (contraction to
                        // fused multiply-adds may differ between the two).
                        const float tolerance = 1e-5f * one.waveModulus;
                        ASSERT_NEAR(all.tau.xx[lane], one.tau.xx, tolerance);
                        ASSERT_NEAR(all.tau.xy[lane], one.tau.xy, tolerance);
                        ASSERT_NEAR(all.tau.zz[lane], one.tau.zz, tolerance);
                        ASSERT_NEAR(all.waveModulus[lane], one.waveModulus, tolerance);
                        ASSERT_NEAR(packedState[lane], state[lane], 1e-5f);
                        for (int i = 0; i < 3; ++i)
                            for (int j = 0; j < 3; ++j)
                                ASSERT_NEAR(packed[i][j][lane], F[lane][i][j], 1e-5f);
                    }
                }
            });
        }
}

} // namespace

TEST(Lanes, EveryLaneOfAPackIsTheScalar)
{
    expectLanesAreScalars<8>(); // other widths are the same source, and take as long to compile
}
