#pragma once

#include "object_reader.hpp"

#include "floe/graph/flat_graph.hpp"

#include <vector>

namespace floe::graph {

/// Adds a fault for each thing that a node excludes and that is there (NodeType::excludes).
/// Parameters count with their values at the first frame.
/// @param graph  without errors
void checkExclusions(const FlatGraph& graph, std::vector<Fault>& faults);

} // namespace floe::graph
