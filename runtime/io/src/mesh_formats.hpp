#pragma once

/// The mesh formats, one function per direction, on whole files in memory.

#include "cancellation.hpp"

#include "floe/data/mesh.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace floe::io {

/// A triangle mesh as stored in files.
struct MeshData {
    std::vector<float> points;            ///< 3 per point [m], finite
    std::vector<std::uint32_t> triangles; ///< 3 point indices per triangle, all in range
    std::vector<float> velocities;        ///< 3 per point [m/s], or empty
    std::vector<float> colours;           ///< 3 per point, linear, 0 to 1, or empty
};

MeshData parseObj(std::string_view text, const std::string& file, Cancellation& stop);
MeshData parseStl(std::string_view bytes, const std::string& file, Cancellation& stop);
MeshData parsePlyMesh(std::string_view bytes, const std::string& file, Cancellation& stop);
std::string formatObj(const MeshValue& mesh);
std::string formatStl(const MeshValue& mesh);
std::string formatPly(const MeshValue& mesh);

/// Triangulates a polygon by ear clipping and appends the triangles. `polygon` holds indices of
/// `points`, all in range. Polygons that have no area, intersect themselves, or have more than a
/// thousand corners become a fan around their first corner. @throws CancelledError
void triangulate(std::span<const std::uint32_t> polygon, std::span<const float> points,
                 std::vector<std::uint32_t>& triangles, Cancellation& stop);

} // namespace floe::io
