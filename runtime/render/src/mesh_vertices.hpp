#pragma once

#include "floe/render/scene.hpp"

#include <vector>

namespace floe::render {

/// A corner of a triangle as the device reads it.
struct MeshVertex {
    Float3 point;
    Float3 normal;
};

/// Three corners for each triangle, with normals averaged over the neighbours that lie within 40
/// degrees of it, weighted by area: round things look round, edges stay edges. Triangles without
/// area or with numbers that are not finite are left out.
std::vector<MeshVertex> meshVertices(const Mesh& mesh);

} // namespace floe::render
