#pragma once

#include "floe/graph/document.hpp"

#include <map>
#include <string>

namespace floe::graph {

/// Names and what they become, all at once, so that two may change places.
using NewNames = std::map<std::string, std::string>;

/// A stored value, with the nodes renamed that expressions in it refer to.
Json withNodesRenamed(const Json& value, const NewNames& names);

/// Renames nodes of a graph wherever it names them: links, promotions, expressions, bends of wires.
/// @param names those that are not nodes of the graph do nothing; what they become must be free
void renameNodes(Graph& graph, const NewNames& names);

} // namespace floe::graph
