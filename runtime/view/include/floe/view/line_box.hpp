#pragma once

#include "floe/data/record.hpp"
#include "floe/render/scene.hpp"

#include <array>
#include <vector>

namespace floe::view {

/// A box that is drawn as its twelve edges.
struct LineBox {
    std::array<render::Float3, 8> corners; ///< [m]; bits of the index: x, y, z
    ValueRef record;                       ///< as a "collider": the edges with their colour
};

LineBox domainBox(const RecordValue& domain);

/// Returns the box around a collider's mesh, turned with it.
/// @param frame  of its transform
/// @pre the record has a mesh
LineBox outlineOf(const RecordValue& collider, double frame);

/// Returns the points of the mesh in LineBox::record for a camera, so that lines have the same
/// width at all distances: each edge is a bar whose width grows with its distance from the eye.
/// @param height  of the picture [pixels]
std::vector<render::Float3> thinLines(const std::array<render::Float3, 8>& corners,
                                      const render::Camera& camera, int height);

} // namespace floe::view
