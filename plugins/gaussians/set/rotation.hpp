/// Rotations on the host, in double precision. Quaternions are x, y, z, w.
#pragma once

#include "floe/sdk/physics/svd.hpp"

#include <array>
#include <cmath>

namespace floe::gaussians {

using Vec3 = physics::Vec3<double>;
using Mat3 = physics::Mat3<double>;
using Quaternion = std::array<double, 4>;

inline constexpr Quaternion kNoTurn = {0, 0, 0, 1};

/// Returns false where there is no direction to scale to length 1.
inline bool normalise(Quaternion& q)
{
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 1e-12) || !std::isfinite(length))
        return false;
    for (double& part : q)
        part /= length;
    return true;
}

/// The rotation b, then the rotation a.
inline Quaternion times(const Quaternion& a, const Quaternion& b)
{
    return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
            a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
            a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
            a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

/// @param q  of length 1
inline Mat3 matrixOf(const Quaternion& q)
{
    const auto [x, y, z, w] = q;
    return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
             {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
             {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

/// @param R  a rotation
inline Quaternion quaternionOf(const Mat3& R)
{
    // The largest of the four is computed first: no division by what may be zero (Shepperd 1978).
    const double trace = R[0][0] + R[1][1] + R[2][2];
    Quaternion q;
    if (trace > R[0][0] && trace > R[1][1] && trace > R[2][2]) {
        q = {R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1], 1 + trace};
    } else {
        const int i =
            R[0][0] >= R[1][1] ? (R[0][0] >= R[2][2] ? 0 : 2) : (R[1][1] >= R[2][2] ? 1 : 2);
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        q[static_cast<std::size_t>(i)] = 1 + R[i][i] - R[j][j] - R[k][k];
        q[static_cast<std::size_t>(j)] = R[i][j] + R[j][i];
        q[static_cast<std::size_t>(k)] = R[k][i] + R[i][k];
        q[3] = R[k][j] - R[j][k];
    }
    return normalise(q) ? q : kNoTurn;
}

/// A rotation about x first, then y, then z [degrees].
inline Quaternion fromEuler(const std::array<double, 3>& degrees)
{
    Quaternion turn = kNoTurn;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double half = degrees[axis] * 3.14159265358979323846 / 360;
        Quaternion step = {0, 0, 0, std::cos(half)};
        step[axis] = std::sin(half);
        turn = times(step, turn);
    }
    return turn;
}

} // namespace floe::gaussians
