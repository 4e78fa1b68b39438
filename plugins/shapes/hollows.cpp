#include "hollows.hpp"

#include "winding_number.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace floe::shapes {

namespace {

/// Returns whether every edge occurs once in each direction: parts are oriented consistently.
bool facesOneWay(const Surface& surface)
{
    std::unordered_set<uint64_t> runs;
    runs.reserve(surface.triangles.size());
    const auto edge = [](uint64_t a, uint64_t b) {
        return a << 32 | b;
    };
    for (std::size_t t = 0; t < surface.triangles.size(); t += 3)
        for (std::size_t i = 0; i < 3; ++i)
            if (!runs.insert(edge(surface.triangles[t + i], surface.triangles[t + (i + 1) % 3]))
                     .second)
                return false;
    return std::all_of(runs.begin(), runs.end(), [&](uint64_t run) {
        return runs.count(edge(run & UINT32_MAX, run >> 32)) > 0;
    });
}

/// Returns the connected parts.
std::vector<Surface> partsOf(const Surface& surface)
{
    std::vector<uint32_t> root(surface.pointCount());
    std::iota(root.begin(), root.end(), 0u);
    const auto rootOf = [&](uint32_t point) {
        while (root[point] != point)
            point = root[point] = root[root[point]];
        return point;
    };
    for (std::size_t t = 0; t < surface.triangles.size(); t += 3)
        for (std::size_t i = 1; i < 3; ++i)
            root[rootOf(surface.triangles[t + i])] = rootOf(surface.triangles[t]);

    std::unordered_map<uint32_t, std::size_t> numbers; // of parts, by root
    std::vector<uint32_t> renumbered(surface.pointCount(), UINT32_MAX);
    std::vector<Surface> parts;
    for (std::size_t t = 0; t < surface.triangles.size(); t += 3) {
        const auto [number, isNew] =
            numbers.try_emplace(rootOf(surface.triangles[t]), parts.size());
        if (isNew)
            parts.emplace_back();
        Surface& part = parts[number->second];
        for (std::size_t i = 0; i < 3; ++i) {
            const uint32_t point = surface.triangles[t + i];
            const float* p = &surface.points[3 * std::size_t{point}];
            if (renumbered[point] == UINT32_MAX)
                renumbered[point] = part.addPoint(p[0], p[1], p[2]);
            part.triangles.push_back(renumbered[point]);
        }
    }
    return parts;
}

void append(Surface& surface, const Surface& part)
{
    const auto first = static_cast<uint32_t>(surface.pointCount());
    surface.points.insert(surface.points.end(), part.points.begin(), part.points.end());
    for (const uint32_t point : part.triangles)
        surface.triangles.push_back(first + point);
}

} // namespace

std::vector<Layer> layersOf(const Surface& surface)
{
    struct Part {
        Surface surface;
        double volume; ///< negative: faces inwards
        bool hollow = false;
    };
    std::vector<Part> parts;
    for (Surface& part : partsOf(surface)) {
        const double volume = enclosedVolume(part);
        parts.push_back({std::move(part), volume});
    }
    const auto facesIn = [](const Part& part) {
        return part.volume < 0;
    };
    const auto inwards = std::count_if(parts.begin(), parts.end(), facesIn);
    const bool mixed = inwards > 0 && static_cast<std::size_t>(inwards) < parts.size();
    if (!mixed || !facesOneWay(surface))
        return {{surface}};

    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
        return std::fabs(a.volume) > std::fabs(b.volume);
    });
    const double outwards = parts[0].volume < 0 ? -1 : 1; // the largest part is matter
    Surface matter;
    for (const Part& part : parts)
        if (part.volume * outwards > 0)
            append(matter, part.surface);
    const WindingNumber around(matter);
    bool any = false;
    for (Part& part : parts) {
        const auto& p = part.surface.points;
        part.hollow = part.volume * outwards < 0 &&
                      outwards * around.at({p[0], p[1], p[2]}) > 0.5; // else it was made inside out
        any = any || part.hollow;
    }
    if (!any)
        return {{surface}};
    std::vector<Layer> layers;
    for (Part& part : parts) {
        if (layers.empty() || layers.back().hollow != part.hollow)
            layers.push_back({{}, part.hollow});
        append(layers.back().surface, part.surface);
    }
    return layers;
}

} // namespace floe::shapes
