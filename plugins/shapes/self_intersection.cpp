#include "self_intersection.hpp"

#include <algorithm>
#include <cmath>

namespace floe::shapes {

namespace {

constexpr std::size_t kMaxPairs = 50'000'000;
constexpr int kMaxCells = 4; // a triangle spans along an axis

using Corners = std::array<Point, 3>;

/// Returns whether a segment passes through the inside of a triangle.
bool pierces(const Point& from, const Point& to, const Corners& t)
{
    const Point e1 = minus(t[1], t[0]), e2 = minus(t[2], t[0]);
    const Point normal = cross(e1, e2);
    const double before = dot(minus(from, t[0]), normal), after = dot(minus(to, t[0]), normal);
    if (!(before * after < 0))
        return false;
    const double s = before / (before - after);
    Point hit;
    for (std::size_t i = 0; i < 3; ++i)
        hit[i] = from[i] + s * (to[i] - from[i]);
    for (std::size_t i = 0; i < 3; ++i) {
        const Point edge = minus(t[(i + 1) % 3], t[i]);
        if (!(dot(cross(edge, minus(hit, t[i])), normal) > 0))
            return false;
    }
    return true;
}

bool cut(const Corners& a, const Corners& b)
{
    for (std::size_t i = 0; i < 3; ++i)
        if (pierces(a[i], a[(i + 1) % 3], b) || pierces(b[i], b[(i + 1) % 3], a))
            return true;
    return false;
}

} // namespace

bool intersectsItself(const Surface& surface, std::size_t count)
{
    const auto corners = [&](std::size_t triangle) {
        Corners c;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t axis = 0; axis < 3; ++axis)
                c[i][axis] =
                    surface.points[3 * std::size_t{surface.triangles[3 * triangle + i]} + axis];
        return c;
    };

    // Triangles are sorted into cells of about twice their size; pairs within a cell are tested.
    double sizes = 0;
    for (std::size_t t = 0; t < count; ++t) {
        const Corners c = corners(t);
        sizes += std::sqrt(std::max(dot(minus(c[1], c[0]), minus(c[1], c[0])),
                                    dot(minus(c[2], c[0]), minus(c[2], c[0]))));
    }
    const double cell = 2 * sizes / static_cast<double>(count);
    if (!(cell > 0) || !std::isfinite(cell))
        return false;
    struct Entry {
        std::array<int32_t, 3> cell;
        uint32_t triangle;
    };
    std::vector<Entry> entries;
    entries.reserve(2 * count);
    for (std::size_t t = 0; t < count; ++t) {
        const Corners c = corners(t);
        std::array<int32_t, 3> low{}, high{};
        bool usable = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double a = std::floor(std::min({c[0][axis], c[1][axis], c[2][axis]}) / cell);
            const double b = std::floor(std::max({c[0][axis], c[1][axis], c[2][axis]}) / cell);
            usable = usable && std::fabs(a) < 1e9 && std::fabs(b) < 1e9 && b - a < kMaxCells;
            if (usable)
                low[axis] = static_cast<int32_t>(a), high[axis] = static_cast<int32_t>(b);
        }
        if (!usable)
            continue;
        for (int32_t x = low[0]; x <= high[0]; ++x)
            for (int32_t y = low[1]; y <= high[1]; ++y)
                for (int32_t z = low[2]; z <= high[2]; ++z)
                    entries.push_back({{x, y, z}, static_cast<uint32_t>(t)});
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return a.cell != b.cell ? a.cell < b.cell : a.triangle < b.triangle;
    });

    std::size_t pairs = 0;
    for (std::size_t begin = 0; begin < entries.size();) {
        std::size_t end = begin;
        while (end < entries.size() && entries[end].cell == entries[begin].cell)
            ++end;
        for (std::size_t i = begin; i < end; ++i) {
            const Corners a = corners(entries[i].triangle);
            const uint32_t* p = &surface.triangles[3 * std::size_t{entries[i].triangle}];
            for (std::size_t j = i + 1; j < end; ++j) {
                if (++pairs > kMaxPairs)
                    return false;
                const uint32_t* q = &surface.triangles[3 * std::size_t{entries[j].triangle}];
                if (std::find_first_of(p, p + 3, q, q + 3) == p + 3 &&
                    cut(a, corners(entries[j].triangle)))
                    return true;
            }
        }
        begin = end;
    }
    return false;
}

} // namespace floe::shapes
