/// The sinks of a run: nodes that write or draw, each on a thread of its own behind a bounded
/// queue.
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

/// Used by one thread, the run's; only the nodes cook on others.
class Sinks {
public:
    using Failed = std::function<void(const std::exception_ptr& error, const std::string& node)>;

    /// @param graph stays where it is while this lives; it may be given new values after drain()
    /// @param stop ends waiting and leaves queued frames unwritten
    /// @throws InputError when the settings name a sink that the graph has not
    Sinks(const graph::FlatGraph& graph, const RunSettings& settings, Library& library,
          RunServices& services, const std::atomic<bool>& stop);

    bool empty() const { return sinks_.empty(); }
    std::vector<std::size_t> nodes() const;
    std::vector<SinkQueue*> queues() const;

    /// Hands a frame to every sink whose inputs are there, as memory allows.
    /// @return seconds waited for full queues and for memory
    double feed(const Evaluator& evaluator, int frame);
    /// Values that the sinks are given, each counted once. [bytes]
    std::uint64_t frameBytes(const Evaluator& evaluator) const;
    /// Waits until a frame and those before it are written.
    /// @return false when a sink failed
    bool waitFor(int frame);
    void drain(); ///< waits until nothing is queued
    /// Waits for all, then lets each write its last (a movie's index). Returns early on stop.
    void finish();
    void discard(); ///< what is queued
    /// @return false when some were still at work after so many seconds, all together
    bool waitIdle(double seconds);

    /// Calls once for each sink that failed since the last call.
    void reportFailures(const Failed& failed);
    /// Whether a sink is alive and nothing it needs has failed.
    bool anyFed(const Evaluator& evaluator) const;

private:
    struct Sink {
        std::size_t node;
        std::unique_ptr<plugin::NodeInstance> object;
        std::unique_ptr<SinkQueue> queue;
        bool reported = false; ///< its failure was
    };

    const graph::FlatGraph& graph_;
    RunServices& services_;
    const std::atomic<bool>& stop_;
    std::vector<Sink> sinks_;
};

} // namespace floe::session
