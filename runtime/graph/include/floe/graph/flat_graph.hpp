#pragma once

#include "floe/graph/document.hpp"
#include "floe/graph/node_type.hpp"
#include "floe/graph/parameter.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace floe::graph {

/// The source of an input's value.
struct Source {
    std::size_t node;   ///< index into FlatGraph::nodes, smaller than the node's own
    std::string output; ///< socket of that node
};

/// An input of a flat node and its sources, in link order; empty: not connected.
struct FlatInput {
    const Socket* socket;
    std::vector<Source> sources;
};

/// A node that runs.
struct FlatNode {
    std::string name;               ///< with the instances it lies in: "debris/ball"
    const NodeType* type;           ///< owned by the TypeLibrary
    std::string file;               ///< document it was written in, for messages
    std::vector<FlatInput> inputs;  ///< one for each of type->inputs, in that order
    bool timeDependent = false;     ///< its value may differ between frames: its own parameters are
                                    ///< animated, its type says so, or an input is time dependent
    std::size_t firstParameter = 0; ///< FlatGraph's own
};

/// A document ready to run: no subgraphs, no bypassed nodes, every parameter compiled. Immutable;
/// all functions are thread-safe. Copies share. The TypeLibrary must outlive it.
class FlatGraph {
public:
    std::vector<FlatNode> nodes; ///< in topological order: sources before their users
    FrameRange range;
    std::string path; ///< of the document

    FlatGraph();
    ~FlatGraph();
    FlatGraph(const FlatGraph&);
    FlatGraph(FlatGraph&&) noexcept;
    FlatGraph& operator=(const FlatGraph&);
    FlatGraph& operator=(FlatGraph&&) noexcept;

    /// Index of a node by its full name; -1 when there is none.
    std::ptrdiff_t find(std::string_view name) const;

    /// Evaluates a parameter of node `node`, by its index in type->parameters.
    ///
    /// Constants cost a copy. Expressions see `frame`, `time` (seconds since the first frame of the
    /// range), `fps`, `pi`, and other parameters as `node.parameter`; see expression.hpp.
    /// @throws GraphError naming node, parameter and frame, when an expression gives no finite
    ///         number (division by zero) or an animated value leaves the parameter's range
    ParameterValue evaluate(std::size_t node, std::size_t parameter, Time time) const;

    /// Evaluates it by name. @throws GraphError also when the type has no such parameter
    ParameterValue evaluate(std::size_t node, std::string_view parameter, Time time) const;

private:
    friend class Expansion;
    struct Compiled; ///< parameters of all nodes, and what the TypeLibrary does not own
    std::shared_ptr<const Compiled> compiled_;
};

/// Checks and flattens a document: subgraphs (inline, by file, and node types made of a graph)
/// become nodes with path names, promoted values are applied, and bypassed nodes are removed.
///
/// A bypassed node passes its first input of the same kind on to each output; an output without
/// such an input counts as not connected.
/// @throws PluginError, GraphError  check() finds errors; the message lists all of them
FlatGraph flatten(const Document& document, const TypeLibrary& types);

/// Two sinks whose files have the same names, so that one would replace the other's without a word.
struct OutputClash {
    std::size_t node, other; ///< indices into FlatGraph::nodes
    std::string parameter;   ///< of `node`, with the widget "output"
};
std::vector<OutputClash> outputClashes(const FlatGraph& graph);

} // namespace floe::graph
