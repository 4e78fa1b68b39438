#pragma once

#include "kernel_field.hpp"

#include <array>
#include <vector>

namespace floe::io {

/// The surface of a field as quads.
struct FieldMesh {
    std::vector<std::array<double, 3>> points;       ///< [m]
    std::vector<float> bulk;                         ///< of each point, see Kernel
    std::vector<std::array<float, 3>> velocities;    ///< of each point [m/s], or empty
    std::vector<std::array<std::uint32_t, 4>> quads; ///< counter-clockwise seen from outside
};

/// Finds where the field is kFilled by surface nets (Gibson 1998): one point in each cell of the
/// lattice that the surface runs through, in the middle of where it cuts the cell's edges.
FieldMesh meshOf(const KernelField& field, const std::function<void()>& check);

/// Takes off bumps of a few `length` where points are bulk, and keeps the volume: with G the
/// average over the surroundings, 1 - (1 - G)^3, which leaves what is much longer alone (in the
/// manner of Taubin 1995).
/// @param voxelSize  that the mesh was made with [m]
void even(FieldMesh& mesh, double length, double voxelSize, const std::function<void()>& check);

} // namespace floe::io
