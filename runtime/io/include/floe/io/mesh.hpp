#pragma once

#include "floe/data/mesh.hpp"

#include <filesystem>

namespace floe::io {

/// Reads a triangle mesh; the extension (any case) says the format.
///
/// OBJ: vertices and faces; negative indices and polygons of any size are understood, texture
/// coordinates, normals, groups and materials are passed over. PLY: text or binary of either byte
/// order; velocities from vx, vy, vz. STL: text or binary; equal corners become one point.
/// Polygons of more than three corners are cut into triangles by clipping ears, so that concave
/// ones keep their outline.
/// @throws IoError  no such file, unknown extension, or contents that do not hold together: names
///                  the line (text) or byte (binary). A file that claims more elements than it can
///                  contain is refused before memory is taken for them.
Ref<const MeshValue> readMesh(const std::filesystem::path& path);

/// Writes OBJ (shortest text that reads back exactly), PLY (binary, with velocities when there are
/// any) or STL (binary; points are repeated at every triangle). The file appears whole or not at
/// all; missing folders are made.
/// @throws IoError  unknown extension, or the file cannot be written
void writeMesh(const std::filesystem::path& path, const MeshValue& mesh);

} // namespace floe::io
