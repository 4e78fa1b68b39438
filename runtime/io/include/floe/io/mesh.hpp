#pragma once

#include "floe/data/mesh.hpp"

#include <filesystem>
#include <functional>

namespace floe::io {

/// Reads a triangle mesh; the extension (in any case) selects the format.
///
/// OBJ: vertices and faces; supports negative indices and polygons of any size, ignores texture
/// coordinates, normals, groups and materials. PLY: text or binary of either byte order; velocities
/// from vx, vy, vz; colours from red, green, blue (sRGB; whole numbers to 255, others to 1). STL:
/// text or binary; equal corners become one point. Polygons of more than three corners are
/// triangulated by ear clipping, so concave ones keep their outline.
/// @param cancelled  asked now and then; may be empty
/// @throws IoError  no such file, unknown extension, or bad contents; names the line or byte. A
/// file that claims too many elements is refused before memory is allocated.
/// @throws MemoryError, CancelledError
Ref<const MeshValue> readMesh(const std::filesystem::path& path,
                              std::function<bool()> cancelled = {});

/// Writes OBJ (shortest text that reads back exactly), PLY (binary, with velocities and colours if
/// present) or STL (binary; points are repeated for every triangle). The file appears whole or not
/// at all; missing folders are created.
/// @throws IoError  unknown extension, or the file cannot be written
void writeMesh(const std::filesystem::path& path, const MeshValue& mesh);

} // namespace floe::io
