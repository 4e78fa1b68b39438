#include "floe/base/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace floe {

namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

double sumOfSquares(const Angles& a, const Angles& b)
{
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

Angles turnedNear(Angles angles, const Angles& before)
{
    for (std::size_t k = 0; k < 3; ++k)
        angles[k] += 360 * std::round((before[k] - angles[k]) / 360);
    return angles;
}

} // namespace

UnitQuaternion followedBy(const UnitQuaternion& first, const UnitQuaternion& second)
{
    const auto& [x, y, z, w] = first;
    const auto& [a, b, c, d] = second;
    return {d * x + a * w + b * z - c * y, d * y - a * z + b * w + c * x,
            d * z + a * y - b * x + c * w, d * w - a * x - b * y - c * z};
}

UnitQuaternion orientationOf(const Angles& angles)
{
    UnitQuaternion whole{0, 0, 0, 1};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        UnitQuaternion turn{0, 0, 0, std::cos(0.5 * angles[axis] / kDegrees)};
        turn[axis] = std::sin(0.5 * angles[axis] / kDegrees);
        whole = followedBy(whole, turn);
    }
    return whole;
}

Angles rotationNear(const UnitQuaternion& orientation, const Angles& before)
{
    const auto [x, y, z, w] = orientation;
    // The matrix Rz Ry Rx, by rows: what the angles are read from.
    const double m00 = 1 - 2 * (y * y + z * z), m10 = 2 * (x * y + z * w);
    const double m20 = std::clamp(2 * (x * z - y * w), -1.0, 1.0);
    const double m21 = 2 * (y * z + x * w), m22 = 1 - 2 * (x * x + y * y);
    Angles angles{0, std::asin(-m20) * kDegrees, 0};
    if (std::hypot(m00, m10) > 1e-6) {
        angles[0] = std::atan2(m21, m22) * kDegrees;
        angles[2] = std::atan2(m10, m00) * kDegrees;
    } else { // straight up or down: only a sum of x and z matters, and z stays
        const double m01 = 2 * (x * y - z * w), m11 = 1 - 2 * (x * x + z * z);
        const double turn = std::atan2(m01, m11) * kDegrees; // sign y: x - z, or -(x + z)
        angles[2] = before[2];
        angles[0] = m20 < 0 ? turn + before[2] : -turn - before[2];
    }
    const Angles one = turnedNear(angles, before);
    const Angles other = turnedNear({angles[0] + 180, 180 - angles[1], angles[2] + 180}, before);
    return sumOfSquares(one, before) <= sumOfSquares(other, before) ? one : other;
}

std::array<double, 3> rotated(const UnitQuaternion& orientation, const std::array<double, 3>& v)
{
    const auto& [x, y, z, w] = orientation;
    const std::array<double, 3> t{2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]),
                                  2 * (x * v[1] - y * v[0])};
    return {v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
            v[2] + w * t[2] + x * t[1] - y * t[0]};
}

} // namespace floe
