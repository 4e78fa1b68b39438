#pragma once

#include <map>
#include <string>
#include <vector>

namespace floe::session {

/// Statistics of one frame of a run, for the progress line, `run.json` and all other views.
struct FrameStatistics {
    int frame = 0;
    double seconds = 0;         ///< wall time of evaluation, including waits for sinks
    double sinkWaitSeconds = 0; ///< part of it, waiting because a sink's queue was full
    double residentBytes = 0;   ///< of the process, after the frame
    /// Seconds by node, for the nodes cooked in this frame (sinks: on their own thread, for the
    /// frame they finished last).
    std::map<std::string, double> nodeSeconds;
    /// What nodes reported: node -> name -> value (particles, substeps, activeShare, ...).
    std::map<std::string, std::map<std::string, double>> values;

    /// Returns the sum of one statistic over all nodes; 0 when none reported it.
    double total(const std::string& name) const;
};

enum class Level { Debug, Info, Warning, Error };

/// A message of a node or of the session.
struct Message {
    Level level = Level::Info;
    int frame = 0;
    std::string node;
    std::string text;
};

} // namespace floe::session
