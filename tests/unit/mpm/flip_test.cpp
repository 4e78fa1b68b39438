// PIC and FLIP: what they damp and what they keep.

#include "backends.hpp"

using namespace floe::mpm;

template <class Where>
class Flip : public OnEachBackend<Where> {};
TYPED_TEST_SUITE(Flip, Backends);

namespace {

constexpr double kCell = 0.1;

SolverSettings weightless(double flip)
{
    SolverSettings s;
    s.cellSize = kCell;
    s.gravity = {0, 0, 0};
    s.transfer = Transfer::picFlip;
    s.flip = flip;
    return s;
}

SolverMaterial rubber()
{
    return material("fixedCorotated", 1000, {{"youngModulus", 1e5}});
}

/// Lets a block spin, stiff enough to stay one.
/// @return the share of its spin about z that is left, by the particles' own velocities
template <class Solver>
double spinLeft(double seconds, const SolverSettings& settings)
{
    SerialExecutor serial;
    Solver solver(settings, serial);
    solver.setMaterials({rubber()});
    const double half = kEmulated ? 0.2 : 0.4;
    Lattice block({-half, -half, -half}, {half, half, half}, kCell);
    for (std::size_t i = 0; i < block.count(); ++i) {
        block.v[3 * i] = -2 * block.x[3 * i + 1];
        block.v[3 * i + 1] = 2 * block.x[3 * i];
    }
    solver.addParticles(block.particles());
    const Totals begin = totals(solver);
    run(solver, seconds);
    return totals(solver).angularMomentum.z / begin.angularMomentum.z;
}

} // namespace

// In a quarter of a second (some hundred steps) PIC filters the spin away, FLIP keeps most of it
// and APIC all but rounding (Jiang et al. 2015, section 3).
TYPED_TEST(Flip, PicDampsSpinFlipKeepsItApicConservesIt)
{
    const auto left = [](const SolverSettings& settings) {
        return spinLeft<typename TestFixture::Solver>(kEmulated ? 0.08 : 0.25, settings);
    };
    EXPECT_LT(left(weightless(0)), 0.5);
    const double half = left(weightless(0.9));
    EXPECT_GT(half, 0.5);
    EXPECT_LT(half, 0.999);
    const double all = left(weightless(1));
    EXPECT_GT(all, std::max(half, 0.9));
    EXPECT_LT(all, 1.001);
    SolverSettings apic = weightless(0);
    apic.transfer = Transfer::apic;
    EXPECT_NEAR(left(apic), 1, 1e-4);
}

// The share is per time: shorter steps do not damp more, and the default keeps spin for turns.
TYPED_TEST(Flip, DampsByTimeNotBySteps)
{
    const double turn = kEmulated ? 0.1 : M_PI; // [s], at 2 radians a second
    SolverSettings coarse = weightless(kEmulated ? 0.5 : SolverSettings{}.flip), fine = coarse;
    fine.materialLimit = kEmulated ? 0.25 : 0.1;
    const double left = spinLeft<typename TestFixture::Solver>(turn, coarse);
    EXPECT_GT(left, kEmulated ? 0.3 : 0.8);
    EXPECT_NEAR(spinLeft<typename TestFixture::Solver>(turn, fine), left, 0.05);
}

// Momentum goes through the grid whatever the blend: n 6e-8 relative to what the parts carry.
TYPED_TEST(Flip, KeepsMomentum)
{
    for (const double flip : {0.0, 0.5, 1.0}) {
        typename TestFixture::Solver solver(weightless(flip), this->serial);
        solver.setMaterials({rubber()});
        const double edge = kEmulated ? 0.2 : 0.5;
        solver.addParticles(Lattice({0, 0, 0}, {edge, edge, edge}, kCell, {1, 0.2, 0}).particles());
        solver.addParticles(
            Lattice({edge + 0.1, 0, 0}, {2 * edge + 0.1, edge, edge}, kCell, {-0.7, 0, 0.1})
                .particles());
        const Totals begin = totals(solver);
        run(solver, kEmulated ? 0.08 : 0.2);
        const Totals end = totals(solver);
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(end.momentum[axis], begin.momentum[axis], 1e-4 * begin.mass) << flip;
    }
}

// Two equal blocks meet head on and part: what each had is reversed but for what stays as vibration
// (Sulsky et al. 1994). Stress has to reach what particles keep of their velocities.
TYPED_TEST(Flip, BlocksBounce)
{
    const auto speedAfter = [this](double flip) {
        typename TestFixture::Solver solver(weightless(flip), this->serial);
        solver.setMaterials({rubber()});
        const Lattice left({-0.65, -0.2, -0.2}, {-0.15, 0.2, 0.2}, kCell, {1, 0, 0});
        const Lattice right({0.15, -0.2, -0.2}, {0.65, 0.2, 0.2}, kCell, {-1, 0, 0});
        solver.addParticles(left.particles());
        solver.addParticles(right.particles());
        run(solver, kEmulated ? 0.35 : 0.6);
        const Frame frame(solver);
        double sum = 0;
        for (std::size_t i = 0; i < left.count(); ++i)
            sum += frame.v[3 * i];
        return sum / static_cast<double>(left.count());
    };
    EXPECT_LT(speedAfter(0.99), -0.7);
    if (!kEmulated) {
        EXPECT_LT(speedAfter(0.5), -0.6);
    }
}

TYPED_TEST(Flip, FallsFreely)
{
    SolverSettings settings = weightless(0.97);
    settings.cellSize = 0.05;
    settings.gravity = {0, -9.81, 0};
    typename TestFixture::Solver solver(settings, this->serial);
    solver.setMaterials({material("snow", 400)});
    const double edge = kEmulated ? 0.1 : 0.4, time = kEmulated ? 0.1 : 0.3;
    solver.addParticles(Lattice({0, 0, 0}, {edge, edge, edge}, 0.05).particles());
    run(solver, time);
    const Frame frame(solver);
    for (std::size_t i = 0; i < frame.id.size(); ++i)
        ASSERT_NEAR(frame.v[3 * i + 1], -9.81 * time, 1e-4);
}

// What velocities are finer than the grid stays a particle's own: neighbours that move to and fro
// are at rest on the grid, and decay by the share a frame of a 24th of a second.
TYPED_TEST(Flip, KeepsAsMuchOfWhatTheGridCannotCarryAsIsSaid)
{
    SolverSettings settings = weightless(0.6);
    settings.longestStep = 1e-3;
    typename TestFixture::Solver solver(settings, this->serial);
    solver.setMaterials({material("fixedCorotated", 1000, {{"youngModulus", 1}})});
    Lattice block({0, 0, 0}, {0.6, 0.6, 0.6}, kCell);
    for (std::size_t i = 0; i < block.count(); ++i) {
        int odd = 0;
        for (int axis = 0; axis < 3; ++axis)
            odd += static_cast<int>(std::floor(block.x[3 * i + axis] / (kCell / 2)));
        block.v[3 * i] = odd % 2 == 0 ? 0.01f : -0.01f;
    }
    solver.addParticles(block.particles());
    run(solver, SolverSettings::kFlipInterval);
    const Frame frame(solver);
    for (std::size_t i = 0; i < frame.id.size(); ++i) {
        const float* x = &block.x[3 * i];
        if (std::abs(x[0] - 0.3f) < 0.15f && std::abs(x[1] - 0.3f) < 0.15f &&
            std::abs(x[2] - 0.3f) < 0.15f) {
            ASSERT_NEAR(frame.v[3 * i] / block.v[3 * i], 0.6, 2e-3) << i;
        }
    }
}

// A run may change from one to the other between steps.
TYPED_TEST(Flip, GivesWayToApicAndBack)
{
    SolverSettings settings = weightless(0.9), apic = settings;
    apic.transfer = Transfer::apic;
    typename TestFixture::Solver solver(settings, this->serial);
    solver.setMaterials({rubber()});
    solver.addParticles(Lattice({0, 0, 0}, {0.2, 0.2, 0.2}, kCell, {1, 0.5, 0}).particles());
    const Totals begin = totals(solver);
    for (const SolverSettings& s : {apic, settings, apic, settings}) {
        for (int step = 0; step < 5; ++step)
            solver.advance(0.1); // scatters for the step after at once
        solver.setSettings(s);
    }
    const Totals end = totals(solver);
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(end.momentum[axis], begin.momentum[axis], 1e-4 * begin.mass);
    EXPECT_NEAR(end.kineticEnergy, begin.kineticEnergy, 1e-3 * begin.kineticEnergy);
}
