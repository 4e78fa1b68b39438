#pragma once

#include "floe/graph/node_type.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace floe::app {

/// What came of cooking one node type with example values.
struct CookTrial {
    enum class Outcome {
        ok,
        failed,
        skipped ///< it needs something that has no example: a file, a third party's record
    };
    Outcome outcome = Outcome::ok;
    std::string reason;             ///< of failed and skipped
    std::vector<std::string> notes; ///< outputs that were left out, warnings
    std::string result;             ///< what came out, in a few words
    double seconds = 0;
};

/// Cooks one node type with default parameters, once with its required inputs and once with all of
/// them. Solvers advance a few frames, are saved, loaded and compared; sinks write into
/// outputFolder and finish.
/// Everything happens in this process: the plugin's crash is this program's.
/// @throws nothing: what goes wrong is the result
CookTrial cookTrial(const std::filesystem::path& folder, const graph::NodeType& type,
                    const std::string& device, const std::filesystem::path& outputFolder);

} // namespace floe::app
