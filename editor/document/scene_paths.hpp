#pragma once

#include "floe/graph/document.hpp"
#include "floe/graph/node_type.hpp"

namespace floe::editor {

/// Makes the paths of files in a scene absolute, at every depth, so that they lead to the same
/// files from any other scene. Those of nodes of unknown types are not known to be paths, and stay.
/// @param scene read from a file: `path` is its place
void makePathsAbsolute(graph::Document& scene, const graph::TypeLibrary& types);

} // namespace floe::editor
