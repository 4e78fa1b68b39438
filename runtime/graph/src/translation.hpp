#pragma once

#include "floe/graph/translation.hpp"

namespace floe::graph {

/// Translates a type's texts. The English label becomes an alias, so that users of an English
/// tutorial find the node.
void translate(NodeType& type, const Translation& translation);

} // namespace floe::graph
