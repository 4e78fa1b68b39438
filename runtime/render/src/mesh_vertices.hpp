#pragma once

#include "floe/render/scene.hpp"

#include <vector>

namespace floe::render {

/// A triangle corner in the layout of the device.
struct MeshVertex {
    Float3 point;
    Float3 normal;
    Float3 colour; ///< 1 where the mesh has none of its own
};

/// Returns three corners for each triangle, with normals averaged over the neighbours within 40
/// degrees, weighted by area: round surfaces look round, edges stay edges. Skips triangles without
/// area or with numbers that are not finite.
std::vector<MeshVertex> meshVertices(const Mesh& mesh);

} // namespace floe::render
