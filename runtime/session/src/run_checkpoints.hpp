#pragma once

#include "sinks.hpp"

#include "floe/graph/flat_graph.hpp"
#include "floe/session/checkpoint.hpp"
#include "floe/session/evaluator.hpp"
#include "floe/session/run_services.hpp"
#include "floe/session/session.hpp"
#include "floe/session/sink_queue.hpp"

#include <atomic>
#include <exception>
#include <filesystem>
#include <map>
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

    /// What is to become a checkpoint. Of several ranks, each has written its part.
    struct Taken {
        Checkpoint checkpoint;
        std::exception_ptr failure; ///< why a part is not there
    };

    /// Returns the solvers' state after a frame; null when none is due or it cannot be taken, and
    /// on all ranks but 0.
    /// @param queues  queues whose frames may be written first to free memory
    /// @throws CancelledError, ranks::RankLost
    std::shared_ptr<Taken> take(Evaluator& evaluator, int frame,
                                const std::vector<SinkQueue*>& queues);
    /// Queues it for writing after the output of sinks and the frame cache for its frame. The
    /// report must already be on disk.
    void store(std::shared_ptr<Taken> taken);

    SinkQueue& queue() { return writing_; }

private:
    using States = std::map<std::string, const StoredCheckpoint*>; ///< by solver

    StoredCheckpoint open(int frame) const;
    void load(Evaluator& evaluator, int frame, const StoredCheckpoint& checkpoint,
              const States& others, bool changedGraph);
    void loadSolver(Evaluator& evaluator, std::size_t node, int frame, const StoredCheckpoint& from,
                    bool changedGraph);
    int resumeFrom(Evaluator& evaluator, int frame);
    std::vector<int> frames() const;
    std::string stateOf(Evaluator& evaluator, std::size_t solver, int frame,
                        const std::vector<SinkQueue*>& queues);
    bool allWell(const Evaluator& evaluator) const;
    bool writePart(Taken& taken);
    void write(const Taken& taken);
    void prune(const Checkpoint& newest) const;

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
