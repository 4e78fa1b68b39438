/// Triangles in space: which of them are near, and whether a way crosses one.
#pragma once

#include "floe/sdk/world/pose.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace floe::sdk::world {

/// Triangles under a hierarchy of boxes. They need not be closed, nor turned the same way. Does not
/// change; may be asked from many threads.
class TriangleSurface {
public:
    using Corners = std::array<Vec3d, 3>;

    /// The point of a triangle that is nearest to another point.
    struct Nearest {
        Vec3d x;
        bool inside = false; ///< not on an edge or corner
    };
    /// Where a way meets a triangle.
    struct Hit {
        double share = std::numeric_limits<double>::infinity(); ///< of the way; infinite: nowhere
        std::uint32_t triangle = 0;
        explicit operator bool() const { return share <= 1; }
    };

    /// @param points     3 a point [m], finite
    /// @param triangles  3 numbers of points each, all below the number of points
    TriangleSurface(std::span<const float> points, std::span<const std::uint32_t> triangles);

    std::size_t size() const { return triangles_.size(); }
    const Corners& corners(std::uint32_t triangle) const { return triangles_[triangle]; }
    Vec3d low() const { return nodes_.empty() ? Vec3d{0, 0, 0} : nodes_.front().low; }
    Vec3d high() const { return nodes_.empty() ? Vec3d{0, 0, 0} : nodes_.front().high; }

    /// Calls work(triangle) for those whose box meets the box; in an order that is always the same.
    template <class Work>
    void near(const Vec3d& low, const Vec3d& high, const Work& work) const;

    Nearest nearestOn(std::uint32_t triangle, const Vec3d& to) const;
    /// Unit, by the order of the corners; 0 of a triangle without an area.
    Vec3d normal(std::uint32_t triangle) const;
    /// Returns the first triangle that the way between two points crosses, or ends on. One that it
    /// begins on does not count. Neighbours leave no gap: rounding makes them larger, never
    /// smaller.
    Hit crossed(const Vec3d& from, const Vec3d& to) const;
    /// Returns the share of a way at which it meets one triangle, as crossed() does; infinite:
    /// nowhere.
    double meeting(std::uint32_t triangle, const Vec3d& from, const Vec3d& to) const;
    /// The place of the surface that is nearest to a point.
    struct Place {
        Vec3d x{0, 0, 0};
        double distance = std::numeric_limits<double>::infinity(); ///< [m]; infinite: none is near
        std::uint32_t triangle = 0;
    };
    /// @param within  how far it may be [m]
    Place nearestTo(const Vec3d& point, double within) const;
    /// Returns whether a triangle is nearer to a point than this.
    bool isWithin(const Vec3d& point, double distance) const;

private:
    struct Node {
        Vec3d low, high;
        std::uint32_t first = 0, count = 0; ///< triangles of a leaf, in order_; count 0: none, but
        std::uint32_t right = 0;            ///< a left child that follows, and a right one
    };
    std::uint32_t build(std::size_t begin, std::size_t end);

    std::vector<Corners> triangles_;
    std::vector<std::uint32_t> order_;
    std::vector<Node> nodes_;
};

inline TriangleSurface::TriangleSurface(std::span<const float> points,
                                        std::span<const std::uint32_t> triangles)
    : triangles_(triangles.size() / 3), order_(triangles_.size())
{
    for (std::size_t t = 0; t < triangles_.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const float* x = points.data() + std::size_t{3} * triangles[3 * t + k];
            triangles_[t][k] = {x[0], x[1], x[2]};
        }
    std::iota(order_.begin(), order_.end(), 0u);
    if (!triangles_.empty())
        build(0, triangles_.size());
}

inline std::uint32_t TriangleSurface::build(std::size_t begin, std::size_t end)
{
    constexpr std::size_t kLeaf = 4;
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    Vec3d low{INFINITY, INFINITY, INFINITY}, high = -1.0 * low;
    Vec3d lowest = low, highest = high; // of the middles
    const auto middle = [&](std::uint32_t t, int axis) {
        return triangles_[t][0][axis] + triangles_[t][1][axis] + triangles_[t][2][axis];
    };
    for (std::size_t k = begin; k < end; ++k)
        for (int axis = 0; axis < 3; ++axis) {
            for (const Vec3d& x : triangles_[order_[k]]) {
                low[axis] = std::min(low[axis], x[axis]);
                high[axis] = std::max(high[axis], x[axis]);
            }
            lowest[axis] = std::min(lowest[axis], middle(order_[k], axis));
            highest[axis] = std::max(highest[axis], middle(order_[k], axis));
        }
    nodes_[number].low = low;
    nodes_[number].high = high;
    if (end - begin <= kLeaf) {
        nodes_[number].first = static_cast<std::uint32_t>(begin);
        nodes_[number].count = static_cast<std::uint32_t>(end - begin);
        return number;
    }
    int axis = 0;
    for (int other = 1; other < 3; ++other)
        if (highest[other] - lowest[other] > highest[axis] - lowest[axis])
            axis = other;
    const std::size_t half = begin + (end - begin) / 2;
    const auto at = [&](std::size_t k) {
        return order_.begin() + static_cast<std::ptrdiff_t>(k);
    };
    std::nth_element(at(begin), at(half), at(end), [&](std::uint32_t l, std::uint32_t r) {
        const double left = middle(l, axis), right = middle(r, axis);
        return left != right ? left < right : l < r;
    });
    build(begin, half);
    const std::uint32_t right = build(half, end);
    nodes_[number].right = right;
    return number;
}

template <class Work>
void TriangleSurface::near(const Vec3d& low, const Vec3d& high, const Work& work) const
{
    if (nodes_.empty())
        return;
    std::array<std::uint32_t, 64> stack; // halves are even: as deep as the number has bits
    std::size_t count = 0;
    stack[count++] = 0;
    while (count > 0) {
        const std::uint32_t number = stack[--count];
        const Node& node = nodes_[number];
        if (node.low.x > high.x || node.low.y > high.y || node.low.z > high.z ||
            node.high.x < low.x || node.high.y < low.y || node.high.z < low.z)
            continue;
        for (std::uint32_t k = 0; k < node.count; ++k)
            work(order_[node.first + k]);
        if (node.count == 0) {
            stack[count++] = node.right;
            stack[count++] = number + 1;
        }
    }
}

/// After Ericson, Real-Time Collision Detection, section 5.1.5.
inline TriangleSurface::Nearest TriangleSurface::nearestOn(std::uint32_t triangle,
                                                           const Vec3d& to) const
{
    using physics::dot;
    const auto& [a, b, c] = triangles_[triangle];
    const Vec3d ab = b - a, ac = c - a, ap = to - a, bp = to - b, cp = to - c;
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0)
        return {a};
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3)
        return {b};
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
        return {a + (d1 / std::max(d1 - d3, 1e-300)) * ab};
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6)
        return {c};
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
        return {a + (d2 / std::max(d2 - d6, 1e-300)) * ac};
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return {b + ((d4 - d3) / std::max(d4 - d3 + d5 - d6, 1e-300)) * (c - b)};
    const double whole = va + vb + vc;
    return {a + (vb / whole) * ab + (vc / whole) * ac, true};
}

inline Vec3d TriangleSurface::normal(std::uint32_t triangle) const
{
    const auto& [a, b, c] = triangles_[triangle];
    const Vec3d n = physics::cross(b - a, c - a);
    const double size = physics::length(n);
    return size > 0 ? (1 / size) * n : Vec3d{0, 0, 0};
}

namespace detail {
/// Of the length of what it is a rounding of.
constexpr double kSurfaceRounding = 1e-12;
} // namespace detail

inline double TriangleSurface::meeting(std::uint32_t triangle, const Vec3d& from,
                                       const Vec3d& to) const
{
    using physics::cross, physics::dot, physics::length;
    constexpr double kNowhere = std::numeric_limits<double>::infinity();
    const auto& [a, b, c] = triangles_[triangle];
    const Vec3d n = cross(b - a, c - a);
    const double before = dot(n, from - a), after = dot(n, to - a);
    if (!((before > 0 && after <= 0) || (before < 0 && after >= 0)))
        return kNowhere;
    // Volumes over the edges have one sign where the way goes through.
    const Vec3d way = to - from, p = a - from, q = b - from, r = c - from;
    const double u = dot(cross(p, q), way), v = dot(cross(q, r), way), w = dot(cross(r, p), way);
    const double far = std::max({length(p), length(q), length(r)});
    const double rounding = detail::kSurfaceRounding * far * far * length(way);
    if (std::min({u, v, w}) < -rounding && std::max({u, v, w}) > rounding)
        return kNowhere;
    return before / (before - after);
}

inline TriangleSurface::Hit TriangleSurface::crossed(const Vec3d& from, const Vec3d& to) const
{
    Vec3d low, high;
    for (int axis = 0; axis < 3; ++axis) {
        const double size = std::max(std::abs(from[axis]), std::abs(to[axis]));
        low[axis] = std::min(from[axis], to[axis]) - detail::kSurfaceRounding * size;
        high[axis] = std::max(from[axis], to[axis]) + detail::kSurfaceRounding * size;
    }
    Hit hit;
    near(low, high, [&](std::uint32_t t) {
        const double share = meeting(t, from, to);
        if (share < hit.share || (share == hit.share && share <= 1 && t < hit.triangle))
            hit = {share, t};
    });
    return hit;
}

inline TriangleSurface::Place TriangleSurface::nearestTo(const Vec3d& point, double within) const
{
    const Vec3d reach{within, within, within};
    Place found;
    near(point - reach, point + reach, [&](std::uint32_t t) {
        const Vec3d x = nearestOn(t, point).x;
        const double distance = physics::length(point - x);
        if (distance <= within &&
            (distance < found.distance || (distance == found.distance && t < found.triangle)))
            found = {x, distance, t};
    });
    return found;
}

inline bool TriangleSurface::isWithin(const Vec3d& point, double distance) const
{
    const Vec3d reach{distance, distance, distance};
    bool within = false;
    near(point - reach, point + reach, [&](std::uint32_t t) {
        within = within || physics::length(point - nearestOn(t, point).x) < distance;
    });
    return within;
}

} // namespace floe::sdk::world
