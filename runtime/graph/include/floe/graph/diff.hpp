#pragma once

#include "floe/graph/document.hpp"
#include "floe/graph/rename.hpp"

#include <string>
#include <vector>

namespace floe::graph {

/// One difference between two documents.
struct Change {
    enum class Kind { Added, Removed, Changed, Renamed };
    Kind kind = Kind::Changed;
    std::string what;   ///< "node", "link", "parameter", "type", "bypass", "layout", "order",
                        ///< "range", "plugin", "subgraph", "promotion", "backdrop", "note", ...
    std::string where;  ///< node or link, with its subgraph: "debris/ball", "a.shape -> b.shape"
    std::string field;  ///< parameter or key; empty: the whole
    std::string before; ///< JSON text; empty: absent
    std::string after;  ///< JSON text; empty: absent

    /// One line: "~ ball.radius: 0.5 -> 0.7", "+ link ball.shape -> emit.shape".
    std::string text() const;
    bool operator==(const Change&) const = default;
};

/// Returns whether two values are the same, whatever the order of keys, which Json's == counts.
bool sameJson(const Json& a, const Json& b);

/// Returns what changed from `a` to `b`, by node and not by line: order of keys, white space and
/// number formats do not matter. A removed node with an equal new one counts as renamed.
std::vector<Change> diff(const Document& a, const Document& b);

/// Names in `a` of nodes that `b` has under another name, with that name: each name occurs in one
/// of the graphs only, and no other node of either has the same content. Their places do not
/// matter.
NewNames renamedNodes(const Graph& a, const Graph& b);

/// [{"kind": "changed", "what": "parameter", "where": ..., "before": ..., "after": ...}]
Json toJson(const std::vector<Change>& changes);

} // namespace floe::graph
