/// The sinks of a run: nodes that write or draw, each on its own thread behind a bounded queue.
#pragma once

#include "floe/session/evaluator.hpp"
#include "floe/session/library.hpp"
#include "floe/session/run_services.hpp"
#include "floe/session/session.hpp"
#include "floe/session/sink_queue.hpp"

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace floe::session {

/// Used by the run's thread only; nodes cook on others.
class Sinks {
public:
    using Failed = std::function<void(const std::exception_ptr& error, const std::string& node)>;

    /// @param graph must outlive this, unmoved; it may be given new values after drain()
    /// @param stop ends waiting and leaves queued frames unwritten
    /// @throws InputError when the settings name a sink that the graph lacks
    Sinks(const graph::FlatGraph& graph, const RunSettings& settings, Library& library,
          RunServices& services, const std::atomic<bool>& stop);

    /// Frames up to this one were written by the process that this one goes on from.
    void continueAfter(int frame);

    bool empty() const { return sinks_.empty(); }
    std::vector<std::size_t> nodes() const;
    std::vector<SinkQueue*> queues() const;

    /// Passes a frame to every sink whose inputs are available, as memory allows.
    /// @return seconds waited for full queues and for memory
    double feed(const Evaluator& evaluator, int frame);
    /// Returns the size of the values passed to sinks, each counted once [bytes].
    std::uint64_t frameBytes(const Evaluator& evaluator) const;
    /// Waits until a frame and those before it are written.
    /// @return false when a sink failed
    bool waitFor(int frame);
    void drain(); ///< waits until nothing is queued
    /// Waits for all frames, then lets each sink that had a frame, in this process or the one it
    /// resumes, finish (a movie). Returns early on stop.
    void finish();
    void discard(); ///< drops queued frames
    /// @return false when some were still working after so many seconds, in total
    bool waitIdle(double seconds);

    /// Calls `failed` once for each sink that failed since the last call.
    void reportFailures(const Failed& failed);
    /// Returns whether a sink is alive and none of its inputs has failed.
    bool anyFed(const Evaluator& evaluator) const;

private:
    struct Sink {
        std::size_t node;
        std::unique_ptr<plugin::Node> object;
        std::unique_ptr<SinkQueue> queue;
        int last;              ///< the last frame given to it; the one before the first: none
        bool reported = false; ///< its failure was reported
    };

    const graph::FlatGraph& graph_;
    RunServices& services_;
    const std::atomic<bool>& stop_;
    std::vector<Sink> sinks_;
};

} // namespace floe::session
