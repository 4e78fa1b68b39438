#pragma once

#include "animation.hpp"
#include "object_reader.hpp"

#include "floe/graph/document.hpp"
#include "floe/graph/node_type.hpp"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace floe::graph {

struct Definition;

/// A node of a definition, with its names resolved.
struct ResolvedNode {
    const Node* node = nullptr;
    const NodeType* type = nullptr;     ///< null: unknown
    const Definition* inside = nullptr; ///< the graph it is made of; null: code
    /// One for each of type->parameters; null: not stored (or faulty)
    std::vector<std::shared_ptr<const CompiledParameter>> parameters;
};

/// A graph as written: a document's own, a subgraph's, or a file's. Instances share it.
struct Definition {
    const Document* document = nullptr;
    const Graph* graph = nullptr;
    std::string prefix; ///< before node names in faults: "debris/" in a subgraph of the document
    TranslatableText title;          ///< for messages: "subgraph 'debris'"
    std::string folder;              ///< absolute; what paths are relative to
    NodeType type;                   ///< of its instances: promoted parameters and sockets
    std::vector<ResolvedNode> nodes; ///< as graph->nodes
    std::unordered_map<std::string, std::size_t> index;
    int height = 0;            ///< levels of subgraphs below
    std::size_t flatCount = 0; ///< nodes once expanded; saturates
    bool open = true;          ///< being resolved: reaching it again is a recursion
    bool partial = false;      ///< it contains something unknown, so its interface may lack entries

    /// @return null when there is none
    const ResolvedNode* find(const std::string& name) const;
};

/// A document with all its graphs, names resolved, values compiled, each graph checked by itself.
/// Expansion finds what only shows after expanding (cycles, missing inputs).
class ResolvedDocument {
public:
    /// Resolves a document; never throws for a faulty one. Faults are appended.
    ResolvedDocument(const Document& document, const TypeLibrary& types,
                     std::vector<Fault>& faults);
    ~ResolvedDocument();

    const Definition& root() const { return *root_; }
    const Document& document() const { return *document_; }

    /// Returns whether it can be expanded: no recursion, not too deep, not too large.
    bool expandable() const { return expandable_; }

private:
    const Definition* define(const Document& document, const Graph& graph, std::string prefix,
                             TranslatableText title);
    const Document* loadFile(const std::string& path, const FaultSink& sink);
    void checkPlugins(const Document& document);
    void migrateOrReport(Document& document);
    void resolve(Definition& definition, ResolvedNode& node);
    void resolveInstance(Definition& definition, ResolvedNode& node, const FaultSink& sink);
    void resolveUnknown(const Definition& definition, const FaultSink& sink);
    void compile(ResolvedNode& node, const FaultSink& sink);
    void buildInterface(Definition& definition);
    void checkGraphNode(const ResolvedNode& node, const FaultSink& sink);
    FaultSink sinkFor(const Definition& definition, const Node* node = nullptr) const;

    const TypeLibrary& types_;
    std::vector<Fault>& faults_;
    std::unique_ptr<Document> document_; ///< migrated copy
    const Definition* root_ = nullptr;
    bool expandable_ = true;
    std::map<std::string, std::unique_ptr<Document>> files_; ///< by normal absolute path
    std::map<const Graph*, std::unique_ptr<Definition>> definitions_;
    std::map<std::string, std::string> nearestTypes_; ///< unknown type: the one probably meant
    std::vector<const Definition*> stack_; ///< definitions being resolved, outermost first
};

/// Checks links and expression references of one definition whose names are resolved.
void checkConnections(const Definition& definition, std::vector<Fault>& faults);

/// A parsed reference of an expression.
struct Reference {
    std::string node, parameter;
    int component = -1; ///< 0 to 2 of a vector; -1: the number itself
};
/// @param text "ball.center.x"; component letters are xyz or rgb
/// @return false for other shapes
bool parseReference(const std::string& text, Reference& reference);

} // namespace floe::graph
