#include "views/orbit_camera.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace floe::views {

namespace {

constexpr double kRadians = std::numbers::pi / 180;
constexpr double kNearest = 1e-3, kFarthest = 1e6; // of the eye to the target [m]

} // namespace

Vec3 operator+(const Vec3& a, const Vec3& b)
{
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

Vec3 operator-(const Vec3& a, const Vec3& b)
{
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Vec3 operator*(const Vec3& a, double s)
{
    return {a[0] * s, a[1] * s, a[2] * s};
}

Vec3 cross(const Vec3& a, const Vec3& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double dot(const Vec3& a, const Vec3& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double length(const Vec3& a)
{
    return std::sqrt(dot(a, a));
}

Vec3 OrbitCamera::forward() const
{
    const double y = yaw * kRadians, p = pitch * kRadians;
    return {-std::cos(p) * std::sin(y), -std::sin(p), -std::cos(p) * std::cos(y)};
}

Vec3 OrbitCamera::eye() const
{
    return target - forward() * distance;
}

Vec3 OrbitCamera::level() const
{
    const double y = yaw * kRadians;
    return {std::cos(y), 0, -std::sin(y)};
}

Vec3 OrbitCamera::right() const
{
    const double r = roll * kRadians;
    return level() * std::cos(r) + cross(level(), forward()) * std::sin(r);
}

Vec3 OrbitCamera::up() const
{
    return cross(right(), forward());
}

OrbitCamera OrbitCamera::lookingAt(const client::Camera& from)
{
    OrbitCamera camera;
    const Vec3 back = from.eye - from.target;
    camera.target = from.target;
    camera.fieldOfView = from.fieldOfView;
    camera.orthographic = from.orthographic;
    camera.distance = std::clamp(length(back), kNearest, kFarthest);
    camera.pitch = std::asin(std::clamp(back[1] / camera.distance, -1.0, 1.0)) / kRadians;
    camera.yaw = std::atan2(back[0], back[2]) / kRadians;
    const Vec3 side = camera.level();
    camera.roll =
        std::atan2(-dot(from.up, side), dot(from.up, cross(side, camera.forward()))) / kRadians;
    return camera;
}

client::Camera OrbitCamera::seen() const
{
    return {eye(), target, up(), fieldOfView, orthographic};
}

void OrbitCamera::orbit(double dx, double dy)
{
    constexpr double kDegreesPerPixel = 0.35;
    roll = 0;
    yaw = std::remainder(yaw - dx * kDegreesPerPixel, 360);
    pitch = std::clamp(pitch + dy * kDegreesPerPixel, -89.0, 89.0);
}

void OrbitCamera::pan(double dx, double dy, double height)
{
    const double scale = metresPerPixel(target, height);
    target = target - right() * (dx * scale) + up() * (dy * scale);
}

void OrbitCamera::zoom(double steps)
{
    distance = std::clamp(distance * std::pow(0.87, steps), kNearest, kFarthest);
}

void OrbitCamera::frame(const Vec3& low, const Vec3& high, double aspect)
{
    target = (low + high) * 0.5;
    const double radius = std::max(0.5 * length(high - low), 1e-3);
    const double half = fieldOfView * kRadians / 2;
    const double narrow = aspect < 1 ? std::atan(std::tan(half) * aspect) : half;
    distance = std::clamp(1.1 * radius / std::sin(narrow), kNearest, kFarthest);
}

Vec3 OrbitCamera::towards(const Vec3& point) const
{
    const Vec3 d = eye() - point;
    const double size = length(d);
    return orthographic || size < 1e-9 ? forward() * -1 : d * (1 / size);
}

std::optional<QPointF> OrbitCamera::project(const Vec3& point, QSizeF size) const
{
    const Vec3 d = point - eye();
    const double depth = orthographic ? distance : dot(d, forward());
    if (depth < 1e-4 * distance)
        return std::nullopt;
    const double scale = size.height() / (2 * std::tan(fieldOfView * kRadians / 2) * depth);
    return QPointF(size.width() / 2 + dot(d, right()) * scale,
                   size.height() / 2 - dot(d, up()) * scale);
}

std::optional<Vec3> OrbitCamera::onLevel(double height, QPointF at, QSizeF size) const
{
    const double rise = 2 * std::tan(fieldOfView * kRadians / 2) / std::max(1.0, size.height());
    const Vec3 aside = right() * ((at.x() - size.width() / 2) * rise) +
                       up() * ((size.height() / 2 - at.y()) * rise);
    const Vec3 from = orthographic ? eye() + aside * distance : eye();
    const Vec3 way = orthographic ? forward() : forward() + aside;
    const double along = (height - from[1]) / way[1];
    if (!std::isfinite(along) || along <= 0 || along > kFarthest)
        return std::nullopt;
    return from + way * along;
}

bool OrbitCamera::seesBox(const Vec3& low, const Vec3& high, QSizeF size) const
{
    const double rise = std::tan(fieldOfView * kRadians / 2);
    const double side = rise * size.width() / std::max(1.0, size.height());
    // Outside when all corners lie behind the same side of the pyramid of sight.
    std::array<int, 5> beyond{};
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 d = Vec3{corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1],
                            corner & 4 ? high[2] : low[2]} -
                       eye();
        const double depth = orthographic ? distance : dot(d, forward()), x = dot(d, right()),
                     y = dot(d, up());
        beyond[0] += depth < 0;
        beyond[1] += x > side * depth;
        beyond[2] += x < -side * depth;
        beyond[3] += y > rise * depth;
        beyond[4] += y < -rise * depth;
    }
    return std::none_of(beyond.begin(), beyond.end(), [](int count) { return count == 8; });
}

double OrbitCamera::metresPerPixel(const Vec3& point, double height) const
{
    const double depth =
        orthographic ? distance : std::max(dot(point - eye(), forward()), 1e-4 * distance);
    return 2 * std::tan(fieldOfView * kRadians / 2) * depth / std::max(1.0, height);
}

} // namespace floe::views
