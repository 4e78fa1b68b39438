#include "clipping.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

namespace floe::pbd {

namespace {

using Vec3d = physics::Vec3<double>;
using Loop = std::vector<std::uint32_t>; ///< numbers of points

/// Sections with more points than this are filled without asking whether triangles overlap.
constexpr std::size_t kMaxExact = 5000;
/// As often an ear is cut where there is none, before the rest of a section is filled unseen.
constexpr int kMaxForced = 16;

struct Point2 {
    double u, v;
};

/// Twice the area of a triangle, positive counter-clockwise.
double turn(const Point2& a, const Point2& b, const Point2& c)
{
    return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
}

bool same(const Point2& a, const Point2& b)
{
    return a.u == b.u && a.v == b.v;
}

bool crosses(const Point2& a, const Point2& b, const Point2& c, const Point2& d)
{
    if (same(a, c) || same(a, d) || same(b, c) || same(b, d))
        return false;
    return (turn(a, b, c) > 0) != (turn(a, b, d) > 0) && (turn(c, d, a) > 0) != (turn(c, d, b) > 0);
}

/// The section of a mesh by a plane, as loops of points, and its filling.
class Section {
public:
    /// @param edges  directed, counter-clockwise around what is to be filled, seen along n
    Section(const std::vector<Vec3d>& points, const Vec3d& n,
            std::vector<std::pair<std::uint32_t, std::uint32_t>> edges)
    {
        const Vec3d aside = std::abs(n.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0};
        Vec3d u = physics::cross(aside, n);
        u = (1 / physics::length(u)) * u;
        const Vec3d v = physics::cross(n, u);
        for (const auto& [from, to] : edges)
            for (const std::uint32_t i : {from, to})
                place_[i] = {physics::dot(u, points[i]), physics::dot(v, points[i])};
        findLoops(std::move(edges));
    }

    /// Triangles that fill the section, whose outer edges are the given ones.
    void fill(std::vector<std::uint32_t>& corners)
    {
        std::vector<Loop> outer, holes;
        for (Loop& loop : loops_)
            (areaOf(loop) < 0 ? holes : outer).push_back(std::move(loop));
        std::stable_sort(outer.begin(), outer.end(),
                         [&](const Loop& l, const Loop& r) { return areaOf(l) < areaOf(r); });
        // From right to left, so that a hole meets what is already joined.
        std::stable_sort(holes.begin(), holes.end(), [&](const Loop& l, const Loop& r) {
            return place_.at(l[rightmost(l)]).u > place_.at(r[rightmost(r)]).u;
        });
        for (std::size_t h = 0; h < holes.size(); ++h) {
            const auto around = std::find_if(outer.begin(), outer.end(), [&](const Loop& loop) {
                return contains(loop, place_.at(holes[h][rightmost(holes[h])]));
            });
            if (around == outer.end())
                outer.push_back(holes[h]);
            else
                bridge(*around, holes, h);
        }
        for (const Loop& loop : outer)
            cutEars(loop, corners);
    }

private:
    void findLoops(std::vector<std::pair<std::uint32_t, std::uint32_t>> edges)
    {
        std::sort(edges.begin(), edges.end());
        std::vector<std::uint8_t> used(edges.size());
        const auto leaving = [&](std::uint32_t point) {
            auto k = static_cast<std::size_t>(
                std::lower_bound(edges.begin(), edges.end(), std::pair{point, 0u}) - edges.begin());
            while (k < edges.size() && edges[k].first == point && used[k])
                ++k;
            return k < edges.size() && edges[k].first == point ? k : edges.size();
        };
        for (std::size_t begin = 0; begin < edges.size(); ++begin) {
            Loop loop;
            for (std::size_t k = begin; k < edges.size() && !used[k];
                 k = leaving(edges[k].second)) {
                used[k] = 1;
                loop.push_back(edges[k].first);
                if (edges[k].second == edges[begin].first)
                    break;
            }
            if (loop.size() >= 3)
                loops_.push_back(std::move(loop));
        }
    }

    double areaOf(const Loop& loop) const
    {
        double sum = 0;
        const Point2& origin = place_.at(loop[0]);
        for (std::size_t k = 1; k + 1 < loop.size(); ++k)
            sum += turn(origin, place_.at(loop[k]), place_.at(loop[k + 1]));
        return sum;
    }
    std::size_t rightmost(const Loop& loop) const
    {
        std::size_t best = 0;
        for (std::size_t k = 1; k < loop.size(); ++k)
            if (place_.at(loop[k]).u > place_.at(loop[best]).u)
                best = k;
        return best;
    }
    bool contains(const Loop& loop, const Point2& p) const
    {
        bool inside = false;
        for (std::size_t k = 0, last = loop.size() - 1; k < loop.size(); last = k++) {
            const Point2 &a = place_.at(loop[last]), &b = place_.at(loop[k]);
            if ((a.v > p.v) != (b.v > p.v) && p.u < (b.u - a.u) * (p.v - a.v) / (b.v - a.v) + a.u)
                inside = !inside;
        }
        return inside;
    }

    /// Joins a hole to the loop around it by an edge there and back.
    void bridge(Loop& around, const std::vector<Loop>& holes, std::size_t number)
    {
        const Loop& hole = holes[number];
        const std::size_t start = rightmost(hole);
        const Point2& from = place_.at(hole[start]);
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t k = 0; k < around.size(); ++k) {
            const Point2& to = place_.at(around[k]);
            order.push_back({std::hypot(to.u - from.u, to.v - from.v), k});
        }
        std::sort(order.begin(), order.end());
        std::size_t best = order[0].second;
        for (const auto& candidate : order) {
            const std::size_t k = candidate.second;
            const Point2& to = place_.at(around[k]);
            const auto clear = [&](const Loop& other) {
                return free(other, from, to);
            };
            if (seen(around, k, from) && clear(around) &&
                std::all_of(holes.begin() + static_cast<std::ptrdiff_t>(number), holes.end(),
                            clear)) {
                best = k;
                break;
            }
        }
        Loop joined(around.begin(), around.begin() + static_cast<std::ptrdiff_t>(best) + 1);
        for (std::size_t k = 0; k <= hole.size(); ++k)
            joined.push_back(hole[(start + k) % hole.size()]);
        joined.insert(joined.end(), around.begin() + static_cast<std::ptrdiff_t>(best),
                      around.end());
        around = std::move(joined);
    }
    /// Whether a corner of a loop opens towards a point.
    bool seen(const Loop& loop, std::size_t k, const Point2& p) const
    {
        const Point2& before = place_.at(loop[(k + loop.size() - 1) % loop.size()]);
        const Point2 &own = place_.at(loop[k]), &after = place_.at(loop[(k + 1) % loop.size()]);
        const bool left = turn(own, after, p) > 0, right = turn(before, own, p) > 0;
        return turn(before, own, after) >= 0 ? left && right : left || right;
    }
    bool free(const Loop& loop, const Point2& a, const Point2& b) const
    {
        for (std::size_t k = 0, last = loop.size() - 1; k < loop.size(); last = k++)
            if (crosses(a, b, place_.at(loop[last]), place_.at(loop[k])))
                return false;
        return true;
    }

    /// Always as many triangles as the loop asks for, so that nothing stays open.
    void cutEars(const Loop& loop, std::vector<std::uint32_t>& corners) const
    {
        const std::size_t count = loop.size();
        std::vector<Point2> at;
        std::vector<std::size_t> before(count), after(count);
        for (std::size_t k = 0; k < count; ++k) {
            at.push_back(place_.at(loop[k]));
            before[k] = (k + count - 1) % count;
            after[k] = (k + 1) % count;
        }
        const auto isEar = [&](std::size_t k) {
            const Point2 &a = at[before[k]], &b = at[k], &c = at[after[k]];
            if (!(turn(a, b, c) > 0))
                return false;
            for (std::size_t i = after[after[k]]; i != before[k]; i = after[i]) {
                const Point2& p = at[i];
                if (same(p, a) || same(p, b) || same(p, c))
                    continue;
                if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0 &&
                    turn(at[before[i]], p, at[after[i]]) <= 0)
                    return false;
            }
            return true;
        };
        std::size_t left = count, k = 0, refused = 0;
        for (int forced = count > kMaxExact ? kMaxForced : 0; left > 2;) {
            if (forced < kMaxForced && refused < left && !isEar(k)) {
                ++refused;
                k = after[k];
                continue;
            }
            forced += refused == left;
            corners.insert(corners.end(), {loop[before[k]], loop[k], loop[after[k]]});
            after[before[k]] = after[k];
            before[after[k]] = before[k];
            k = before[k];
            refused = 0;
            --left;
        }
    }

    std::map<std::uint32_t, Point2> place_;
    std::vector<Loop> loops_;
};

} // namespace

Surface welded(const Triangles& mesh)
{
    Surface surface;
    std::map<std::array<float, 3>, std::uint32_t> known;
    for (const std::uint32_t corner : mesh.corners) {
        const std::size_t at = std::size_t{3} * corner;
        const std::array<float, 3> x = {mesh.points[at], mesh.points[at + 1], mesh.points[at + 2]};
        const auto [found, fresh] =
            known.try_emplace(x, static_cast<std::uint32_t>(surface.points.size()));
        if (fresh)
            surface.points.push_back({x[0], x[1], x[2]});
        surface.corners.push_back(found->second);
    }
    return surface;
}

Surface clippedBelow(const Surface& mesh, const Vec3d& n, double offset)
{
    std::vector<double> height;
    std::size_t below = 0;
    for (const Vec3d& x : mesh.points) {
        height.push_back(physics::dot(n, x) - offset);
        below += height.back() < 0;
    }
    if (below == mesh.points.size())
        return mesh;
    Surface out;
    if (below == 0)
        return out;
    constexpr std::uint32_t kNone = 0xffffffffu;
    std::vector<std::uint32_t> number(mesh.points.size(), kNone);
    std::unordered_map<std::uint64_t, std::uint32_t> cuts;
    const auto add = [&](const Vec3d& x) {
        out.points.push_back(x);
        return static_cast<std::uint32_t>(out.points.size() - 1);
    };
    const auto kept = [&](std::uint32_t i) {
        if (number[i] == kNone)
            number[i] = add(mesh.points[i]);
        return number[i];
    };
    const auto cut = [&](std::uint32_t i, std::uint32_t j) {
        if (i > j)
            std::swap(i, j); // the same point from both triangles of an edge
        const auto [found, fresh] = cuts.try_emplace(std::uint64_t{i} << 32 | j, 0);
        if (fresh)
            found->second = add(mesh.points[i] + (height[i] / (height[i] - height[j])) *
                                                     (mesh.points[j] - mesh.points[i]));
        return found->second;
    };
    std::vector<std::pair<std::uint32_t, std::uint32_t>> rim;
    for (std::size_t t = 0; t + 2 < mesh.corners.size(); t += 3) {
        const auto in = [&](std::size_t k) {
            return height[mesh.corners[t + k % 3]] < 0;
        };
        const int count = in(0) + in(1) + in(2);
        if (count == 0)
            continue;
        // a: the corner that is alone on its side, or any.
        std::size_t first = 0;
        while (first < 2 && count < 3 && in(first) != (count == 1))
            ++first;
        const std::uint32_t a = mesh.corners[t + first], b = mesh.corners[t + (first + 1) % 3],
                            c = mesh.corners[t + (first + 2) % 3];
        if (count == 3) {
            out.corners.insert(out.corners.end(), {kept(a), kept(b), kept(c)});
            continue;
        }
        const std::uint32_t ab = cut(a, b), ca = cut(c, a);
        if (count == 1) {
            out.corners.insert(out.corners.end(), {kept(a), ab, ca});
            rim.push_back({ca, ab});
        } else {
            const std::uint32_t kb = kept(b), kc = kept(c);
            out.corners.insert(out.corners.end(), {ab, kb, kc, ab, kc, ca});
            rim.push_back({ab, ca});
        }
    }
    if (!rim.empty())
        Section(out.points, n, std::move(rim)).fill(out.corners);
    return out;
}

double volumeOf(const Surface& mesh)
{
    double sum = 0;
    for (std::size_t t = 0; t + 2 < mesh.corners.size(); t += 3) {
        const Vec3d &a = mesh.points[mesh.corners[t]], &b = mesh.points[mesh.corners[t + 1]],
                    &c = mesh.points[mesh.corners[t + 2]];
        sum += physics::dot(a, physics::cross(b, c)) / 6;
    }
    return sum;
}

} // namespace floe::pbd
