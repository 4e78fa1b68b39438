#pragma once

#include "document/document.hpp"

#include <optional>

namespace floe::editor {

/// Which wires a node that is put down gets without being asked for. All within one scope; wires
/// are made by the document and can be undone.

/// Links the new node after the chosen one, or before it where an input is free.
/// @return the side of the chosen one that it belongs at; nothing when they do not fit
std::optional<Qt::Edge> join(Document& document, const std::string& scope,
                             const std::string& chosen, const std::string& added);

/// Makes a link, and those of the source's other outputs to free inputs of the same name, as a
/// shape's mesh goes with it.
/// @return false when the link was refused; then nothing is linked
bool linkTogether(Document& document, const std::string& scope, const graph::Link& link);

/// Links nodes that were just put down with what nobody uses yet: inputs that need a link, and all
/// of a solver's, take the only free node that fits; a solver's that take many take all of them.
/// Then their own free outputs go into such inputs of the rest, where only one node has one. A node
/// is free while none of its outputs is linked.
/// @return how many links were made
int joinFree(Document& document, const std::string& scope, const std::vector<std::string>& added);

} // namespace floe::editor
