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

/// The checkpoints of a run: taken as frames go by, written on a thread of their own once
/// everything before them is on disk, and gone on from. Used by one thread, the run's.
class RunCheckpoints {
public:
    /// All of these stay where they are while this lives; the graph may be given new values.
    /// @param storing  the frame cache's thread, or null
    RunCheckpoints(const RunSettings& settings, const graph::FlatGraph& graph,
                   std::filesystem::path folder, RunServices& services, Sinks& sinks,
                   SinkQueue* storing, const std::atomic<bool>& stop);

    /// Goes on from the checkpoint that the settings ask for.
    /// @return the last frame that is already done; the one before the first when starting afresh
    /// @throws InputError, IoError  it is not there, or of another simulation
    int resume(Evaluator& evaluator);

    /// What the solvers hold after a frame; null when no checkpoint is due or it cannot be taken.
    /// @param queues  whose frames may make room for it
    std::shared_ptr<Checkpoint> take(Evaluator& evaluator, int frame,
                                     const std::vector<SinkQueue*>& queues);
    /// Has it written after what sinks and the frame cache write of its frame. The report must be
    /// on disk already.
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
    bool missed_ = false;          ///< the last one was not written; of the thread that writes
    SinkQueue writing_{1, &stop_}; // its thread goes first
};

} // namespace floe::session
