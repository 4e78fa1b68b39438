#pragma once

#include "floe/graph/flat_graph.hpp"

#include <cstddef>
#include <set>
#include <vector>

namespace floe::session {

/// Returns the nodes that keep their frames and are first met on the way back from a node.
std::set<std::size_t> keepersBefore(const graph::FlatGraph& graph, std::size_t node);

/// Returns for each solver whether all that needs it needs it through nodes that keep their frames.
std::vector<bool> hiddenByFiles(const graph::FlatGraph& graph);

/// Returns the frame whose inputs a node with graph::NodeType::shiftsFrame is given at `frame`, by
/// its parameters at `frame`: its own number plus `offset`, or `frame`, rounded; then, by
/// `outside`, held or repeated within `first` to `last`, or within the scene's frames where `last`
/// is below `first`. @throws GraphError a parameter has no value
int shiftedFrame(const graph::FlatGraph& graph, std::size_t node, int frame);

/// Returns whether such a node is given the present frame while the other one has not been kept:
/// `missing` is "present". @throws GraphError as above
bool takesPresent(const graph::FlatGraph& graph, std::size_t node, int frame);

} // namespace floe::session
