// How metals tear.
#include "by_stretch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

using namespace floe::physics;

namespace {

const Lame kLame = lameFromYoung(1e5f, 0.3f);

double norm(const Vec3<double>& a)
{
    return std::sqrt(dot(a, a));
}

// A metal that tears, with w = 0.1, and one that does not.
VonMises brittle()
{
    return {{}, kLame.mu, kLame.lambda, 800, 500, 0.3f, 0.1f};
}
constexpr double kTorn = 0.3f + 0.1f;

/// A bar is pulled in small steps, sideways free to shrink, until its state is `until`.
Vec3<double> pulled(const VonMises& law, double& state, double until)
{
    Vec3<double> s{1, 1, 1};
    for (int i = 0; i < 10000 && state < until; ++i)
        s = mapped(law, {s.x * 1.002, s.y * 0.999, s.z * 0.999}, state);
    EXPECT_GE(state, until);
    return s;
}

} // namespace

// Up to the failure strain its strength is that of sound metal; then it falls, to a twentieth: a
// bar in two, but for shreds. Pressed together it pushes as before.
TEST(VonMises, TearsAtTheFailureStrain)
{
    VonMises sound = brittle();
    sound.failureStrain = 0;
    double a = 0, b = 0;
    const Vec3<double> s = pulled(sound, a, 0.29), t = pulled(brittle(), b, 0.29);
    EXPECT_EQ(a, b);
    EXPECT_EQ(stressAt(sound, s, a).x, stressAt(brittle(), t, b).x);

    const Vec3<double> torn = pulled(brittle(), b, kTorn), whole = pulled(sound, a, kTorn);
    const double strength = std::sqrt(2.0 / 3) * (800 + 500 * kTorn);
    EXPECT_NEAR(norm(deviator(stressAt(sound, whole, a))), strength, 1e-2 * strength);
    const Vec3<double> last = mapped(brittle(), {torn.x * 1.1, torn.y, torn.z * 0.95}, b);
    EXPECT_NEAR(norm(deviator(stressAt(brittle(), last, b))), 0.05 * strength, 1e-2 * strength);

    b = kTorn;
    const Vec3<double> pressed = mapped(brittle(), {0.97, 0.98, 0.99}, b);
    const Vec3<double> tau = stressAt(brittle(), pressed, b);
    const double pressure = -(tau.x + tau.y + tau.z) / 3;
    const double kappa = kLame.lambda + 2.0 / 3 * kLame.mu;
    EXPECT_NEAR(pressure, -kappa * std::log(0.97 * 0.98 * 0.99), 1e-3 * pressure);
    EXPECT_LT(norm(deviator(tau)), 0.06 * strength);
}

// What tearing takes, for each volume of the band that softens, is the energy that was asked for,
// be the band narrow or wide.
TEST(VonMises, TakesItsFractureEnergy)
{
    for (const float energy : {20.0f, 100.0f, 1000.0f}) {
        VonMises law = brittle();
        law.softening = VonMises::softeningOf(0.3f, 800 + 500 * 0.3f, energy);
        const double end = static_cast<double>(law.failureStrain + law.softening);
        double state = 0, taken = 0;
        Vec3<double> s = pulled(law, state, 0.3);
        for (int i = 0; i < 1000000 && state < end; ++i) {
            constexpr double kPull = 1e-4;
            const Vec3<double> tau = stressAt(law, s, state);
            taken += kPull * (tau.x - (tau.y + tau.z) / 2);
            s = mapped(law, {s.x * (1 + kPull), s.y * (1 - kPull / 2), s.z * (1 - kPull / 2)},
                       state);
        }
        taken += 950 * 950 / (2 * 1e5); // what was stored in stretch goes into the crack, too
        // Hardening raises the strength on the way by a few percent of itself.
        EXPECT_GT(taken, 0.97 * energy) << energy;
        EXPECT_LT(taken, energy * (1.02 + 0.4 * double(law.softening) * 500 / 950)) << energy;
    }
    EXPECT_EQ(VonMises::softeningOf(0.4f, 1000, 0), 0.1f);
    // Cells twice as fine soften over twice the strain.
    const auto widthAt = [](double cellSize) {
        return makeMaterial(
                   LawKind::vonMises, 1000,
                   [](const LawParameter& p) {
                       const std::string name = p.name;
                       return name == "failureStrain"    ? 0.5
                              : name == "fractureEnergy" ? 2000
                                                         : p.value;
                   },
                   cellSize)
            .vonMises.softening;
    };
    EXPECT_NEAR(widthAt(0.01), 2 * widthAt(0.02), 1e-6);
    EXPECT_NEAR(widthAt(0.02), 2 * 2000 / (kCrackBand * 0.02 * 1.05 * 1e5), 1e-4);
}

// A crack that opened shuts before its sides press against each other; no cycle gives more work
// than it took, and one that has opened further than is remembered presses a little early.
TEST(VonMises, AnOpenCrackShutsBeforeItPresses)
{
    const VonMises law = brittle();
    for (const double widest : {0.2, 0.9, 1.5}) {
        double state = kTorn, work = 0, opened = 0;
        Vec3<double> s{1, 1, 1};
        const auto move = [&](double step) {
            const Vec3<double> before = stressAt(law, s, state);
            s = mapped(law, {s.x * (1 + step), s.y, s.z}, state);
            work += step * (before.x + stressAt(law, s, state).x) / 2;
            opened += std::log1p(step);
        };
        while (opened < widest)
            move(1e-3);
        EXPECT_NEAR(state - kTorn, std::min(widest, 1.0), 5e-3);
        while (opened > std::max(widest - 1, 0.0) + 0.02) {
            move(-1e-3);
            ASSERT_LT(-stressAt(law, s, state).x, 200)
                << opened; // the shreds' strength, not a tenth of E
        }
        for (int i = 0; i < 60; ++i)
            move(-1e-3);
        EXPECT_GT(-stressAt(law, s, state).x, 1000);
        for (int i = 0; i < 60; ++i)
            move(1e-3);
        EXPECT_GE(work, -1e-3);
    }
}
