#include "mesh_repair.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace floe::shapes {

namespace {

struct Edge {
    uint32_t low, high; ///< points
    bool operator==(const Edge& other) const { return low == other.low && high == other.high; }
    bool operator<(const Edge& other) const
    {
        return low != other.low ? low < other.low : high < other.high;
    }
};

struct PositionHash {
    std::size_t operator()(const std::array<float, 3>& p) const
    {
        uint64_t bits = 0;
        for (const float part : p) {
            uint32_t word;
            std::memcpy(&word, &part, sizeof word);
            bits = (bits ^ word) * 0x9e3779b97f4a7c15ull;
            bits ^= bits >> 29;
        }
        return static_cast<std::size_t>(bits);
    }
};

struct CornersHash {
    std::size_t operator()(const std::array<uint32_t, 3>& corners) const
    {
        uint64_t bits = 0;
        for (const uint32_t corner : corners) {
            bits = (bits ^ corner) * 0x9e3779b97f4a7c15ull;
            bits ^= bits >> 29;
        }
        return static_cast<std::size_t>(bits);
    }
};

Surface welded(const floe_mesh& mesh, std::size_t& dropped)
{
    Surface surface;
    std::unordered_map<std::array<float, 3>, uint32_t, PositionHash> known;
    known.reserve(mesh.point_count);
    std::vector<uint32_t> renumbered(mesh.point_count);
    for (uint32_t i = 0; i < mesh.point_count; ++i) {
        std::array<float, 3> p;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            p[axis] =
                mesh.points[3 * std::size_t{i} + axis] + 0.0f; // -0 and 0 are the same position
            if (!std::isfinite(p[axis]))
                throw sdk::Failure("point " + std::to_string(i) + " of the mesh is not finite",
                                   FLOE_BAD_ARGUMENT);
        }
        const auto [place, isNew] =
            known.try_emplace(p, static_cast<uint32_t>(surface.pointCount()));
        if (isNew)
            surface.addPoint(p[0], p[1], p[2]);
        renumbered[i] = place->second;
    }
    std::unordered_set<std::array<uint32_t, 3>, CornersHash> seen; // by corners, lowest first
    seen.reserve(mesh.triangle_count);
    for (std::size_t t = 0; t < mesh.triangle_count; ++t) {
        std::array<uint32_t, 3> corner;
        for (std::size_t i = 0; i < 3; ++i) {
            const uint32_t index = mesh.triangles[3 * t + i];
            if (index >= mesh.point_count)
                throw sdk::Failure("triangle " + std::to_string(t) +
                                       " of the mesh names a point that does not exist",
                                   FLOE_BAD_ARGUMENT);
            corner[i] = renumbered[index];
        }
        std::rotate(corner.begin(), std::min_element(corner.begin(), corner.end()), corner.end());
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0] ||
            !seen.insert(corner).second)
            ++dropped;
        else
            surface.addTriangle(corner[0], corner[1], corner[2]);
    }
    if (surface.triangles.empty())
        throw sdk::Failure("the mesh has no triangles", FLOE_BAD_ARGUMENT);
    return surface;
}

/// Returns the loops of edges with an odd number of triangles, as points in order.
std::vector<std::vector<uint32_t>> openLoops(const Surface& surface, std::size_t& branches)
{
    std::vector<Edge> edges;
    edges.reserve(surface.triangles.size());
    for (std::size_t t = 0; t < surface.triangles.size(); t += 3)
        for (std::size_t i = 0; i < 3; ++i) {
            const uint32_t a = surface.triangles[t + i], b = surface.triangles[t + (i + 1) % 3];
            edges.push_back({std::min(a, b), std::max(a, b)});
        }
    std::sort(edges.begin(), edges.end());
    std::vector<Edge> open;
    for (std::size_t i = 0; i < edges.size();) {
        std::size_t end = i;
        while (end < edges.size() && edges[end] == edges[i])
            ++end;
        if ((end - i) % 2 == 1)
            open.push_back(edges[i]);
        if (end - i > 2)
            ++branches;
        i = end;
    }
    if (open.empty())
        return {};

    std::unordered_map<uint32_t, std::vector<std::size_t>> at; // open edges at a point
    for (std::size_t i = 0; i < open.size(); ++i) {
        at[open[i].low].push_back(i);
        at[open[i].high].push_back(i);
    }
    std::vector<bool> used(open.size());
    std::vector<std::vector<uint32_t>> loops;
    for (std::size_t start = 0; start < open.size(); ++start) {
        if (used[start])
            continue;
        used[start] = true;
        std::vector<uint32_t> loop = {open[start].low, open[start].high};
        while (loop.back() != loop.front()) { // every point has an even number of open edges
            auto& candidates = at[loop.back()];
            while (!candidates.empty() && used[candidates.back()])
                candidates.pop_back();
            if (candidates.empty())
                break;
            const std::size_t next = candidates.back();
            used[next] = true;
            loop.push_back(open[next].low == loop.back() ? open[next].high : open[next].low);
        }
        loop.pop_back();
        loops.push_back(std::move(loop));
    }
    return loops;
}

} // namespace

Surface closedSurface(const floe_mesh& mesh, MeshFaults& faults)
{
    Surface surface = welded(mesh, faults.dropped);
    const auto loops = openLoops(surface, faults.branches);
    faults.holes = loops.size();
    if (loops.empty())
        return surface;

    // The direction of each edge in its triangle, so that the fans face the same side.
    std::unordered_set<uint64_t> runs;
    for (std::size_t t = 0; t < surface.triangles.size(); t += 3)
        for (std::size_t i = 0; i < 3; ++i)
            runs.insert((uint64_t{surface.triangles[t + i]} << 32) |
                        surface.triangles[t + (i + 1) % 3]);
    for (const auto& loop : loops) {
        std::array<double, 3> middle{};
        for (const uint32_t point : loop)
            for (std::size_t axis = 0; axis < 3; ++axis)
                middle[axis] += surface.points[3 * std::size_t{point} + axis] /
                                static_cast<double>(loop.size());
        const uint32_t center = surface.addPoint(middle[0], middle[1], middle[2]);
        for (std::size_t i = 0; i < loop.size(); ++i) {
            uint32_t a = loop[i], b = loop[(i + 1) % loop.size()];
            if (runs.count((uint64_t{a} << 32) | b))
                std::swap(a, b);
            surface.addTriangle(a, b, center);
        }
    }
    for (const auto& loop : loops)
        faults.patches += loop.size();
    return surface;
}

} // namespace floe::shapes
