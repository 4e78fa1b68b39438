#pragma once

#include "debris.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace floe::secondary {

/// Closed pieces of rough stone in the places of chips, each of its chip's volume.
struct Shards {
    static constexpr std::size_t kPoints = 8, kTriangles = 12; ///< of each

    std::vector<float> points;       ///< 3 a point [m]
    std::vector<float> velocities;   ///< 3 a point [m/s]
    std::vector<uint32_t> triangles; ///< 3 a triangle, counter-clockwise seen from outside
};

/// Makes a block with corners moved at random for each chip; its shape is a function of the id.
Shards shardsOf(std::span<const Chip> chips);

} // namespace floe::secondary
