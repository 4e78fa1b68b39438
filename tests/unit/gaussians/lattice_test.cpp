#include "motion/lattice.hpp"

#include <gtest/gtest.h>

namespace floe::gaussians {
namespace {

const double kPi = std::acos(-1.0);

LatticeSettings box()
{
    LatticeSettings settings;
    settings.center = {0.5, 1, -0.25};
    settings.size = {0.5, 2, 0.75};
    settings.sections = 7;
    return settings;
}

void expectNear(const Vec3& found, const Vec3& expected, double tolerance)
{
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(found[axis], expected[axis], tolerance) << "axis " << axis;
}

// Evenly spaced control points reproduce a straight line, also beyond the box.
TEST(Lattice, AtRestIsTheIdentity)
{
    LatticeSettings settings = box();
    for (settings.axis = 0; settings.axis < 3; ++settings.axis)
        for (const Vec3& X : {Vec3{0.5, 1, -0.25}, Vec3{0.3, 0.2, 0}, Vec3{2, 5, -3}}) {
            const Lattice::Moved moved = Lattice(settings).at(X);
            expectNear(moved.x, X, 1e-12);
            for (int row = 0; row < 3; ++row)
                for (int column = 0; column < 3; ++column)
                    EXPECT_NEAR(moved.F[row][column], row == column, 1e-12);
        }
}

TEST(Lattice, TheGradientIsThatOfTheMotion)
{
    LatticeSettings settings = box();
    settings.bend = 1.2;
    settings.bendDirection = 0.7;
    settings.twist = -0.9;
    constexpr double kStep = 1e-5;
    for (settings.axis = 0; settings.axis < 3; ++settings.axis) {
        const Lattice lattice(settings);
        for (const Vec3& X : {Vec3{0.6, 1.3, -0.1}, Vec3{0.4, 0.1, -0.5}, Vec3{2, 4, 3}}) {
            const Mat3 F = lattice.at(X).F;
            for (int column = 0; column < 3; ++column) {
                Vec3 ahead = X, behind = X;
                ahead[column] += kStep;
                behind[column] -= kStep;
                // Second order in the step, and rounding over it.
                expectNear(0.5 / kStep * (lattice.at(ahead).x - lattice.at(behind).x),
                           F.column(column), 1e-8);
            }
        }
    }
}

// Ends of a Bernstein curve lie on its first and last control points: the near end stays, the far
// one is where an arc of the box's length ends, and has turned by the whole angle.
TEST(Lattice, BendsAlongAnArcAndTwists)
{
    LatticeSettings settings = box();
    settings.bend = 0.5 * kPi;
    const double radius = 2 / settings.bend;
    expectNear(Lattice(settings).at({0.6, 0, -0.3}).x, {0.6, 0, -0.3}, 1e-12);
    expectNear(Lattice(settings).at({0.5, 2, -0.25}).x, {0.5 + radius, radius, -0.25}, 1e-12);
    expectNear(Lattice(settings).at({0.6, 2, -0.25}).x, {0.5 + radius, radius - 0.1, -0.25}, 1e-12);
    settings.bendDirection = 0.5 * kPi; // from x to -z
    expectNear(Lattice(settings).at({0.5, 2, -0.25}).x, {0.5, radius, -0.25 - radius}, 1e-12);

    settings.bend = 0;
    settings.twist = 0.5 * kPi;
    expectNear(Lattice(settings).at({0.6, 2, -0.25}).x, {0.5, 2, -0.35}, 1e-12);
    expectNear(Lattice(settings).at({0.6, 0, -0.25}).x, {0.6, 0, -0.25}, 1e-12);
}

} // namespace
} // namespace floe::gaussians
