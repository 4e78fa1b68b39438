#pragma once

#include "lattice.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace floe::fields {

/// Turbulence as a sum of eddies of several sizes.
struct CurlNoiseSettings {
    double speed = 1;       ///< root mean square of the whole [m/s]
    double eddySize = 1;    ///< of the largest eddies [m], > 0
    int octaves = 3;        ///< sizes of eddies, each half of the one before; >= 1
    double roughness = 0.5; ///< speed of each size, as a share of the one before
    double rate = 0; ///< how often per second the largest eddies are replaced by others [1/s]
    Point drift{};   ///< velocity with which the eddies travel [m/s]
    uint64_t seed = 0;
};

/// Number of octaves whose eddies are at least four voxels large; at least 1.
int resolvedOctaves(const CurlNoiseSettings& settings, double voxelSize);

/// The voxels at which the potential of a flow on `lattice` is needed: one more on every side.
Lattice widened(const Lattice& lattice);

/// The velocity of a flow without sources (Bridson et al. 2007): the curl of a vector potential
/// made of gradient noise, taken by central differences between voxels, so that the central
/// differences of the result have no divergence at all.
///
/// Where `share` falls to 0 the potential does too, and the flow becomes parallel to that boundary.
/// Eddies fade into others over time (sin and cos of a smooth step, so that the speed stays).
/// @param time   [s]
/// @param share  factor on the potential at a voxel of widened(lattice), 0 to 1, from any thread;
///               empty: 1
/// @return       3 per voxel [m/s]
/// @throws Failure  the run is cancelled
std::vector<float> curlNoise(const sdk::Context& context, const Lattice& lattice,
                             const CurlNoiseSettings& settings, double time,
                             const std::function<double(const Point&)>& share);

} // namespace floe::fields
