/// Cutting a body into the pieces that it may break into.
#pragma once

#include "clipping.hpp"
#include "voxels.hpp"

#include "floe/sdk/parallel/executor.hpp"

#include <cstdint>
#include <vector>

namespace floe::pbd {

/// One piece: its voxels, in a box of their own with two empty layers on every side, and its mesh.
struct Cell {
    VoxelSet voxels;
    VoxelGrid grid;
    Surface mesh; ///< in the space of the whole
};

/// Cuts a body into the Voronoi cells of some of its voxels, which a seed draws: of eight drawn at
/// random, the one farthest from those before. Every voxel goes to the cell of the nearest one, and
/// the mesh is cut by the planes half way, with closed caps. The same for any number of threads.
/// @param count  of cells, 2 to kMaxCells and at most a quarter of the voxels
std::vector<Cell> voronoiCells(const VoxelSet& voxels, const VoxelGrid& grid, const Surface& mesh,
                               int count, std::uint64_t seed, sdk::parallel::Executor& executor);

/// The same for parts that are given as one mesh: what shares points in it is one, and keeps
/// its shape. Voxels belong to the first part that holds their centre; those in none to the part
/// whose nearest voxel is nearest.
/// @throws std::invalid_argument  as voxelise(); fewer than 2 parts, or more than kMaxCells; a part
///         that holds no voxel of the body
std::vector<Cell> partsOf(const VoxelSet& voxels, const VoxelGrid& grid, const Triangles& mesh,
                          sdk::parallel::Executor& executor);

inline constexpr int kMaxCells = 1000;

} // namespace floe::pbd
