#pragma once

#include "grid.hpp"

namespace floe::shapes {

/// What was wrong with a mesh.
struct MeshFaults {
    std::size_t dropped = 0;  ///< triangles that name a point twice, or that are there already
    std::size_t holes = 0;    ///< loops of edges with a triangle on one side only
    std::size_t patches = 0;  ///< triangles that close them, at the end of the surface
    std::size_t branches = 0; ///< edges where more than two triangles meet
};

/// Joins points at the same place, drops triangles without extent and those given before (facing
/// the same side), and closes every hole with a fan of triangles around its middle.
///
/// The edges with an odd number of triangles always form closed loops, so afterwards every edge
/// has an even number: the surface separates inside from outside. It may still enclose nothing,
/// when the triangles were not connected.
/// @throws Failure an index beyond the points, a point that is not finite, or no triangle left
Surface closedSurface(const floe_mesh& mesh, MeshFaults& faults);

} // namespace floe::shapes
