#pragma once

#include "floe/sdk/node.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace floe::fields {

/// Particles to be spread over voxels.
struct Cloud {
    std::span<const float> x; ///< 3 per particle [m]
    std::span<const float> v; ///< 3 per particle [m/s]
    std::vector<float> mass;  ///< per particle [kg], >= 0
};

/// Blocks of 8x8x8 voxels around particles, in no particular order; voxel (i, j, k) of a block is
/// 64 i + 8 j + k.
struct SplatBlocks {
    static constexpr int kEdge = 8, kVoxels = kEdge * kEdge * kEdge;
    std::vector<std::array<int32_t, 3>> origin;           ///< index of the first voxel
    std::vector<std::array<float, kVoxels>> density;      ///< [kg/m^3]
    std::vector<std::array<float, 3 * kVoxels>> velocity; ///< weighted mean [m/s]; 0 where empty
};

/// Spreads mass and momentum with a tent of `spread` voxels to each side. The weights of a particle
/// add up to one, so that no mass is lost; sums run over particles in their order, whatever the
/// threads.
/// @param spread  1 to SplatBlocks::kEdge
/// @param left    number of particles that were left out: NaN, or too far from the origin
/// @throws Failure  more voxels than kMaximumVoxels; the run is cancelled
SplatBlocks splat(const sdk::Context& context, std::span<const Cloud> clouds, double voxelSize,
                  int spread, uint64_t& left);

} // namespace floe::fields
