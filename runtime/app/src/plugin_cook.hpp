#pragma once

#include "floe/graph/node_type.hpp"
#include "handed_out.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace floe::app {

/// Result of cooking one node type with example values.
struct CookTrial {
    enum class Outcome {
        ok,
        failed,
        skipped ///< it needs input without an example: a file, a third party's record
    };
    Outcome outcome = Outcome::ok;
    std::string reason;             ///< for failed and skipped
    std::vector<std::string> notes; ///< messages of the node
    std::vector<Finding> findings;  ///< about what it handed out, its outputs and parameters
    std::string result;             ///< the output, in a few words
    double seconds = 0;
};

/// Cooks one node type with default parameters, once with its required inputs and once with all of
/// them. Solvers advance a few frames, are saved, loaded and compared; sinks write into
/// outputFolder and finish. What the node handed out is tried too (tryOutput). A crash of the
/// plugin crashes this process.
/// @param doing  hears what is about to be called, which may end the process
/// @throws nothing: failures are part of the result
CookTrial cookTrial(const std::filesystem::path& folder, const graph::NodeType& type,
                    const std::string& device, const std::filesystem::path& outputFolder,
                    const std::function<void(const std::string&)>& doing);

} // namespace floe::app
