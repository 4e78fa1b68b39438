#include "pose.hpp"

#include "rpc.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace floe::serve {

namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

[[noreturn]] void refuse(const std::string& name, const std::string& what)
{
    throw RpcError(RpcCode::InvalidParams, "'poses." + name + "' " + what);
}

template <std::size_t N>
std::array<double, N> numbers(const Json& value, const std::string& name)
{
    if (!value.is_array() || value.size() != N)
        refuse(name, "must be " + std::to_string(N) + " numbers");
    std::array<double, N> read{};
    for (std::size_t k = 0; k < N; ++k) {
        if (!value[k].is_number() || !std::isfinite(value[k].get<double>()))
            refuse(name, "must be " + std::to_string(N) + " numbers");
        read[k] = value[k].get<double>();
    }
    return read;
}

double sumOfSquares(const Vec3d& a, const Vec3d& b)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

Vec3d turnedNear(Vec3d angles, const Vec3d& before)
{
    for (int k = 0; k < 3; ++k)
        angles[k] += 360 * std::round((before[k] - angles[k]) / 360);
    return angles;
}

} // namespace

std::map<std::string, Pose> readPoses(const Json& poses)
{
    if (!poses.is_object() || poses.empty() || poses.size() > kMaxPoses)
        throw RpcError(RpcCode::InvalidParams,
                       "'poses' must be an object of 1 to " + std::to_string(kMaxPoses) + " poses");
    std::map<std::string, Pose> read;
    for (const auto& [name, value] : poses.items()) {
        if (name.empty() || name.size() > kMaxPoseName)
            throw RpcError(RpcCode::InvalidParams, "a name in 'poses' must have 1 to " +
                                                       std::to_string(kMaxPoseName) + " bytes");
        const Params pose(value, "poses." + name);
        pose.only({"position", "orientation"});
        Pose made;
        made.position = numbers<3>(pose.member("position"), name + ".position");
        if (std::any_of(made.position.begin(), made.position.end(),
                        [](double x) { return std::abs(x) > kMaxPosePlace; }))
            refuse(name + ".position", "must be within 1e6 m of the origin");
        if (pose.has("orientation")) {
            made.orientation = numbers<4>(pose.member("orientation"), name + ".orientation");
            double norm = 0;
            for (const double q : made.orientation)
                norm += q * q;
            norm = std::sqrt(norm);
            if (!(norm > 0.5 && norm < 2))
                refuse(name + ".orientation", "must be a unit quaternion x, y, z, w");
            for (double& q : made.orientation)
                q /= norm;
        }
        read.emplace(name, made);
    }
    return read;
}

bool isConstantVector(const Json& value)
{
    return value.is_array() && value.size() == 3 &&
           std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_number(); });
}

Vec3d rotationNear(const std::array<double, 4>& orientation, const Vec3d& before)
{
    const auto [x, y, z, w] = orientation;
    // The matrix Rz Ry Rx, by rows: what the angles are read from.
    const double m00 = 1 - 2 * (y * y + z * z), m10 = 2 * (x * y + z * w);
    const double m20 = std::clamp(2 * (x * z - y * w), -1.0, 1.0);
    const double m21 = 2 * (y * z + x * w), m22 = 1 - 2 * (x * x + y * y);
    Vec3d angles{0, std::asin(-m20) * kDegrees, 0};
    if (std::hypot(m00, m10) > 1e-6) {
        angles[0] = std::atan2(m21, m22) * kDegrees;
        angles[2] = std::atan2(m10, m00) * kDegrees;
    } else { // straight up or down: only a sum of x and z matters, and z stays
        const double m01 = 2 * (x * y - z * w), m11 = 1 - 2 * (x * x + z * z);
        const double turn = std::atan2(m01, m11) * kDegrees; // sign y: x - z, or -(x + z)
        angles[2] = before[2];
        angles[0] = m20 < 0 ? turn + before[2] : -turn - before[2];
    }
    const Vec3d one = turnedNear(angles, before);
    const Vec3d other = turnedNear({angles[0] + 180, 180 - angles[1], angles[2] + 180}, before);
    return sumOfSquares(one, before) <= sumOfSquares(other, before) ? one : other;
}

} // namespace floe::serve
