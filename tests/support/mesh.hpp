/// Meshes that tests make.
#pragma once

#include <cstdint>
#include <vector>

namespace floe::test {

/// Points [m], three numbers each, and triangles, three numbers of points each.
struct MeshArrays {
    std::vector<float> points;
    std::vector<std::uint32_t> corners;

    std::uint32_t add(double x, double y, double z)
    {
        points.push_back(static_cast<float>(x));
        points.push_back(static_cast<float>(y));
        points.push_back(static_cast<float>(z));
        return static_cast<std::uint32_t>(points.size() / 3 - 1);
    }
};

} // namespace floe::test
