#include "winding_number.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace floe::shapes {

namespace {

constexpr double kPi = 3.14159265358979323846;
// Dipole beyond this many cluster radii; Barill et al. recommend 2.
constexpr double kFar = 2.3;
constexpr uint32_t kTrianglesALeaf = 8;

double length(const Point& a)
{
    return std::sqrt(dot(a, a));
}

} // namespace

WindingNumber::WindingNumber(const Surface& surface) : surface_(surface)
{
    order_.resize(surface.triangleCount());
    std::iota(order_.begin(), order_.end(), 0u);
    clusters_.reserve(2 * order_.size() / kTrianglesALeaf + 2);
    if (!order_.empty())
        build(0, static_cast<uint32_t>(order_.size()), 0);
}

Point WindingNumber::corner(uint32_t triangle, int i) const
{
    const std::size_t at =
        3 *
        std::size_t{surface_.triangles[3 * std::size_t{triangle} + static_cast<std::size_t>(i)]};
    return {surface_.points[at], surface_.points[at + 1], surface_.points[at + 2]};
}

uint32_t WindingNumber::build(uint32_t begin, uint32_t end, int depth)
{
    Cluster cluster;
    cluster.begin = begin;
    cluster.end = end;
    Point low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    double area = 0;
    for (uint32_t n = begin; n < end; ++n) {
        const Point a = corner(order_[n], 0), b = corner(order_[n], 1), c = corner(order_[n], 2);
        const Point normal = cross(minus(b, a), minus(c, a));
        const double weight = length(normal) / 2;
        area += weight;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            cluster.areaVector[axis] += normal[axis] / 2;
            cluster.middle[axis] += weight * (a[axis] + b[axis] + c[axis]) / 3;
            low[axis] = std::min({low[axis], a[axis], b[axis], c[axis]});
            high[axis] = std::max({high[axis], a[axis], b[axis], c[axis]});
        }
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
        cluster.middle[axis] =
            area > 0 ? cluster.middle[axis] / area : (low[axis] + high[axis]) / 2;
    for (uint32_t n = begin; n < end; ++n)
        for (int i = 0; i < 3; ++i)
            cluster.radius =
                std::max(cluster.radius, length(minus(corner(order_[n], i), cluster.middle)));

    const auto index = static_cast<uint32_t>(clusters_.size());
    clusters_.push_back(cluster);
    if (end - begin > kTrianglesALeaf && depth < 64) {
        const Point size = minus(high, low);
        const std::size_t axis =
            static_cast<std::size_t>(std::max_element(size.begin(), size.end()) - size.begin());
        const uint32_t middle = begin + (end - begin) / 2;
        const auto key = [&](uint32_t t) {
            return corner(t, 0)[axis] + corner(t, 1)[axis] + corner(t, 2)[axis];
        };
        std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                         [&](uint32_t s, uint32_t t) { return key(s) < key(t); });
        const uint32_t first = build(begin, middle, depth + 1);
        const uint32_t second = build(middle, end, depth + 1);
        clusters_[index].first = first;
        clusters_[index].second = second;
    }
    return index;
}

double WindingNumber::at(const Point& point) const
{
    if (clusters_.empty())
        return 0;
    double solidAngle = 0;
    std::array<uint32_t, 160> stack;
    std::size_t top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const Cluster& cluster = clusters_[stack[--top]];
        const Point away = minus(cluster.middle, point);
        const double distance = length(away);
        if (distance > kFar * cluster.radius) {
            if (distance > 0)
                solidAngle += dot(cluster.areaVector, away) / (distance * distance * distance);
        } else if (cluster.first != 0) {
            stack[top++] = cluster.first;
            stack[top++] = cluster.second;
        } else {
            // Solid angle of a triangle (Van Oosterom and Strackee 1983).
            for (uint32_t n = cluster.begin; n < cluster.end; ++n) {
                const Point a = minus(corner(order_[n], 0), point);
                const Point b = minus(corner(order_[n], 1), point);
                const Point c = minus(corner(order_[n], 2), point);
                const double la = length(a), lb = length(b), lc = length(c);
                solidAngle +=
                    2 * std::atan2(dot(a, cross(b, c)),
                                   la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
            }
        }
    }
    return solidAngle / (4 * kPi);
}

} // namespace floe::shapes
