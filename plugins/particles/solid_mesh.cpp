#include "solid_mesh.hpp"

#include "floe/sdk/physics/vec.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace floe::particles {

namespace {

using physics::cross, physics::dot;

/// Returns whether a point lies to the left of the way from a to b, seen along z. Of both ways
/// along an edge it says the opposite, so that a line never passes between two triangles.
bool isLeft(double x, double y, const Vec3d& a, const Vec3d& b)
{
    if (std::tie(b.x, b.y, b.z) < std::tie(a.x, a.y, a.z))
        return !isLeft(x, y, b, a);
    return (a.x - x) * (b.y - y) - (a.y - y) * (b.x - x) >= 0;
}

std::string placed(const float* x)
{
    return "(" + std::to_string(x[0]) + ", " + std::to_string(x[1]) + ", " + std::to_string(x[2]) +
           ")";
}

} // namespace

SolidMesh::SolidMesh(std::span<const float> points, std::span<const uint32_t> triangles)
    : surface_(points, triangles)
{
    if (triangles.empty())
        throw sdk::Failure("input 'mesh' has no triangles", FLOE_BAD_ARGUMENT);
    if (!std::ranges::all_of(points, [](float x) { return std::isfinite(x); }))
        throw sdk::Failure("input 'mesh' has points that are not finite", FLOE_BAD_ARGUMENT);
    requireClosed(points, triangles);
    const Vec3d centre = 0.5 * (surface_.low() + surface_.high());
    for (uint32_t t = 0; t < surface_.size(); ++t) {
        const auto& [a, b, c] = surface_.corners(t);
        volume_ += dot(a - centre, cross(b - centre, c - centre)) / 6;
    }
    outwards_ = volume_ < 0 ? -1 : 1;
    volume_ = std::abs(volume_);
    const Vec3d size = surface_.high() - surface_.low();
    const double box = size.x * size.y * size.z;
    if (!(volume_ > 1e-9 * box) || !(box > 0))
        throw sdk::Failure("input 'mesh' encloses no volume; it takes a closed mesh of a solid",
                           FLOE_BAD_ARGUMENT);
}

/// Every way along an edge must be taken back by another triangle.
void SolidMesh::requireClosed(std::span<const float> points,
                              std::span<const uint32_t> triangles) const
{
    // Points at one place are one, as files repeat them.
    const std::size_t count = points.size() / 3;
    std::vector<uint32_t> order(count), same(count);
    std::iota(order.begin(), order.end(), 0u);
    const auto key = [&](uint32_t p) {
        const float* x = points.data() + std::size_t{3} * p;
        return std::tuple(x[0], x[1], x[2]);
    };
    std::ranges::sort(order, {}, [&](uint32_t p) { return std::pair(key(p), p); });
    for (std::size_t i = 0; i < count; ++i)
        same[order[i]] =
            i > 0 && key(order[i]) == key(order[i - 1]) ? same[order[i - 1]] : order[i];
    struct Way {
        uint32_t low, high;
        int turn;
        auto operator<=>(const Way&) const = default;
    };
    std::vector<Way> ways;
    ways.reserve(triangles.size());
    for (std::size_t t = 0; t < triangles.size(); t += 3)
        for (std::size_t k = 0; k < 3; ++k) {
            const uint32_t a = same[triangles[t + k]], b = same[triangles[t + (k + 1) % 3]];
            if (a != b)
                ways.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
        }
    std::ranges::sort(ways);
    std::size_t open = 0;
    const Way* first = nullptr;
    for (std::size_t begin = 0, end = 0; begin < ways.size(); begin = end) {
        int sum = 0;
        for (; end < ways.size() && ways[end].low == ways[begin].low &&
               ways[end].high == ways[begin].high;
             ++end)
            sum += ways[end].turn;
        if (sum != 0) {
            ++open;
            first = first ? first : &ways[begin];
        }
    }
    if (open > 0)
        throw sdk::Failure("input 'mesh' is open at " + std::to_string(open) +
                               " edges, the first from " +
                               placed(&points[std::size_t{3} * first->low]) + " to " +
                               placed(&points[std::size_t{3} * first->high]) +
                               "; close it, or make a shape of it and take the shape's mesh",
                           FLOE_BAD_ARGUMENT);
}

void SolidMesh::crossings(double x, double y, std::vector<Crossing>& found) const
{
    found.clear();
    const Vec3d low{x, y, surface_.low().z}, high{x, y, surface_.high().z};
    surface_.near(low, high, [&](uint32_t t) {
        const auto& [a, b, c] = surface_.corners(t);
        const bool left = isLeft(x, y, a, b);
        if (left != isLeft(x, y, b, c) || left != isLeft(x, y, c, a))
            return;
        const Vec3d n = cross(b - a, c - a);
        if (n.z == 0)
            return;
        const double z = a.z - (n.x * (x - a.x) + n.y * (y - a.y)) / n.z;
        found.push_back({z, (left ? -1 : 1) * outwards_});
    });
    std::sort(found.begin(), found.end());
}

bool SolidMesh::contains(const Vec3d& point) const
{
    std::vector<Crossing> found;
    crossings(point.x, point.y, found);
    int winding = 0;
    for (const Crossing& crossing : found)
        winding += crossing.z <= point.z ? crossing.turn : 0;
    return winding > 0;
}

} // namespace floe::particles
