#pragma once

#include "object_reader.hpp"

#include "floe/graph/node_type.hpp"

#include <vector>

namespace floe::graph {

/// Takes "shownWhen" of a parameter: {"law": ["snow", "sand"], "bounded": true}. What it names is
/// not known yet; see checkConditions().
std::vector<Condition> readConditions(ObjectReader& parameter);

/// Once all parameters are read: conditions name parameters of type Choice or Bool of this node and
/// values that these can have, and none leads back to itself.
void checkConditions(const NodeType& type, const FaultSink& sink);

} // namespace floe::graph
