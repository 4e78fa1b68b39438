/// How soft bodies are drawn to their shapes: what is said of one particle. One text for the CPU
/// and CUDA threads.
#pragma once

#include "scene.hpp"

#include <cmath>

namespace floe::pbd {

FLOE_HD void addOuter(Mat3d& A, const Vec3d& a, const Vec3d& b)
{
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            A[row][column] += a[row] * b[column];
}

/// alpha / dt^2 of a spring of a frequency [1/s], times the particle's inverse mass.
FLOE_HD double complianceOf(double frequency, double dt)
{
    const double swing = 2 * 3.14159265358979323846 * frequency * dt;
    return 1 / (swing * swing);
}

/// Draws a particle to its goal.
/// @param off         from where it is to its goal [m]
/// @param multiplier  in, out: of the substep so far [kg m]
/// @param way         in, out: its displacement [m]
FLOE_HD void drawToGoal(const Vec3d& off, double compliance, Vec3f& multiplier, Vec3f& way)
{
    const Vec3d step = (1 / (1 + compliance)) * (off - compliance * toDouble(multiplier));
    multiplier = multiplier + toFloat(step);
    way = way + toFloat(step);
}

/// Adds a particle's inertia about a point. @param q  from there to it [m]
FLOE_HD void addInertia(Mat3d& inertia, double mass, const Vec3d& q)
{
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            inertia[row][column] +=
                mass * ((row == column ? physics::dot(q, q) : 0) - q[row] * q[column]);
}

/// Share of the velocity that deforms, which damping at a rate [1/s] takes in a substep.
FLOE_HD double dampedShare(double rate, double dt)
{
    return 1 - std::exp(-rate * dt);
}
/// @param rigid  velocity of the particle, were its body rigid [m/s]
FLOE_HD void dampVelocity(Vec3f& v, const Vec3d& rigid, double share)
{
    v = v + toFloat(share * (rigid - toDouble(v)));
}

} // namespace floe::pbd
