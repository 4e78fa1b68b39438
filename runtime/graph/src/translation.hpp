#pragma once

#include "floe/graph/translation.hpp"

namespace floe::graph {

/// Puts a type's texts into the translation's language. The English label becomes an alias, so that
/// who follows an English tutorial finds the node.
void translate(NodeType& type, const Translation& translation);

} // namespace floe::graph
