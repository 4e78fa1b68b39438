/// What tests of graphs/particles look at: meshes, bodies and particles of a run.
#pragma once

#include "run_graph.hpp"

#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace floe {

using test::Frame;
using test::GraphRun;

inline constexpr const char* kSmallPictures =
    " --set render.width=160 --set render.height=90 --set "
    "render.every=1000 --set render.movie=false";

inline std::filesystem::path cached(const GraphRun& run, const char* socket, int frame,
                                    const char* solver = "solver")
{
    char name[64];
    std::snprintf(name, sizeof name, "cache/%s.%s.%04d.floe", solver, socket, frame);
    return run.output() / name;
}

/// Triples of numbers of the bodies' meshes.
template <class Number>
std::vector<std::array<Number, 3>> ofMesh(const GraphRun& run, int frame,
                                          std::span<const float> (MeshValue::*numbers)() const)
{
    std::ifstream stream(cached(run, "mesh", frame), std::ios::binary);
    const ValueRef value = readValue(stream);
    const auto all = (expect<MeshValue>(value).*numbers)();
    std::vector<std::array<Number, 3>> result;
    for (std::size_t i = 0; i < all.size(); i += 3)
        result.push_back({Number{all[i]}, Number{all[i + 1]}, Number{all[i + 2]}});
    return result;
}

/// Points of the bodies' meshes.
inline std::vector<std::array<double, 3>> meshPoints(const GraphRun& run, int frame)
{
    return ofMesh<double>(run, frame, &MeshValue::points);
}

/// Colours of these points.
inline std::vector<std::array<float, 3>> meshColours(const GraphRun& run, int frame)
{
    return ofMesh<float>(run, frame, &MeshValue::colours);
}

/// Centres of the bodies.
inline std::vector<std::array<double, 3>> bodyPlaces(const GraphRun& run, int frame,
                                                     const char* solver = "solver")
{
    std::ifstream stream(cached(run, "states", frame, solver), std::ios::binary);
    const ValueRef value = readValue(stream);
    const auto x = expect<ParticlesValue>(value).get<float>("x", 3);
    std::vector<std::array<double, 3>> result;
    for (std::size_t i = 0; i < x.size(); i += 3)
        result.push_back({x[i], x[i + 1], x[i + 2]});
    return result;
}

inline double distance(const std::array<double, 3>& a, const std::array<double, 3>& b)
{
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

inline std::array<double, 3> middle(const std::vector<std::array<double, 3>>& points,
                                    std::size_t first, std::size_t last)
{
    std::array<double, 3> sum{};
    for (std::size_t i = first; i < last; ++i)
        for (std::size_t axis = 0; axis < 3; ++axis)
            sum[axis] += points[i][axis] / static_cast<double>(last - first);
    return sum;
}

} // namespace floe
