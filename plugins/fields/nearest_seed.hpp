#pragma once

#include "lattice.hpp"

#include <cstdint>
#include <vector>

namespace floe::fields {

inline constexpr int32_t kNoSeed = -1;

/// Finds the nearest seed of every voxel: the exact Euclidean distance transform, axis by axis
/// (Felzenszwalb and Huttenlocher 2012).
/// @param nearest  in: a voxel's own number where it is a seed, else kNoSeed; out: the number of
///                 the nearest seed, kNoSeed where there is none at all
/// @throws Failure  the run is cancelled
void findNearestSeeds(const sdk::Context& context, const Lattice& lattice,
                      std::vector<int32_t>& nearest);

} // namespace floe::fields
