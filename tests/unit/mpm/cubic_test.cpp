// Cubic kernels: what holds for quadratic ones holds.

#include "backends.hpp"

using namespace floe::mpm;

template <class Where>
class Cubic : public OnEachBackend<Where> {};
TYPED_TEST_SUITE(Cubic, Backends);

namespace {

SolverSettings cubic(double cell = 0.1)
{
    SolverSettings s;
    s.cellSize = cell;
    s.gravity = {0, 0, 0};
    s.kernel = Kernel::cubic;
    return s;
}

Lattice spinningBlock(double cell, double half, Vec3d center, Vec3d velocity)
{
    Lattice block(center - half * Vec3d{1, 1, 1}, center + half * Vec3d{1, 1, 1}, cell);
    for (std::size_t i = 0; i < block.count(); ++i) {
        const Vec3d r = Vec3d{block.x[3 * i], block.x[3 * i + 1], block.x[3 * i + 2]} - center;
        const Vec3d v = velocity + floe::physics::cross(Vec3d{0, 1, 2}, r);
        for (int axis = 0; axis < 3; ++axis)
            block.v[3 * i + axis] = static_cast<float>(v[axis]);
    }
    return block;
}

} // namespace

// An affine velocity field goes to the grid and back unchanged, wherever in their cells the
// particles are: the mean by partition of unity, the gradient by D = h^2/3. Particles that lose a
// node at a block's border would show. The outermost cells see matter on one side alone: left out.
TYPED_TEST(Cubic, AnAffineFieldIsReproduced)
{
    typename TestFixture::Solver solver(cubic(), this->serial);
    solver.setMaterials({material("fixedCorotated", 1000, {{"youngModulus", 1}})});
    const double half = kEmulated ? 0.5 : 1, inside = kEmulated ? 0.2 : 0.5;
    Lattice block({-half - 0.03, -half + 0.03, -half - 0.01},
                  {half + 0.03, half - 0.03, half + 0.01}, 0.1, {0, 0, 0}, 3);
    for (std::size_t i = 0; i < block.count(); ++i) {
        const float *x = &block.x[3 * i], y = x[1], z = x[2];
        block.v[3 * i] = 0.3f + 0.2f * y - 0.1f * z;
        block.v[3 * i + 1] = -0.2f * x[0] + 0.4f * z;
        block.v[3 * i + 2] = 0.1f * x[0] - 0.4f * y;
    }
    solver.addParticles(block.particles());
    // The lattice brings no C: particles of one cell then differ from the field by its variation
    // over the kernel. After one step they have the gradient.
    const double dt = 1e-4;
    solver.advance(dt);
    const Frame first(solver);
    solver.advance(dt);
    const Frame second(solver);
    int checked = 0;
    for (std::size_t i = 0; i < second.id.size(); ++i) {
        const float* x = &first.x[3 * i];
        if (std::abs(x[0]) > inside || std::abs(x[1]) > inside || std::abs(x[2]) > inside)
            continue;
        ++checked;
        // 8.5 particles a cell and axis: their sums differ from the integrals by some per mille.
        ASSERT_NEAR(second.v[3 * i], 0.3 + 0.2 * x[1] - 0.1 * x[2], 1e-3);
        ASSERT_NEAR(second.v[3 * i + 1], -0.2 * x[0] + 0.4 * x[2], 1e-3);
        ASSERT_NEAR(second.v[3 * i + 2], 0.1 * x[0] - 0.4 * x[1], 1e-3);
    }
    EXPECT_GT(checked, kEmulated ? 1000 : 20000);
}

TYPED_TEST(Cubic, MomentumAndAngularMomentumAreKept)
{
    for (const char* law : {"fixedCorotated", "vonMises"}) {
        if (kEmulated && law[0] == 'f')
            continue;
        typename TestFixture::Solver solver(cubic(), this->serial);
        solver.setMaterials({material(law, 400, {{"youngModulus", 1e5}})});
        solver.addParticles(spinningBlock(0.1, 0.4, {0.03, 0.07, 0}, {1, 0, 0}).particles());
        solver.addParticles(spinningBlock(0.1, 0.3, {1.1, 0.2, 0.1}, {-1, 0, 0}).particles());
        solver.advance(1e-3); // the lattice has no C yet: the first step gives it one
        const Totals before = totals(solver);
        run(solver, kEmulated ? 0.1 : 0.4); // they meet, and cross many cells
        // Weights sum to one but for rounding, in every step.
        const double rounding = 1e-7 * solver.takeStatistics().steps;
        const Totals after = totals(solver);
        EXPECT_EQ(after.mass, before.mass);
        const double size = floe::physics::length(before.angularMomentum);
        for (int axis = 0; axis < 3; ++axis) {
            EXPECT_NEAR(after.momentum[axis], before.momentum[axis], rounding * before.mass) << law;
            EXPECT_NEAR(after.angularMomentum[axis], before.angularMomentum[axis], 3e-4 * size)
                << law;
        }
    }
}

// A cube that spins keeps its shape: centrifugal strain is rho w^2 r^2 / E = 5e-4.
TYPED_TEST(Cubic, RigidRotationLeavesFARotation)
{
    typename TestFixture::Solver solver(cubic(0.05), this->serial);
    solver.setMaterials({material("fixedCorotated", 1000, {{"youngModulus", 1e6}})});
    solver.addParticles(spinningBlock(0.05, 0.2, {0, 0, 0}, {0, 0, 0}).particles());
    run(solver, kEmulated ? 0.1 : 0.5);
    const Frame frame(solver);
    double turn = 0;
    for (std::size_t i = 0; i < frame.id.size(); ++i) {
        const float* F = &frame.F[9 * i];
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                ASSERT_NEAR(F[a] * F[b] + F[3 + a] * F[3 + b] + F[6 + a] * F[6 + b], a == b, 0.01);
        turn += std::acos((F[0] + F[4] + F[8] - 1) / 2) / static_cast<double>(frame.id.size());
    }
    EXPECT_GT(turn,
              kEmulated
                  ? 0.1
                  : 0.8); // of 0.5 sqrt(5) = 1.1 (0.22) less what C took of the spin at the start
}

TYPED_TEST(Cubic, FreeFallIsExactToRounding)
{
    SolverSettings s = cubic(0.05);
    s.gravity = {0, -9.81, 0};
    typename TestFixture::Solver solver(s, this->serial);
    solver.setMaterials({material("snow", 400)});
    const double edge = kEmulated ? 0.1 : 0.4, time = kEmulated ? 0.15 : 0.3;
    solver.addParticles(Lattice({0, 0, 0}, {edge, edge, edge}, 0.05).particles());
    run(solver, time); // 0.44 m: nine cells
    const double steps = solver.takeStatistics().steps;
    const Frame frame(solver);
    for (std::size_t i = 0; i < frame.id.size(); ++i) {
        // A card rounds to 22 bits of a block's largest sums.
        const double rounding = 1e-7 * steps + (std::is_same_v<TypeParam, OnCpu> ? 0 : 2e-5);
        ASSERT_NEAR(frame.v[3 * i + 1], -9.81 * time, rounding * 9.81 * time);
        ASSERT_NEAR(frame.J[i], 1, 1e-5);
    }
}
