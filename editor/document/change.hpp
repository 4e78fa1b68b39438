#pragma once

#include "floe/graph/document.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace floe::editor {

/// The smallest steps that documents change by. Each holds what it needs to be done and undone, so
/// that undoing gives back the very same document, orders included.

/// A node appears at a place in the order of its graph.
struct NodeChange {
    std::size_t index;
    graph::Node node;
};

/// A link appears at a place in the order of its graph.
struct LinkChange {
    std::size_t index;
    graph::Link link;
};

/// The name of a node, in its links and promotions too; not in expressions.
struct NameChange {
    std::string before, after;
};

/// A part of a node, given whole.
struct FieldChange {
    enum class Field {
        Parameters, ///< the object of stored parameters
        Layout,     ///< position, size, colour, bends of wires
        Bypass,     ///< a boolean
    };
    std::string node;
    Field field;
    std::string parameter; ///< Parameters: the one that differs
    Json before, after;
};

/// Backdrops or notes of a graph, given whole.
struct DecorationChange {
    bool notes; ///< else backdrops
    Json before, after;
};

struct PromotionChange {
    graph::Promotion before, after;
};

struct RangeChange {
    graph::FrameRange before, after;
};

/// A subgraph appears, with all it holds.
struct SubgraphChange {
    std::size_t index;
    std::string name;
    graph::Graph graph;
};

/// What no panel shows: keys of later versions, and the plugins that are required.
struct OtherChange {
    struct State {
        Json extra;                                               ///< Graph::extra
        std::vector<std::pair<std::string, std::string>> plugins; ///< of the document's own graph
    };
    State before, after;
};

struct Change {
    std::string scope; ///< subgraph it happens in; empty: the document's own graph
    std::variant<NodeChange, LinkChange, NameChange, FieldChange, DecorationChange, PromotionChange,
                 RangeChange, SubgraphChange, OtherChange>
        what;
    bool removes = false; ///< node, link or subgraph: it disappears instead
};

using Changes = std::vector<Change>;

/// The steps that make `b` of `a`, orders included; what is the same on both sides is not touched.
/// Paths of the documents and the faults of their text do not count.
Changes changesBetween(const graph::Document& a, const graph::Document& b);

} // namespace floe::editor
