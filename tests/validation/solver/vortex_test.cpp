// The generalized vortex (Kamojjala, Brannon, Sadeghirad and Guilkey 2015): a ring of rubber whose
// circles turn against each other, by a body force that makes this the exact solution.

#include "scene.hpp"

#include <gtest/gtest.h>

#include <numbers>

using namespace floe::mpm;

namespace {

constexpr double kPi = std::numbers::pi, kInner = 0.75, kOuter = 1.25;
constexpr double kYoung = 1000, kPoisson = 0.3, kDensity = 1000;
constexpr double kShear = kYoung / (2 * (1 + kPoisson));

/// The angle alpha(R, t) = A g(t) h(R) by which a circle has turned, and its derivatives.
struct Turn {
    double amplitude;

    /// There and back in a second.
    double g(double t) const { return 0.5 * amplitude * (1 - std::cos(2 * kPi * t)); }
    double gRate(double t) const { return amplitude * kPi * std::sin(2 * kPi * t); }
    double gChange(double t) const { return 2 * amplitude * kPi * kPi * std::cos(2 * kPi * t); }
    static double h(double R)
    {
        const double s = R - 1;
        return 1 - 32 * s * s + 256 * s * s * s * s;
    }
    static double hSlope(double R)
    {
        const double s = R - 1;
        return -64 * s + 1024 * s * s * s;
    }
    static double hCurve(double R)
    {
        const double s = R - 1;
        return -64 + 3072 * s * s;
    }
};

/// Circles keep their radius, so a place tells all about the particle that is there. With
/// k = R alpha' the Cauchy stress is s_rt = mu k, s_tt = mu k^2, and
///
///     b_r = -R (d alpha/dt)^2 + mu R alpha'^2 / rho
///     b_t = R d^2 alpha/dt^2 - mu (3 alpha' + R alpha'') / rho
class VortexForce final : public floe::sdk::world::Force {
public:
    explicit VortexForce(Turn turn) : turn_(turn) {}

    void apply(floe::sdk::world::PointBatch& batch, double time, float dt) const override
    {
        const double t = time + 0.5 * dt, g = turn_.g(t);
        for (int i = 0; i < batch.count; ++i) {
            const double x = batch.corner.x + batch.x[0][i], y = batch.corner.y + batch.x[1][i];
            const double r = std::hypot(x, y), R = std::clamp(r, kInner, kOuter);
            if (!(r > 0))
                continue;
            const double h = Turn::h(R), slope = g * Turn::hSlope(R), curve = g * Turn::hCurve(R);
            const double rate = turn_.gRate(t) * h;
            const double radial = -R * rate * rate + kShear * R * slope * slope / kDensity;
            const double around =
                R * turn_.gChange(t) * h - kShear * (3 * slope + R * curve) / kDensity;
            batch.v[0][i] += static_cast<float>(dt * (radial * x - around * y) / r);
            batch.v[1][i] += static_cast<float>(dt * (radial * y + around * x) / r);
        }
    }

private:
    Turn turn_;
};

/// Returns the root of the mean squared distance of particles from where they should be [m], over
/// half a second, at whose end the shear is the largest.
/// @param cells  across the ring
double error(double amplitude, int cells, bool whole)
{
    const double cell = (kOuter - kInner) / cells;
    ThreadExecutor threads(2);
    SolverSettings settings;
    settings.cellSize = cell;
    settings.gravity = {0, 0, 0};
    Solver solver(settings, threads);
    SolverMaterial rubber =
        material("neoHookean", kDensity, {{"youngModulus", kYoung}, {"poissonRatio", kPoisson}});
    rubber.staysWhole = whole;
    solver.setMaterials({rubber});
    Domain slab; // plane strain
    slab.bounded = true;
    slab.center = {0, 0, 2 * cell};
    slab.halfSize = {8, 8, 2 * cell};
    slab.faces.fill(Contact::slip);
    solver.setDomain(slab);
    const Turn turn{amplitude};
    solver.setForces({std::make_shared<VortexForce>(turn)});
    const double edge = std::ceil(kOuter / cell) * cell;
    const Lattice square({-edge, -edge, 0}, {edge, edge, 4 * cell}, cell);
    Lattice ring;
    for (std::size_t i = 0; i < square.count(); ++i) {
        const double r = std::hypot(square.x[3 * i], square.x[3 * i + 1]);
        if (r > kInner && r < kOuter)
            ring.add({square.x[3 * i], square.x[3 * i + 1], square.x[3 * i + 2]}, {0, 0, 0},
                     square.volume[i]);
    }
    solver.addParticles(ring.particles());
    const Frame start(solver);
    double sum = 0, count = 0;
    for (int step = 0; step < 5; ++step) {
        run(solver, 0.1);
        const Frame now(solver);
        const double g = turn.g(solver.time());
        for (std::size_t i = 0; i < now.id.size(); ++i) {
            const double X = start.x[3 * i], Y = start.x[3 * i + 1];
            const double angle = g * Turn::h(std::hypot(X, Y));
            const double x = std::cos(angle) * X - std::sin(angle) * Y;
            const double y = std::sin(angle) * X + std::cos(angle) * Y;
            const double dx = now.x[3 * i] - x, dy = now.x[3 * i + 1] - y;
            sum += dx * dx + dy * dy;
            ++count;
        }
    }
    return std::sqrt(sum / count);
}

} // namespace

// Circles slide along each other by up to six times their distance. Each halving of cells should
// take three quarters of the error; the particles' cut at the ring's edges leaves between that and
// a half.
TEST(Vortex, ConvergesAtFullAmplitudeIfTheRingStaysWhole)
{
    const double coarse = error(1, 4, true), middle = error(1, 8, true), fine = error(1, 16, true);
    EXPECT_GT(coarse / middle, 2.5);
    EXPECT_GT(middle / fine, 2.5);
    EXPECT_LT(fine, 0.02);
    // On the grid in space particles lose sight of each other, however small its cells are.
    EXPECT_GT(error(1, 16, false), 0.05);
}

TEST(Vortex, ConvergesAtModerateAmplitudeInAnyCase)
{
    for (const bool whole : {true, false}) {
        const double coarse = error(0.1, 4, whole), middle = error(0.1, 8, whole),
                     fine = error(0.1, 16, whole);
        EXPECT_GT(coarse / middle, 2.5) << whole;
        EXPECT_GT(middle / fine, 2) << whole;
        EXPECT_LT(fine, 0.002) << whole;
    }
}
