#pragma once

/// Rigid motion with uniform scale: composing, interpolating and applying the keys of a transform
/// value. A point p of a shape's own space lies in the world at
///     position + rotation * (scale * p).
/// Quaternions are (x, y, z, w).

#include "floe/sdk/floe.h"
#include "floe/sdk/world/pose.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace floe::sdk {

using Quaternion = std::array<double, 4>;

inline Quaternion multiply(const Quaternion& a, const Quaternion& b)
{
    return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
            a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
            a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
            a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

inline Quaternion conjugate(const Quaternion& q)
{
    return {-q[0], -q[1], -q[2], q[3]};
}

inline std::array<double, 3> rotate(const Quaternion& q, const std::array<double, 3>& v)
{
    const world::Vec3d turned = world::rotate(q.data(), {v[0], v[1], v[2]});
    return {turned.x, turned.y, turned.z};
}

/// Rotation from Euler angles [degrees]: about x first, then about the world's y, then z.
inline Quaternion fromEuler(const std::array<double, 3>& degrees)
{
    constexpr double kHalfRadian = 3.14159265358979323846 / 360;
    const auto turn = [&](std::size_t axis) {
        Quaternion q{0, 0, 0, std::cos(degrees[axis] * kHalfRadian)};
        q[axis] = std::sin(degrees[axis] * kHalfRadian);
        return q;
    };
    return multiply(turn(2), multiply(turn(1), turn(0)));
}

/// Interpolates rotations along the shorter arc at constant angular speed (Shoemake 1985).
inline Quaternion slerp(const Quaternion& a, Quaternion b, double t)
{
    double cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    if (cosine < 0) {
        cosine = -cosine;
        for (double& part : b)
            part = -part;
    }
    double wa = 1 - t, wb = t;
    if (cosine < 0.9999) { // else the arc is short enough for linear interpolation
        const double angle = std::acos(cosine);
        wa = std::sin((1 - t) * angle) / std::sin(angle);
        wb = std::sin(t * angle) / std::sin(angle);
    }
    Quaternion q{};
    double norm = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        q[i] = wa * a[i] + wb * b[i];
        norm += q[i] * q[i];
    }
    for (double& part : q)
        part /= std::sqrt(norm);
    return q;
}

/// Transforms a point from the shape's own space to the world.
inline std::array<double, 3> toWorld(const floe_transform_key& key,
                                     const std::array<double, 3>& point)
{
    const world::Vec3d p = world::toWorld(key, {point[0], point[1], point[2]});
    return {p.x, p.y, p.z};
}

/// Inverse of toWorld().
inline std::array<double, 3> toOwn(const floe_transform_key& key,
                                   const std::array<double, 3>& point)
{
    const world::Vec3d p = world::toOwn(key, {point[0], point[1], point[2]});
    return {p.x, p.y, p.z};
}

/// Composes two poses: a point is moved by `child`, then by `parent`. Has the child's frame.
inline floe_transform_key compose(const floe_transform_key& parent, const floe_transform_key& child)
{
    floe_transform_key key = child;
    const auto position =
        toWorld(parent, {child.position[0], child.position[1], child.position[2]});
    const auto rotation =
        multiply({parent.rotation[0], parent.rotation[1], parent.rotation[2], parent.rotation[3]},
                 {child.rotation[0], child.rotation[1], child.rotation[2], child.rotation[3]});
    for (std::size_t i = 0; i < 3; ++i)
        key.position[i] = position[i];
    for (std::size_t i = 0; i < 4; ++i)
        key.rotation[i] = rotation[i];
    key.scale = parent.scale * child.scale;
    return key;
}

/// Returns the pose at a frame: linear in position and scale, slerp in rotation between keys,
/// constant before the first and after the last.
/// @param keys in increasing order of frame, at least one
inline floe_transform_key interpolate(std::span<const floe_transform_key> keys, double frame)
{
    std::size_t next = 0;
    while (next < keys.size() && keys[next].frame <= frame)
        ++next;
    floe_transform_key key = next == 0 ? keys.front() : keys[next - 1];
    if (next > 0 && next < keys.size()) {
        const floe_transform_key& a = keys[next - 1];
        const floe_transform_key& b = keys[next];
        const double t = (frame - a.frame) / (b.frame - a.frame);
        for (std::size_t i = 0; i < 3; ++i)
            key.position[i] = a.position[i] + t * (b.position[i] - a.position[i]);
        const Quaternion q = slerp({a.rotation[0], a.rotation[1], a.rotation[2], a.rotation[3]},
                                   {b.rotation[0], b.rotation[1], b.rotation[2], b.rotation[3]}, t);
        for (std::size_t i = 0; i < 4; ++i)
            key.rotation[i] = q[i];
        key.scale = a.scale + t * (b.scale - a.scale);
    }
    key.frame = frame;
    return key;
}

} // namespace floe::sdk
