#pragma once

#include <map>
#include <string>
#include <vector>

namespace floe::session {

/// What is known about one frame of a run: the one record that the progress line, `run.json` and
/// every other view read.
struct FrameStatistics {
    int frame = 0;
    double seconds = 0;         ///< wall time of evaluation, waiting for sinks included
    double sinkWaitSeconds = 0; ///< of that, waiting because a sink's queue was full
    double residentBytes = 0;   ///< of the process, after the frame
    /// Seconds by node, for the nodes that were cooked in this frame (sinks: on their own thread,
    /// for the frame that they finished last).
    std::map<std::string, double> nodeSeconds;
    /// What nodes reported: node -> name -> value (particles, substeps, activeShare, ...).
    std::map<std::string, std::map<std::string, double>> values;

    /// Sum of one reported value over all nodes; 0 when none reported it.
    double total(const std::string& name) const;
};

enum class Level { Debug, Info, Warning, Error };

/// Something a node or the session said.
struct Message {
    Level level = Level::Info;
    int frame = 0;
    std::string node;
    std::string text;
};

} // namespace floe::session
