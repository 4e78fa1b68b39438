#pragma once

#include "floe/graph/node_type.hpp"

#include <iosfwd>
#include <string>

namespace floe::graph {

/// Writes the node reference of the manual as Markdown: all node types by category, each with its
/// help, sockets, parameters (type, default, range, unit) and presets.
/// @param filter only types whose name, label, category or alias contains it, letter case aside;
///               empty: all
void writeNodeReference(const TypeLibrary& types, std::ostream& out,
                        const std::string& filter = {});

} // namespace floe::graph
