#pragma once

#include "floe/graph/node_type.hpp"

#include <iosfwd>

namespace floe::graph {

/// Writes the node reference of the manual as Markdown: all node types by category, each with its
/// help, sockets, parameters (type, default, range, unit) and presets.
void writeNodeReference(const TypeLibrary& types, std::ostream& out);

} // namespace floe::graph
