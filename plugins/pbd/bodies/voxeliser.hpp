/// Which voxels have their centre inside a closed triangle mesh.
#pragma once

#include "voxels.hpp"

#include "floe/sdk/parallel/executor.hpp"

#include <cstdint>
#include <span>

namespace floe::pbd {

/// Triangles of a mesh, counter-clockwise seen from outside. Borrowed.
struct Triangles {
    std::span<const float> points;          ///< x, y, z each [m]
    std::span<const std::uint32_t> corners; ///< three a triangle
};

/// A grid of voxels of this edge around a mesh, centred on it, with `padding` empty voxels on every
/// side.
/// @throws std::invalid_argument  no triangles, points that are not finite, corners without a
///         point, or more voxels than VoxelSet holds
VoxelGrid placeGrid(const Triangles& mesh, double edge, int padding);

/// The voxels whose centre is inside, by the parity of surfaces between the centre and the outside.
///
/// After Schwarz and Seidel 2010: each triangle flips, in every row that it covers, the voxels
/// below it. Corners are rounded to 1/65536 of a voxel, and from there on arithmetic is exact: a
/// centre on an edge belongs to one of the two triangles that share it, whatever the mesh, so that
/// no row leaks; a centre on the surface is inside if the surface faces along +x there. The result
/// does not depend on the number of threads.
/// @throws std::invalid_argument  as placeGrid(); a mesh with open edges; a mesh outside the grid
VoxelSet voxelise(const Triangles& mesh, const VoxelGrid& grid, sdk::parallel::Executor& executor);

} // namespace floe::pbd
