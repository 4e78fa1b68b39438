#pragma once

#include "floe/session/statistics.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace floe::session {

class Library;

/// Settings of a run.
struct RunSettings {
    std::filesystem::path graph;
    std::vector<std::string> overrides; ///< "node.parameter=value", applied in order
    std::optional<int> start;           ///< replaces the graph's first frame
    std::optional<int> end;             ///< replaces the graph's last frame
    std::filesystem::path output;       ///< folder; empty: out/<graph name> in the working folder
    std::string device = "auto";        ///< auto | cpu | cuda[:N]
    int threads = 0;                    ///< CPU threads; 0: all cores
    int checkpointEvery = 10;           ///< frames; 0: never
    int keepCheckpoints = 0;            ///< newest ones to keep; 0: all
    bool resume = false; ///< continue from the newest valid checkpoint, if there is one
    std::optional<int>
        resumeFrom; ///< go on from this frame's checkpoint, even if the graph changed
    /// With resumeFrom: solvers that go on from the state of another frame. By node.
    std::map<std::string, int> resumeNodesFrom;
    bool cache = false;              ///< write every solver's output, for `render`
    std::filesystem::path readCache; ///< render: take solvers' outputs from this folder
    std::vector<std::string> sinks;  ///< render: sinks to run; empty: all
    int queueLength = 2;             ///< frames that may wait for each sink
    bool keepFrames = true;          ///< nodes that keep their frames use their files
    bool withoutSinks = false;       ///< write nothing but checkpoints and the report
    /// Frames are viewed, not kept: no run.json; unwritten checkpoints only give a warning.
    bool interactive = false;
    std::filesystem::path checkpoints; ///< folder; empty: `checkpoints` in the output folder
};

/// Returns the absolute output folder of a run with these settings.
std::filesystem::path outputFolder(const RunSettings& settings);

/// Receives a run's progress; called from the thread that runs, never concurrently.
class Observer {
public:
    virtual ~Observer() = default;
    /// After the graph is checked and before the first frame. `first` is later than the graph's
    /// first frame when the run resumes.
    virtual void began(const std::filesystem::path& output, int first, int last) = 0;
    virtual void said(const Message& message) = 0;
    virtual void frameDone(const FrameStatistics& statistics) = 0;
    /// Completed share of the present frame, 0 to 1; from any thread, at most a few times per
    /// second.
    virtual void frameProgress(int frame, const std::string& node, double fraction) = 0;
};

/// Result of a run.
struct Outcome {
    enum class End { Finished, Cancelled, Failed } end = End::Finished;
    std::exception_ptr error; ///< Failed: the first error, a floe::Error
    std::filesystem::path output;
    /// Cancelled: work that sinks had started, a picture for instance. Its destruction waits for
    /// that work, which uses the arguments of run().
    std::shared_ptr<void> inWork;
};

/// Runs a graph from its first frame to its last: evaluates each frame, feeds the sinks, writes
/// checkpoints and `run.json`. An error stops the nodes that depend on the failed one and leaves
/// the others running; the outcome names the first.
/// @param stop  set from any thread (or a signal handler) to end the run within a second
/// @throws Error before the first frame: the graph, plugins, device or output folder are unusable
Outcome run(const RunSettings& settings, Library& library, Observer& observer,
            const std::atomic<bool>& stop);

} // namespace floe::session
