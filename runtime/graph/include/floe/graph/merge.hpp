#pragma once

#include "floe/graph/diff.hpp"
#include "floe/graph/document.hpp"

#include <functional>
#include <string>
#include <vector>

namespace floe::graph {

class TypeLibrary;

enum class Side { Mine, Theirs };

/// Something that both sides have changed, each to something else.
struct Conflict {
    std::string what;   ///< as of a Change; "input": the links that end there
    std::string where;  ///< as of a Change, by the name that mine has where it has one
    std::string field;  ///< parameter or key; empty: the whole
    std::string base;   ///< JSON text; empty: absent
    std::string mine;   ///< JSON text; empty: absent
    std::string theirs; ///< JSON text; empty: absent

    /// One line: "! ball.radius: 0.5 -> mine 0.7, theirs 0.9".
    std::string text() const;
    bool operator==(const Conflict&) const = default;
};

/// Which side's value a conflict takes. Asked once for each.
using Choose = std::function<Side(const Conflict&)>;

struct Merged {
    Document document;
    std::vector<Conflict> conflicts; ///< all, whichever side they took
    std::vector<Change> renamed;     ///< what theirs had under names that mine uses for others
};

/// Joins what two sides have made of a document: what one of them changed is taken from it, by
/// node, link, parameter and so on, not by line.
///
/// Nothing is lost without a conflict that says so. What both sides have added under one name is
/// kept twice, theirs under a free name. A node that one side removed and the other changed or
/// linked is a conflict; its links go and stay with it. Renamed nodes are followed where diff()
/// sees that they are (expressions of the other side too). Places of nodes never conflict: mine
/// stay. What is added by theirs comes after what is mine, in its order.
///
/// @param types   tell inputs that take several links; of unknown ones the links themselves do
/// @param choose  empty: mine
/// @throws GraphError one of the documents is not lossless
Merged merge(const Document& base, const Document& mine, const Document& theirs,
             const TypeLibrary& types, const Choose& choose = {});

/// [{"what": "parameter", "where": ..., "base": ..., "mine": ..., "theirs": ...}]
Json toJson(const std::vector<Conflict>& conflicts);

} // namespace floe::graph
