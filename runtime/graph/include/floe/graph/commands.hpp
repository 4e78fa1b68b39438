#pragma once

#include "floe/graph/node_type.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace floe::graph {

/// How a command ended; the program makes its exit code from it. Ordered by weight.
enum class Outcome {
    Good,
    Differs,       ///< diff: the graphs differ; fmt: a file is not formatted
    Faulty,        ///< a graph has errors
    MissingPlugin, ///< a graph needs a plugin that is not installed
    Unreadable     ///< a file cannot be read or written
};

/// `floe validate FILES`: all faults of each graph, then one line that says how it is.
/// @param json one JSON array in place of lines: [{"file", "sound", "faults": [...]}]
Outcome validate(const std::vector<std::string>& files, const TypeLibrary& types, bool json,
                 std::ostream& out);

enum class FormatMode {
    Write, ///< in place, where the text changes
    Check, ///< only name the files that would change
    Print  ///< to `out`
};

/// `floe fmt FILES`: the stable form of Document::format.
Outcome format(const std::vector<std::string>& files, const TypeLibrary& types, FormatMode mode,
               std::ostream& out);

/// `floe diff A B`: one change a line, or a JSON array.
Outcome diffFiles(const std::string& a, const std::string& b, bool json, std::ostream& out);

} // namespace floe::graph
