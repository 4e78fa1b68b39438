#pragma once

#include "object_reader.hpp"

#include "floe/graph/node_type.hpp"

#include <vector>

namespace floe::graph {

/// Reads "shownWhen" of a parameter: {"law": ["snow", "sand"], "bounded": true}. Its names are
/// checked later; see checkConditions().
std::vector<Condition> readConditions(ObjectReader& parameter);

/// Call after all parameters are read: checks that conditions name parameters of type Choice or
/// Bool of this node and values of these, and that there is no cycle.
void checkConditions(const NodeType& type, const FaultSink& sink);

} // namespace floe::graph
