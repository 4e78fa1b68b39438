#pragma once

#include "floe/base/json.hpp"
#include "floe/graph/document.hpp"
#include "floe/graph/fault.hpp"
#include "floe/graph/flat_graph.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace floe::session {
class Library;
}

namespace floe::serve {

/// A document as last sent by the client, checked and, without errors, made ready to run.
/// Immutable; shared between the threads of a session.
struct SessionDocument {
    int revision = 0;
    graph::Document document;
    std::vector<graph::Fault> faults;
    std::optional<graph::FlatGraph> flat; ///< nothing while there are errors
};

/// Reads and checks a document. Never throws for a faulty one.
/// @param path  where the client stores it; relative paths in it start at its folder
std::shared_ptr<const SessionDocument> readDocument(const Json& document, const std::string& path,
                                                    int revision, const session::Library& library);

/// Returns the document with one parameter set to a constant.
/// @param node  name, with the instances it lies in: "debris/ball" sets what the subgraph promotes
/// @throws InputError no such node or parameter, or a value that it cannot have
std::shared_ptr<const SessionDocument>
withParameter(const SessionDocument& before, const std::string& node, const std::string& parameter,
              const Json& value, int revision, const session::Library& library);

/// Returns the document without nodes that have errors and nodes that require these: for viewing,
/// not for running. Null when nothing is left.
std::shared_ptr<const SessionDocument> withoutFaulty(const SessionDocument& document,
                                                     const session::Library& library);

/// {"node", "field", "severity", "message", "cure", "code", ...}
Json faultJson(const graph::Fault& fault);

/// Returns the result of `types.list`.
Json typesJson(const session::Library& library);

} // namespace floe::serve
