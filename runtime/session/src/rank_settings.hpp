#pragma once

#include "floe/graph/flat_graph.hpp"
#include "floe/sdk/ranks.h"
#include "floe/session/session.hpp"

#include <cstddef>
#include <string_view>

namespace floe::session {

/// Settings of a run as this rank has to follow them. Rank 0 writes files, pictures, checkpoints
/// and the report; all ranks compute on the CPU, and share the cores of their machine.
/// @throws InputError  the device cannot be used by several ranks
RunSettings settingsOfRank(const RunSettings& settings);

/// Solvers that know ranks are simulated by all of them; others, of which these must not need
/// anything, by rank 0 alone. What is written in parts must not be needed whole.
/// @throws GraphError  names a node that several ranks cannot simulate together
void requireRanks(const graph::FlatGraph& graph, const RunSettings& settings);

/// Returns whether every rank runs this sink, for what it has itself.
bool writesParts(const graph::FlatGraph& graph, std::size_t node);

/// Returns whether what several ranks have of a solver's output stays with them.
bool givesParts(const graph::FlatGraph& graph, std::size_t node, std::string_view output);

/// What nodes are told of the ranks. Valid until the process ends. @pre they have joined
const floe_ranks& ranksForNodes();

} // namespace floe::session
