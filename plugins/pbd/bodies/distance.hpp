/// Signed distances in a box of voxels, and their gradients.
#pragma once

#include "voxels.hpp"

#include "floe/sdk/parallel/executor.hpp"
#include "floe/sdk/physics/vec.hpp"

#include <cstdint>
#include <vector>

namespace floe::pbd {

/// No voxel of the volume is a site.
inline constexpr std::int32_t kNoSite = -1;

/// The number (VoxelSet::number) of a nearest site for every voxel, or kNoSite for all.
///
/// Exact Euclidean distances between voxel centres, in integers: nearest along rows, then lower
/// envelopes of parabolas along columns and aisles (parallel banding of Cao et al. 2010 without
/// bands). Of sites at the same distance the one with smaller z, then y, then x is taken.
std::vector<std::int32_t> nearestSites(const VoxelSet& sites, sdk::parallel::Executor& executor);

/// Distances to the surface between full and empty voxels, at their centres. Unit: a voxel's edge.
struct DistanceField {
    VoxelSize size;
    std::vector<float> distance;                ///< negative in full voxels; infinite without any
    std::vector<physics::Vec3<float>> gradient; ///< unit, outwards; (0, 1, 0) where there is none
};

/// Sites are the voxels with another kind among their 26 neighbours, at half the distance to the
/// nearest of those from the surface; the others add their distance to the nearest site.
/// @param voxels  with at least one empty layer around what is full, for gradients to be right
DistanceField signedDistances(const VoxelSet& voxels, sdk::parallel::Executor& executor);

} // namespace floe::pbd
