/// Closed meshes cut by planes.
#pragma once

#include "voxeliser.hpp"

#include "floe/sdk/physics/vec.hpp"

#include <cstdint>
#include <vector>

namespace floe::pbd {

/// A mesh whose triangles share points, counter-clockwise seen from outside.
struct Surface {
    std::vector<physics::Vec3<double>> points; ///< [m]
    std::vector<std::uint32_t> corners;        ///< three a triangle
};

/// The same mesh with points at one place made one.
Surface welded(const Triangles& mesh);

/// What of a closed mesh lies below a plane, n . x < offset, closed by caps in the plane. Where the
/// mesh is closed, so is the result, whatever the rounding: points on the plane count as above it.
/// Caps of sections that cut themselves may overlap.
/// @param n  unit
Surface clippedBelow(const Surface& mesh, const physics::Vec3<double>& n, double offset);

/// Of a closed mesh [m^3].
double volumeOf(const Surface& mesh);

} // namespace floe::pbd
