// What must hold whatever the material: free fall, momentum, angular momentum, rigid motion,
// energy.

#include "backends.hpp"

using namespace floe::mpm;

template <class Where>
class Conservation : public OnEachBackend<Where> {};
TYPED_TEST_SUITE(Conservation, Backends);

namespace {

const char* const kSolids[] = {"fixedCorotated", "neoHookean",      "hencky", "snow",
                               "vonMises",       "herschelBulkley", "camClay"};

SolverSettings weightless(double cell = 0.1)
{
    SolverSettings s;
    s.cellSize = cell;
    s.gravity = {0, 0, 0};
    return s;
}

/// A cube that spins about its centre and moves, without gravity.
Lattice spinningCube(double cell, Vec3d center, double half, Vec3d spin, Vec3d velocity)
{
    Lattice cube(center - half * Vec3d{1, 1, 1}, center + half * Vec3d{1, 1, 1}, cell);
    for (std::size_t i = 0; i < cube.count(); ++i) {
        const Vec3d r = Vec3d{cube.x[3 * i], cube.x[3 * i + 1], cube.x[3 * i + 2]} - center;
        const Vec3d v = velocity + floe::physics::cross(spin, r);
        for (int axis = 0; axis < 3; ++axis)
            cube.v[3 * i + axis] = static_cast<float>(v[axis]);
    }
    return cube;
}

} // namespace

// v = g t whatever the steps, for every particle, and no strain. Each step rounds v once: n 6e-8
// relative.
TYPED_TEST(Conservation, FreeFallIsExactToRounding)
{
    for (const char* law : {"fixedCorotated", "liquid", "snow", "druckerPrager"}) {
        if (kEmulated && law[0] != 'l')
            continue;
        SolverSettings settings;
        settings.cellSize = 0.05;
        typename TestFixture::Solver solver(settings, this->serial);
        solver.setMaterials({material(law, 1000)});
        const Lattice cube({0, 0, 0}, {0.4, 0.4, 0.4}, 0.05);
        solver.addParticles(cube.particles());
        int steps = 0;
        double distance = 0, v = 0; // symplectic Euler moves with the new velocity
        while (solver.time() < 0.2) {
            const double dt = solver.advance(0.2 - solver.time());
            v -= 9.81 * dt;
            distance += v * dt;
            ++steps;
        }
        ASSERT_GT(steps, 10);
        const Frame frame(solver);
        const Frame start = [&] {
            typename TestFixture::Solver other(settings, this->serial);
            other.setMaterials({material(law, 1000)});
            other.addParticles(cube.particles());
            return Frame(other);
        }();
        for (std::size_t i = 0; i < frame.id.size(); ++i) {
            ASSERT_NEAR(frame.v[3 * i + 1], v, 1e-7 * steps * std::abs(v)) << law;
            ASSERT_NEAR(frame.x[3 * i + 1] - start.x[3 * i + 1], distance,
                        1e-7 * steps * std::abs(distance));
            ASSERT_NEAR(frame.v[3 * i], 0, 8e-6 * std::abs(v)); // a card rounds to 22 bits
            ASSERT_NEAR(frame.J[i], 1, 1e-5);
        }
    }
}

TYPED_TEST(Conservation, MomentumIsKeptWhenBodiesCollide)
{
    for (const char* law : kSolids) {
        if (kEmulated && law != kSolids[3])
            continue;
        typename TestFixture::Solver solver(weightless(), this->serial);
        solver.setMaterials({material(law, 400, {{"youngModulus", 1e5}})});
        const Lattice a({0, 0, 0}, {0.8, 0.8, 0.8}, 0.1, {2, 0.5, 0});
        const Lattice b({1.0, 0.3, 0.2}, {1.6, 0.9, 0.8}, 0.1, {-3, 0, 0.4});
        solver.addParticles(a.particles());
        solver.addParticles(b.particles());
        const Totals before = totals(solver);
        run(solver, 0.1);
        const Totals after = totals(solver);
        const double size = before.mass * 3;
        EXPECT_EQ(after.mass, before.mass);
        for (int axis = 0; axis < 3; ++axis) // rounding of sums, 10^3 numbers, 100 steps
            EXPECT_NEAR(after.momentum[axis], before.momentum[axis], 6e-6 * size) << law;
    }
}

// APIC keeps angular momentum (Jiang et al. 2015, section 5.4): particles' own plus the affine
// share.
TYPED_TEST(Conservation, AngularMomentumIsKept)
{
    for (const char* law : {"fixedCorotated", "neoHookean", "vonMises"}) {
        if (kEmulated && law[0] != 'v')
            continue;
        typename TestFixture::Solver solver(weightless(), this->serial);
        solver.setMaterials({material(law, 400, {{"youngModulus", 1e5}})});
        solver.addParticles(
            spinningCube(0.1, {0.03, 0.07, 0}, 0.5, {0, 2, 1}, {0.3, 0, 0}).particles());
        solver.advance(1e-3); // the lattice has no C yet: the first step gives it one
        const Totals before = totals(solver);
        run(solver, 0.25);
        const Totals after = totals(solver);
        const double size = floe::physics::length(before.angularMomentum);
        ASSERT_GT(size, 1);
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(after.angularMomentum[axis], before.angularMomentum[axis], 3e-4 * size)
                << law;
    }
}

// A stiff cube that spins keeps its shape: F stays a rotation up to centrifugal strain rho w^2 r^2
// / E = 1e-4, and turns by w t. The lattice starts without C, so angular momentum is first shared
// with it: w is then w0 r^2 / (r^2 + h^2/2), where r^2 = 2 half^2 / 3 is the mean square distance
// from the axis.
TYPED_TEST(Conservation, RigidRotationLeavesFARotation)
{
    typename TestFixture::Solver solver(weightless(0.05), this->serial);
    solver.setMaterials({material("fixedCorotated", 1000, {{"youngModulus", 1e6}})});
    solver.addParticles(spinningCube(0.05, {0, 0, 0}, 0.2, {0, 0, 2}, {0, 0, 0}).particles());
    run(solver, 0.5);
    const Frame frame(solver);
    double cosine = 0, sine = 0;
    for (std::size_t i = 0; i < frame.id.size(); ++i) {
        const float* F = &frame.F[9 * i];
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) {
                const double dot = F[a] * F[b] + F[3 + a] * F[3 + b] + F[6 + a] * F[6 + b];
                ASSERT_NEAR(dot, a == b, 0.01);
            }
        cosine += F[0];
        sine += F[3];
    }
    const double r2 = 2 * 0.2 * 0.2 / 3, w = 2 * r2 / (r2 + 0.05 * 0.05 / 2);
    EXPECT_NEAR(std::atan2(sine, cosine), w * 0.5, 0.01);
}

// A block thrown at another: what elasticity and motion hold together never exceeds what was put
// in. Half a per cent for the stress evaluated at the old positions (symplectic Euler).
TYPED_TEST(Conservation, EnergyNeverGrowsInAnElasticCollision)
{
    for (const char* law : {"fixedCorotated", "neoHookean", "hencky"}) {
        if (kEmulated && law[0] != 'h')
            continue;
        typename TestFixture::Solver solver(weightless(), this->serial);
        solver.setMaterials({material(law, 1000, {{"youngModulus", 1e5}})});
        solver.addParticles(Lattice({0, 0, 0}, {0.6, 0.6, 0.6}, 0.1, {2, 0, 0}).particles());
        solver.addParticles(Lattice({0.8, 0.1, 0}, {1.4, 0.7, 0.6}, 0.1, {-2, 0, 0}).particles());
        const Totals start = totals(solver);
        const double energy = start.kineticEnergy + start.elasticEnergy;
        double most = 0, stored = 0;
        for (int i = 0; i < 60; ++i) {
            run(solver, 0.005);
            const Totals now = totals(solver);
            most = std::max(most, now.kineticEnergy + now.elasticEnergy);
            stored = std::max(stored, now.elasticEnergy);
        }
        EXPECT_LT(most, 1.005 * energy) << law;
        EXPECT_GT(stored, 0.1 * energy) << law; // they did collide
    }
}

// An axial bar of two blocks' length: released from a stretch it swings with period 4 L / c between
// free end and fixed end; here free-free, so 2 L / c. P-wave speed with free sides is sqrt(E / rho)
// for nu = 0.
TYPED_TEST(Conservation, ABarSwingsAtItsSpeedOfSound)
{
    typename TestFixture::Solver solver(weightless(0.05), this->serial);
    const double E = 1e5, rho = 1000, length = 1.6, c = std::sqrt(E / rho);
    solver.setMaterials({material("fixedCorotated", static_cast<float>(rho),
                                  {{"youngModulus", E}, {"poissonRatio", 0}})});
    Lattice bar({0, 0, 0}, {length, 0.2, 0.2}, 0.05);
    const double k = M_PI / length;
    for (std::size_t i = 0; i < bar.count(); ++i)
        bar.v[3 * i] = static_cast<float>(0.05 * std::cos(k * bar.x[3 * i]));
    solver.addParticles(bar.particles());
    // The mode cos(k x) cos(w t), w = k c: count the sign changes of its amplitude.
    double previous = 1, lastCrossing = 0, firstCrossing = 0;
    int crossings = 0;
    while (solver.time() < 1.0) {
        solver.advance(0.002);
        const Frame f(solver);
        double amplitude = 0;
        for (std::size_t i = 0; i < f.id.size(); ++i)
            amplitude += f.v[3 * i] * std::cos(k * bar.x[3 * i]);
        if (amplitude * previous < 0) {
            lastCrossing = solver.time();
            firstCrossing = crossings++ == 0 ? solver.time() : firstCrossing;
        }
        previous = amplitude;
    }
    ASSERT_GE(crossings, 4);
    const double half = (lastCrossing - firstCrossing) / (crossings - 1);
    EXPECT_NEAR(half, length / c, 0.03 * length / c); // 32 cells to a half wave
}
