#pragma once

#include "floe/graph/node_type.hpp"

#include <iosfwd>
#include <string>

namespace floe::graph {

/// Texts of the node reference besides manifests', by default English. %1, ... are placeholders.
struct ReferenceWords {
    std::string title = "Node reference";
    std::string preface = "Made by `floe` from the manifests of the plugins. Lengths are in "
                          "metres, all units SI unless\nstated; *several* inputs take any number "
                          "of links, in order.";
    std::string other = "Other"; ///< types without a category
    std::string origin = "%1, version %2, plugin %3";
    std::string solver = "solver", sink = "sink", onBoth = "CPU and CUDA", needsCuda = "needs CUDA";
    std::string alsoFoundAs = "Also found as: %1.";
    std::string socket = "socket", kind = "kind", input = "input", output = "output",
                required = "required", several = "several";
    std::string parameter = "parameter", type = "type", defaultValue = "default", range = "range",
                unit = "unit", preset = "preset", values = "values";
    std::string fromTo = "%1 to %2"; ///< a range
    std::string either = "%1 or %2", both = "%1 and %2";
    std::string usedWhen = "Used when %1.", is = "%1 is %2", constant = "Constant over time.";
};

/// Writes the node reference of the manual as Markdown: all node types by category, each with its
/// help, sockets, parameters (type, default, range, unit) and presets.
/// @param filter types whose name, label, category or alias contains it, ignoring case; empty: all
void writeNodeReference(const TypeLibrary& types, std::ostream& out, const std::string& filter = {},
                        const ReferenceWords& words = {});

} // namespace floe::graph
