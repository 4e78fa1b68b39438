#include "mesh_formats.hpp"

#include <array>
#include <cmath>

namespace floe::io {

namespace {

// Ear clipping takes quadratic time; a file with more corners per polygon is not a real model.
constexpr std::size_t kMaxCorners = 1000;

using Point2 = std::array<double, 2>;

double cross(const Point2& a, const Point2& b, const Point2& c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

bool contains(const Point2& a, const Point2& b, const Point2& c, const Point2& p)
{
    return cross(a, b, p) >= 0 && cross(b, c, p) >= 0 && cross(c, a, p) >= 0;
}

/// Projects the polygon to the plane of largest area, counter-clockwise; empty without area.
std::vector<Point2> flatten(std::span<const std::uint32_t> polygon, std::span<const float> points)
{
    std::array<double, 3> normal{}; // Newell's method
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const float* a = &points[3 * std::size_t(polygon[i])];
        const float* b = &points[3 * std::size_t(polygon[(i + 1) % polygon.size()])];
        for (int k = 0; k < 3; ++k) {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            normal[k] += (double(a[u]) - b[u]) * (double(a[v]) + b[v]);
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (std::abs(normal[k]) > std::abs(normal[axis]))
            axis = k;
    if (!(std::abs(normal[axis]) > 0))
        return {};
    const int u = normal[axis] > 0 ? (axis + 1) % 3 : (axis + 2) % 3;
    const int v = normal[axis] > 0 ? (axis + 2) % 3 : (axis + 1) % 3;
    std::vector<Point2> flat;
    flat.reserve(polygon.size());
    for (const std::uint32_t index : polygon)
        flat.push_back({points[3 * std::size_t(index) + u], points[3 * std::size_t(index) + v]});
    return flat;
}

} // namespace

void triangulate(std::span<const std::uint32_t> polygon, std::span<const float> points,
                 std::vector<std::uint32_t>& triangles, Cancellation& stop)
{
    stop.after(polygon.size());
    if (polygon.size() < 3)
        return;
    const auto emit = [&](std::size_t a, std::size_t b, std::size_t c) {
        triangles.insert(triangles.end(), {polygon[a], polygon[b], polygon[c]});
    };
    std::vector<Point2> flat;
    if (polygon.size() > 3 && polygon.size() <= kMaxCorners)
        flat = flatten(polygon, points);
    if (flat.empty()) {
        for (std::size_t i = 2; i < polygon.size(); ++i)
            emit(0, i - 1, i);
        return;
    }

    std::vector<std::size_t> left(polygon.size());
    for (std::size_t i = 0; i < left.size(); ++i)
        left[i] = i;
    while (left.size() > 3) {
        std::size_t ear = 0; // when none is found the polygon intersects itself: cut anywhere
        for (std::size_t i = 0; i < left.size(); ++i) {
            const std::size_t before = left[(i + left.size() - 1) % left.size()];
            const std::size_t here = left[i];
            const std::size_t after = left[(i + 1) % left.size()];
            if (!(cross(flat[before], flat[here], flat[after]) > 0))
                continue;
            stop.after(left.size());
            bool empty = true;
            for (const std::size_t other : left)
                if (flat[other] != flat[before] && flat[other] != flat[here] &&
                    flat[other] != flat[after] &&
                    contains(flat[before], flat[here], flat[after], flat[other])) {
                    empty = false;
                    break;
                }
            if (empty) {
                ear = i;
                break;
            }
        }
        emit(left[(ear + left.size() - 1) % left.size()], left[ear], left[(ear + 1) % left.size()]);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(ear));
    }
    emit(left[0], left[1], left[2]);
}

} // namespace floe::io
