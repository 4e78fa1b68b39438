#pragma once

#include "floe/graph/merge.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace floe::graph {

using Stored = std::optional<Json>; ///< none: absent

/// Decides what of three versions is taken: asks about conflicts, and remembers them.
class Judge {
public:
    /// @param choose  must live longer; empty: mine
    explicit Judge(const Choose& choose) : choose_(choose) {}

    Side decide(Conflict conflict);
    Stored pick(const std::string& what, const std::string& where, const std::string& field,
                const Stored& base, const Stored& mine, const Stored& theirs);

    /// Member by member, in the order of mine; anything but an object has none.
    /// @return null when nothing is left and mine is no object
    Json pickMembers(const std::string& what, const std::string& where, const Json& base,
                     const Json& mine, const Json& theirs);

    std::vector<Conflict> conflicts;

private:
    const Choose& choose_;
};

/// Whether an input of a node takes several links; none: not known.
using IsMultiple = std::function<std::optional<bool>(const Node& node, const std::string& input)>;

/// Joins three versions of one graph.
/// @param prefix   of names in conflicts: "debris/", or empty
/// @param renamed  gets the nodes of theirs that are given another name
Graph mergeGraphs(Judge& judge, std::vector<Change>& renamed, const IsMultiple& isMultiple,
                  const std::string& prefix, const Graph& base, const Graph& mine,
                  const Graph& theirs);

std::string nameIn(const NewNames& names, const std::string& name); ///< itself: not in there

/// "ball" -> "ball2", "ball7" -> "ball2": the first that is free.
std::string freeName(const std::string& wish, const std::function<bool(const std::string&)>& taken);

} // namespace floe::graph
