/// Fusing voxels inside a body into larger ones: fine at its surface, coarse inside.
#pragma once

#include "distance.hpp"
#include "voxels.hpp"

#include <vector>

namespace floe::pbd {

/// A cube of 2^level voxels along each edge.
struct MergedVoxel {
    int level;
    std::array<int, 3> at; ///< in cubes of its own size: it begins at voxel 2^level * at
    float distance;        ///< from the surface, negative; see mergeVoxels() [voxels]
    physics::Vec3<float> gradient;
    bool boundary; ///< has an empty voxel among its 26 neighbours
};

/// Eight full cubes become one of twice the edge where all are farther inside than a threshold; it
/// takes the distance of the outermost of them, less sqrt(3)/4 of its own edge, and that one's
/// gradient (Jia 2017, algorithm 4.8). Ordered by level, then z, y, x, for any number of threads.
/// @param voxels     with two empty layers on every side, which the thesis's counts imply
/// @param maxLevel   of the largest cubes
/// @param threshold  distance [voxels]; below -0.5 boundary voxels stay; -infinity: none are merged
std::vector<MergedVoxel> mergeVoxels(const VoxelSet& voxels, const DistanceField& field,
                                     float threshold, sdk::parallel::Executor& executor,
                                     int maxLevel = 30);

/// Whether a voxel has an empty one among its 26 neighbours.
bool touchesEmpty(const VoxelSet& voxels, int x, int y, int z);

} // namespace floe::pbd
