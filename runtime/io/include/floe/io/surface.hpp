#pragma once

#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/volume.hpp"

#include <functional>
#include <span>

namespace floe::io {

/// How a level set made of spheres is smoothed.
enum class Smoothing {
    none,
    gaussian,      ///< strong; rounds edges
    laplacian,     ///< gentle
    meanCurvature, ///< keeps flat places, shrinks thin ones (Osher and Fedkiw 2003)
};

/// What each particle fills.
enum class SurfaceKernel {
    round,       ///< a ball of its radius
    anisotropic, ///< an ellipsoid that follows its neighbours: see smooth_surface.hpp
};

struct SurfaceSettings {
    SurfaceKernel kernel = SurfaceKernel::round;
    double radius = 0;    ///< of each particle [m]; 0: twice the radius of a sphere of its volume
                          ///< attribute, or of 0.1 m without one
    double voxelSize = 0; ///< of the level set [m]; 0: half the smallest radius
    double closing = 0;   ///< grow by this first, shrink by it last [m]: fills gaps and dents
    double erosion = 0;   ///< shrink at the end [m]; negative grows
    Smoothing smoothing = Smoothing::gaussian; ///< of balls
    int smoothingSteps = 2;
    std::function<bool()> cancelled; ///< polled from time to time; may be empty
};

/// Wraps particles into one level set: the union of their spheres, closed, smoothed and eroded
/// (after Zhu and Bridson 2005, with the tools of OpenVDB: Museth 2013); or their smooth surface,
/// which encloses the particles' volume, closed and eroded. There a particle of a radius has the
/// volume of a ball of half of it. Skips particles whose position is not finite.
/// @param particles  several sets make one surface; host or device memory
/// @return a level set [m]; empty when there are no particles
/// @throws InputError      a radius below 1.5 or above 100 voxels, positions too far apart for the
///                         voxels, settings out of range; names the setting
/// @throws CancelledError
Ref<const VolumeValue> surfaceOf(std::span<const Ref<const ParticlesValue>> particles,
                                 const SurfaceSettings& settings);

/// Returns the surface of a level set as triangles, counter-clockwise seen from outside; closed
/// where the level set is.
/// @param isoValue    distance of the surface [m]
/// @param adaptivity  0 to 1: simplification of flat regions
/// @throws InputError  the volume holds vectors, settings out of range
Ref<const MeshValue> meshOf(const Ref<const VolumeValue>& volume, double isoValue = 0,
                            double adaptivity = 0);

} // namespace floe::io
