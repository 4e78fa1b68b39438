#pragma once

#include "grid.hpp"

#include <utility>

namespace floe::shapes {

/// Index of a voxel.
using Voxel = std::array<int, 3>;

/// Blocks of 8^3 voxels where a level set needs values.
struct BlocksInBand {
    std::vector<Voxel> leaves; ///< first voxels of the blocks
    /// Blocks wholly deeper than the band: first voxel, and level in OpenVDB's default tree (0: 8^3
    /// voxels, 1: 128^3, 2: 4096^3). Empty for small shapes, whose inside is all leaves.
    std::vector<std::pair<Voxel, int>> tiles;
};

/// @param distance   exact signed distance; voxels are centred on multiples of voxelSize
/// @param low, high  box around the surface
/// @throws Failure  too many voxels, or too far from the origin
BlocksInBand blocksInBand(const std::function<double(const Point&)>& distance, const Point& low,
                          const Point& high, double voxelSize);

} // namespace floe::shapes
