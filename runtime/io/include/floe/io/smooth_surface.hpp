#pragma once

#include "floe/data/mesh.hpp"

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace floe::io {

/// Particles around which a surface is sought, as pieces of matter.
struct Matter {
    std::vector<std::array<float, 3>> positions; ///< [m], finite
    /// Edge of a cube of each particle's volume [m], > 0; or one for all.
    std::vector<float> spacing;
    /// Empty, or of each particle [m/s]: the mesh has velocities then.
    std::vector<std::array<float, 3>> velocities;
};

struct SmoothSettings {
    double voxelSize = 0;            ///< of the lattice that the surface is found on [m]; 0: 0.62
                                     ///< of the smallest spacing
    bool even = true;                ///< take bumps a few particles wide off where matter is thick
    std::function<bool()> cancelled; ///< polled from time to time, from many threads; may be empty
};

/// Finds the surface of particles by anisotropic kernels (Yu and Turk 2013): each particle's volume
/// is spread over an ellipsoid that is flat where its neighbours lie in a plane and long where they
/// lie in a line, so that the surface is smooth and sheets one particle thick stay whole. What is
/// thin, as spray is, becomes drops. The surface lies where half of space is filled; it encloses
/// the particles' volume. Bumps that remain are taken off by a low-pass filter of the mesh that
/// keeps the volume (in the manner of Taubin 1995).
///
/// Only particles near the surface cost more than a look at their surroundings; time grows where
/// sizes differ by more than a few times. All threads; the same mesh for any number of them.
/// @return closed triangles, counter-clockwise seen from outside; holes inside matter are left out
/// @throws InputError  positions too far apart for the voxels; names voxelSize
/// @throws CancelledError
Ref<const MeshValue> smoothSurface(const Matter& matter, const SmoothSettings& settings = {});

} // namespace floe::io
