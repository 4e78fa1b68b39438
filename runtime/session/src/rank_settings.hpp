#pragma once

#include "floe/graph/flat_graph.hpp"
#include "floe/session/session.hpp"

namespace floe::session {

/// Settings of a run as this rank has to follow them. Rank 0 writes files, pictures, checkpoints
/// and the report; all ranks compute on the CPU, and share the cores of their machine.
/// @throws InputError  the device cannot be used by several ranks
RunSettings settingsOfRank(const RunSettings& settings);

/// One solver is simulated by all ranks; others, which it must not depend on, by rank 0 alone.
/// @throws GraphError  names a node that several ranks cannot simulate together
void requireRanks(const graph::FlatGraph& graph);

} // namespace floe::session
