#pragma once

#include "floe/graph/translatable_text.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace floe::graph {

enum class Severity { Warning, Error };

/// One fault of a document or a manifest.
///
/// Checks collect faults instead of throwing, so that a person sees all of them at once.
struct Fault {
    Severity severity = Severity::Error;
    std::string
        code; ///< stable identifier for programs: "unknown-parameter", "cycle", "missing-plugin"
    std::string file;  ///< path of the document or manifest; the subgraph's file for a fault in it
    std::string node;  ///< node name with its subgraphs ("debris/ball"); empty: the whole document
    std::string type;  ///< type of that node, when it has one
    std::string field; ///< parameter, socket or key at fault, when there is one
    TranslatableText cause; ///< what is wrong; names the field: "parameter 'radius' is -1"
    TranslatableText cure;  ///< what would be right, after a comma: "must be at least 0"

    /// "CAUSE, CURE".
    TranslatableText sentence() const;
    /// "error: FILE: node 'snow' (floe.material.snow): CAUSE, CURE": one line.
    TranslatableText line() const;
    /// line() in English.
    std::string text() const;

    bool operator==(const Fault&) const = default;
};

/// Code of faults caused by a missing or too old plugin, which has its own exit code.
inline constexpr std::string_view kMissingPlugin = "missing-plugin";

/// Returns true when a fault of severity Error is among them.
bool anyError(const std::vector<Fault>& faults);

/// Returns true when a fault with code kMissingPlugin is among them.
bool anyMissingPlugin(const std::vector<Fault>& faults);

/// {"severity", "code", "file", "node", "type", "field", "cause", "cure"}, without the empty ones;
/// cause and cure in English.
nlohmann::ordered_json toJson(const Fault& fault);

/// Ends a job that its faults prevent.
/// @throws PluginError when a plugin is missing, else GraphError; `what()` has one fault per line
[[noreturn]] void throwFaults(const std::vector<Fault>& faults);

} // namespace floe::graph
