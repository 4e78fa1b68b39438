#pragma once

/// The mesh formats, one function a direction. Readers take the whole file; writers make it.

#include "floe/io/mesh.hpp"

#include <string>
#include <string_view>

namespace floe::io {

MeshData parseObj(std::string_view text, const std::string& file);
MeshData parseStl(std::string_view bytes, const std::string& file);
MeshData parsePlyMesh(std::string_view bytes, const std::string& file);
std::string formatObj(const MeshView& mesh);
std::string formatStl(const MeshView& mesh);
std::string formatPly(const MeshView& mesh);

/// Cuts a polygon into triangles by clipping ears and appends them. `polygon` holds indices of
/// `points`, all in range. Polygons without area, that cross themselves, or of more than a thousand
/// corners become a fan around their first corner.
void triangulate(std::span<const std::uint32_t> polygon, std::span<const float> points,
                 std::vector<std::uint32_t>& triangles);

} // namespace floe::io
