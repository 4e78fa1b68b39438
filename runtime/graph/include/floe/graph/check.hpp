#pragma once

#include "floe/graph/document.hpp"
#include "floe/graph/fault.hpp"
#include "floe/graph/node_type.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace floe::graph {

/// Bounds on what a document may grow to.
inline constexpr int kMaxSubgraphDepth = 16;              ///< subgraphs within subgraphs
inline constexpr std::size_t kMaxFlatNodes = 100'000;     ///< nodes once subgraphs are expanded
inline constexpr std::size_t kMaxExpressionLength = 4096; ///< characters
inline constexpr int kMaxExpressionChain = 256;           ///< expressions that refer to expressions

/// A switch that is on whatever the document says, since a linked node needs the attribute of
/// particles that it stands for (ParameterSpec::keeps). Nodes by their names with their subgraphs.
struct SwitchedOn {
    std::string node, parameter;
    std::string by; ///< the node that needs it; the first one found
    bool operator==(const SwitchedOn&) const = default;
};

/// Returns everything that is wrong with a document, in one pass: its own faults, unknown types,
/// parameters and sockets, values out of range or of the wrong type, bad links, cycles, missing
/// inputs, subgraphs that are missing, recursive or too large, and faulty expressions. Reads the
/// subgraph files that the document names. Older node versions are migrated first (in a copy).
/// Never throws for a faulty document.
/// @param switchedOn  may be null; set to what linked nodes switch on, to nothing where there are
/// errors
std::vector<Fault> check(const Document& document, const TypeLibrary& types,
                         std::vector<SwitchedOn>* switchedOn = nullptr);

/// Migrates nodes of older versions to the newest one, by the upgrades of their manifests: renames
/// in parameters, links, expressions and promotions, and new defaults; then by their plugins' code,
/// where the library has it. Nodes of unknown types are unchanged.
/// @return one sentence for each node that changed
/// @throws Error the plugins' code failed; the document is then partly migrated
std::vector<std::string> migrate(Document& document, const TypeLibrary& types);

/// Returns the type of a subgraph's instances: its promoted parameters and sockets.
/// @param node an instance (floe.subgraph) in `document`
/// @throws GraphError the subgraph is missing or faulty
NodeType instanceType(const Document& document, const Node& node, const TypeLibrary& types);

/// Sets one parameter, as `--set ball.radius=0.3` does: the value is JSON when it parses as JSON,
/// else text; only JSON where the parameter is not text.
///
/// A relative path for a parameter of type Path is relative to the current folder, where the user
/// types it; when that file does not exist but one beside the graph does, to the graph's folder.
/// @throws InputError no '=', no such node or parameter, or a value that the parameter cannot have
void applyOverride(Document& document, const std::string& assignment, const TypeLibrary& types);

} // namespace floe::graph
