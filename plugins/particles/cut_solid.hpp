/// A solid cut into closed pieces, along the surfaces between what is nearest to each.
#pragma once

#include "solid_mesh.hpp"

#include "floe/sdk/node.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace floe::particles {

/// Closed meshes, one after another; pieces share no points.
struct CutSolid {
    std::vector<float> points;           ///< 3 a point [m]
    std::vector<uint32_t> triangles;     ///< 3 a triangle, counter-clockwise from outside its piece
    std::vector<uint8_t> seam;           ///< of each triangle: 1 between pieces, 0 of the surface
    std::vector<uint32_t> pieceOfPoint;  ///< ascending
    std::vector<uint32_t> firstTriangle; ///< of each piece, and the end
};

struct CutSettings {
    double voxelSize = 0; ///< of the grid [m], > 0
    int smoothing = 0;    ///< steps in which seams are smoothed, >= 0; the surface stays
};

/// Cuts a solid into the Voronoi cells of labelled seeds: what is nearest to a seed of a piece is
/// part of that piece.
///
/// Samples on a grid are inside, of the piece of the nearest seed, or outside. Each cell of eight
/// is six tetrahedra, cut between samples of different labels (Nielson and Franke 1997): on edges,
/// where the surface crosses them or where both pieces are equally near; on faces that see three
/// labels; inside where there are four. Both sides of a seam have the same triangles, so that the
/// pieces fill the solid without gaps. Sharp edges are cut off by up to a voxel.
/// @param seeds      3 a seed [m]
/// @param labels     of each seed: its piece; or kNoPiece, whose cells are left out of every piece
/// @param pieces     number of pieces
/// @throws Failure   more samples than kMaxSamples; a piece without any sample is no fault, and has
///                   no triangles
CutSolid cutSolid(const sdk::Context& context, const SolidMesh& solid, std::span<const float> seeds,
                  std::span<const uint32_t> labels, uint32_t pieces, const CutSettings& settings);

inline constexpr double kMaxSamples = 1u << 26;

} // namespace floe::particles
