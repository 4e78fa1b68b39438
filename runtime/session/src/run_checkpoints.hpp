#pragma once

#include "sinks.hpp"

#include "floe/graph/flat_graph.hpp"
#include "floe/session/checkpoint.hpp"
#include "floe/session/evaluator.hpp"
#include "floe/session/run_services.hpp"
#include "floe/session/session.hpp"
#include "floe/session/sink_queue.hpp"

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace floe::session {

/// The checkpoints of a run: takes them between frames, writes them on a separate thread once
/// everything before them is on disk, and resumes from them. Used by the run's thread only.
class RunCheckpoints {
public:
    /// All arguments must outlive this, unmoved; the graph may be given new values.
    /// @param storing  the frame cache's thread, or null
    RunCheckpoints(const RunSettings& settings, const graph::FlatGraph& graph,
                   std::filesystem::path folder, RunServices& services, Sinks& sinks,
                   SinkQueue* storing, const std::atomic<bool>& stop);

    /// Resumes from the checkpoint that the settings name.
    /// @return the last completed frame; the one before the first when starting afresh
    /// @throws InputError, IoError  it is missing or belongs to another simulation
    int resume(Evaluator& evaluator);

    /// Returns the solvers' state after a frame; null when none is due or it cannot be taken.
    /// @param queues  queues whose frames may be written first to free memory
    std::shared_ptr<Checkpoint> take(Evaluator& evaluator, int frame,
                                     const std::vector<SinkQueue*>& queues);
    /// Queues it for writing after the output of sinks and the frame cache for its frame. The
    /// report must already be on disk.
    void store(std::shared_ptr<Checkpoint> checkpoint);

    SinkQueue& queue() { return writing_; }

private:
    void load(Evaluator& evaluator, const Checkpoint& checkpoint, bool changedGraph);
    int resumeFrom(Evaluator& evaluator, int frame);
    std::string stateOf(Evaluator& evaluator, std::size_t solver, int frame,
                        const std::vector<SinkQueue*>& queues);
    void write(const Checkpoint& checkpoint);
    void prune() const;

    const RunSettings& settings_;
    const graph::FlatGraph& graph_;
    std::filesystem::path folder_;
    RunServices& services_;
    Sinks& sinks_;
    SinkQueue* storing_;
    const std::atomic<bool>& stop_;
    bool missed_ = false;          ///< the last one was not written; used by the writing thread
    SinkQueue writing_{1, &stop_}; // its thread ends first
};

} // namespace floe::session
