#pragma once

#include "floe/render/scene.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

/// Rays through pixels and what they hit, in double precision.
namespace floe::view {

using Double3 = std::array<double, 3>;

inline Double3 operator+(const Double3& a, const Double3& b)
{
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Double3 operator-(const Double3& a, const Double3& b)
{
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Double3 operator*(double s, const Double3& a)
{
    return {s * a[0], s * a[1], s * a[2]};
}
inline double dot(const Double3& a, const Double3& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Double3 cross(const Double3& a, const Double3& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Double3 unit(const Double3& a)
{
    const double length = std::sqrt(dot(a, a));
    return length > 0 ? (1 / length) * a : Double3{0, 0, 1};
}
inline Double3 doubles(const render::Float3& a)
{
    return {a[0], a[1], a[2]};
}

inline Double3 transformed(const render::Float4x4& m, const render::Float3& p)
{
    Double3 result;
    for (std::size_t r = 0; r < 3; ++r)
        result[r] = double(m[4 * r]) * p[0] + double(m[4 * r + 1]) * p[1] +
                    double(m[4 * r + 2]) * p[2] + double(m[4 * r + 3]);
    return result;
}

struct Ray {
    Double3 origin, direction; ///< of length 1
};

/// A camera's axes and focal length, for a picture of a size.
struct Lens {
    Lens(const render::Camera& camera, int width, int height)
        : Lens(width, height, render::lensOf(camera))
    {}
    Lens(int width, int height, const render::Camera& camera)
        : eye(doubles(camera.eye)), forward(unit(doubles(camera.target) - eye)),
          right(unit(cross(forward, doubles(camera.up)))), down(cross(forward, right)),
          focal(height / (2 * std::tan(camera.verticalFov * std::numbers::pi / 360))),
          middleX(0.5 * width), middleY(0.5 * height)
    {}

    /// @param x, y  from the picture's upper left corner [pixels]
    Ray through(double x, double y) const
    {
        return {eye,
                unit(forward + ((x - middleX) / focal) * right + ((y - middleY) / focal) * down)};
    }
    /// Where a point is seen [pixels]; not a number for points that are not before the camera.
    std::array<double, 2> place(const Double3& point) const
    {
        const Double3 to = point - eye;
        const double depth = dot(to, forward);
        const double scale = depth > 0 ? focal / depth : std::numeric_limits<double>::quiet_NaN();
        return {middleX + scale * dot(to, right), middleY + scale * dot(to, down)};
    }

    Double3 eye, forward, right, down;
    double focal; ///< [pixels]
    double middleX, middleY;
};

/// Returns the distance along the ray to a ball; infinite when it misses.
inline double hitBall(const Ray& ray, const Double3& center, double radius)
{
    const Double3 to = center - ray.origin;
    const double along = dot(to, ray.direction);
    const double missed = dot(to, to) - along * along;
    if (along <= 0 || missed > radius * radius)
        return std::numeric_limits<double>::infinity();
    return along - std::sqrt(radius * radius - missed);
}

/// The same for a triangle (Moeller and Trumbore 1997).
inline double hitTriangle(const Ray& ray, const Double3& a, const Double3& b, const Double3& c)
{
    constexpr double kMiss = std::numeric_limits<double>::infinity();
    const Double3 ab = b - a, ac = c - a;
    const Double3 p = cross(ray.direction, ac);
    const double determinant = dot(ab, p);
    if (std::abs(determinant) < 1e-30)
        return kMiss;
    const Double3 s = ray.origin - a;
    const double u = dot(s, p) / determinant;
    const Double3 q = cross(s, ab);
    const double v = dot(ray.direction, q) / determinant;
    const double t = dot(ac, q) / determinant;
    return u >= 0 && v >= 0 && u + v <= 1 && t > 0 ? t : kMiss;
}

} // namespace floe::view
