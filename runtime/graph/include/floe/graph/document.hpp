#pragma once

#include "floe/base/json.hpp"
#include "floe/graph/fault.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace floe::graph {

class TypeLibrary;

/// The newest format version of *.floe.json that this code reads and the one it writes.
inline constexpr int kDocumentFormat = 1;

/// A node as stored. Parameters that are not stored have the default of their type.
struct Node {
    std::string name; ///< unique in its graph; [A-Za-z_][A-Za-z0-9_]*
    std::string type;
    int version = 0;   ///< of the type; 0: not stored, read as the newest
    std::string graph; ///< floe.subgraph: name of a subgraph of the document
    std::string file;  ///< floe.subgraph: path of another document, relative to this one
    Json parameters = Json::object(); ///< name: constant, {"keys": ..} or {"expr": ..}
    bool bypass = false;
    Json layout;                 ///< for the editor; null: none
    Json extra = Json::object(); ///< keys unknown to this version; preserved
    std::string raw;             ///< the node's original text; see Document::format
};

/// One end of a link, "node.socket".
struct Endpoint {
    std::string node, socket;
    std::string text() const { return node + "." + socket; }
    auto operator<=>(const Endpoint&) const = default;
};

struct Link {
    Endpoint from; ///< an output
    Endpoint to;   ///< an input
    auto operator<=>(const Link&) const = default;
};

/// A parameter of an inner node that instances of the subgraph expose as their own.
struct PromotedParameter {
    std::string name;
    Endpoint to;                            ///< inner node and parameter
    std::string label, help;                ///< empty: those of the inner parameter
    std::optional<double> min, max;         ///< within the inner parameter's; none: as there
    std::optional<double> softMin, softMax; ///< ends of the slider; none: as there
    bool operator==(const PromotedParameter&) const = default;
};

/// An inner socket that instances of the subgraph expose as their own.
struct PromotedSocket {
    std::string name;
    Endpoint to;
    bool operator==(const PromotedSocket&) const = default;
};

struct Promotion {
    std::vector<PromotedParameter> parameters; ///< in the order of panels
    std::vector<PromotedSocket> inputs, outputs;
    bool empty() const { return parameters.empty() && inputs.empty() && outputs.empty(); }
    bool operator==(const Promotion&) const = default;
};

/// Nodes and links: a whole document, or one subgraph. Order is the order of the file.
struct Graph {
    std::vector<Node> nodes;
    std::vector<Link> links;
    Json backdrops; ///< for the editor; null: none
    Json notes;     ///< for the editor; null: none
    Promotion promote;
    Json extra = Json::object();

    const Node* find(std::string_view name) const; ///< null when there is none
    Node* find(std::string_view name);
};

struct FrameRange {
    int start = 1;
    int end = 48; ///< the last frame that is simulated
    double fps = 24;
    bool operator==(const FrameRange&) const = default;
};

/// A graph file in memory.
///
/// Loading keeps everything, including what this version does not understand, which `faults` lists.
/// check() decides whether the content is valid.
struct Document {
    std::string path; ///< as the user gave it; empty: never saved
    FrameRange range;
    std::vector<std::pair<std::string, std::string>> plugins; ///< id, minimum version
    Graph graph;
    std::vector<std::pair<std::string, Graph>> subgraphs; ///< by unique name
    std::vector<Fault> faults; ///< faults of the text itself: unknown keys, wrong JSON types
    bool lossless = true; ///< false: some of the text could not be kept; do not overwrite the file

    /// Reads the text of a document.
    /// @param path names the text in faults; paths in the document are relative to its folder
    /// @throws GraphError not JSON, not a Floe document, or of a newer format version
    static Document parse(std::string_view text, const std::string& path);

    /// @throws IoError, GraphError
    static Document load(const std::string& path);

    /// Returns stable text: known keys in a fixed order, nodes and links in their order, parameters
    /// in the order of their manifest, short values on one line.
    ///
    /// A node whose type is not in `types` is written back byte for byte, unless it was changed.
    /// @throws GraphError the document is not lossless
    std::string format(const TypeLibrary& types) const;

    /// Writes format() to `path`, atomically. @throws IoError, GraphError
    void save(const std::string& path, const TypeLibrary& types) const;

    const Graph* subgraph(std::string_view name) const; ///< null when there is none
    Graph* subgraph(std::string_view name);

    /// Absolute folder that paths in this document are relative to.
    std::string folder() const;
};

/// A node as JSON, in the document's order of keys. @param types orders parameters; may be null
Json toJson(const Node& node, const TypeLibrary* types = nullptr);

/// Returns true when the name may be used for a node, subgraph or promoted parameter.
bool isName(std::string_view name);

} // namespace floe::graph
