#pragma once

#include "grid.hpp"

namespace floe::shapes {

/// Faults of a mesh.
struct MeshFaults {
    std::size_t dropped = 0;  ///< triangles with a repeated point, or duplicates
    std::size_t holes = 0;    ///< loops of edges with a triangle on one side only
    std::size_t patches = 0;  ///< triangles that close the holes, at the end of the surface
    std::size_t branches = 0; ///< edges where more than two triangles meet
};

/// Merges points at the same position, drops degenerate and duplicate triangles (facing the same
/// side), and closes every hole with a fan of triangles around its centre.
///
/// The edges with an odd number of triangles always form closed loops, so afterwards every edge
/// has an even number: the surface separates inside from outside. It may still enclose nothing,
/// when the triangles were not connected.
/// @throws Failure an index beyond the points, a point that is not finite, or no triangle left
Surface closedSurface(const floe_mesh& mesh, MeshFaults& faults);

} // namespace floe::shapes
