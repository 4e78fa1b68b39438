#pragma once

#include "object_reader.hpp"

#include "floe/graph/node_type.hpp"

#include <vector>

namespace floe::graph {

/// Reads "shownWhen" of a parameter, or another key with conditions: {"law": ["snow", "sand"],
/// "bounded": true}. Its names are checked later; see checkConditions().
std::vector<Condition> readConditions(ObjectReader& reader, const char* key);

/// Call after all parameters and exclusions are read: checks that conditions name parameters of
/// type Choice or Bool of this node and values of these, and that there is no cycle.
void checkConditions(const NodeType& type, const FaultSink& sink);

} // namespace floe::graph
