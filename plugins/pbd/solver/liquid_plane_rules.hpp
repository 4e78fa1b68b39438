/// Which planes of a collider bound liquid. One text for the CPU and CUDA threads.
#pragma once

#include "liquid_planes.hpp"

#include <cmath>

namespace floe::pbd {

/// Whence planes are looked for, in a kernel's radius from the particle: where the collider is
/// concave some places are nearest to another side of it. Those farther away see past voxels that
/// round edges.
inline constexpr int kPlaneLooks = 13;
FLOE_HD Vec3f planeLook(int number)
{
    if (number == 0)
        return {0, 0, 0};
    const float far = number < 7 ? 0.5f : 0.8f, way = number % 2 ? far : -far;
    const int axis = (number - 1) / 2 % 3;
    return {axis == 0 ? way : 0, axis == 1 ? way : 0, axis == 2 ? way : 0};
}
/// Corners of a tetrahedron, about which gradients are taken.
FLOE_HD Vec3f tetrahedronCorner(int number)
{
    return {number == 0 || number == 3 ? 1.0f : -1.0f, number > 1 ? 1.0f : -1.0f,
            number == 1 || number == 3 ? 1.0f : -1.0f};
}
inline constexpr float kPlaneSees = 0.8f;      ///< of a kernel: how near a look must be
inline constexpr float kPlaneGradient = 0.02f; ///< of a kernel: corners of the tetrahedron
/// Shorter gradients lie between two sides, or where the distance is no longer known.
inline constexpr float kPlaneSize = 0.98f;
inline constexpr float kPlaneStep = 0.5f; ///< of a kernel: how far a side goes on

/// Whether addPlane() would take a plane, as far as others and distances show.
FLOE_HD bool isWanted(const LiquidPlanes& planes, const LiquidPlane& plane, float nearest,
                      float kernel)
{
    if (!(plane.distance < kernel && nearest - plane.distance < 0.1f * kernel))
        return false;
    for (const LiquidPlane& other : planes.plane)
        if (other.weight > 0 && physics::dot(plane.normal, other.normal) > 0.9f)
            return false;
    return true;
}

/// Adds a plane unless it is one of those that are there, or cuts off what is outside the collider.
/// @param nearest  distance of the particle from the collider [m]
FLOE_HD void addPlane(LiquidPlanes& planes, LiquidPlane plane, float nearest, float kernel)
{
    // In a concave collider no plane is nearer than it; beside a convex edge those of faces are.
    plane.weight = physics::clamp(1 - (nearest - plane.distance) / (0.1f * kernel), 0.0f, 1.0f);
    for (const LiquidPlane& other : planes.plane)
        if (other.weight > 0)
            plane.weight *=
                physics::clamp(2.25f - 2.5f * physics::dot(plane.normal, other.normal), 0.0f, 1.0f);
    if (plane.weight <= 0 || plane.distance >= kernel)
        return;
    for (LiquidPlane& free : planes.plane)
        if (free.weight <= 0) {
            free = plane;
            return;
        }
}

/// A step along a plane. @param angle  of its direction
FLOE_HD Vec3f alongPlane(const Vec3f& n, float step, float angle)
{
    const Vec3f across =
        physics::cross(n, physics::abs(n.x) < 0.6f ? Vec3f{1, 0, 0} : Vec3f{0, 1, 0});
    const Vec3f u = (1 / physics::length(across)) * across, w = physics::cross(n, u);
    return step * (std::cos(angle) * u + std::sin(angle) * w);
}
/// Angle of a step. @param turned  in a corner one pair of axes may end at sides where the one
///                                 between does not
FLOE_HD float planeAngle(bool turned, int quarter)
{
    return (turned ? 0.78539816f : 0.0f) + 1.5707963f * static_cast<float>(quarter);
}

/// Whether the collider's surface is a plane about a point of it: it goes on along two axes at
/// right angles, to one side at least. It does not where voxels round an edge, nor along a normal
/// between those of two sides.
/// @param slope  distance from the collider at steps of one length from the point, over that
///               length: every quarter of a turn
FLOE_HD bool isSide(const float (&slope)[4])
{
    constexpr float kFlat = 0.1f, kBent = 0.4f;
    const auto goesOn = [=](float a, float b) {
        return physics::abs(a) < kFlat || physics::abs(b) < kFlat || physics::min(a, b) > 0 ||
               (physics::abs(a - b) < 2 * kFlat && a + b > -kBent);
    };
    return goesOn(slope[0], slope[2]) && goesOn(slope[1], slope[3]);
}

} // namespace floe::pbd
