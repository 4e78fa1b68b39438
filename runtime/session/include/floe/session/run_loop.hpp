#pragma once

#include "floe/graph/flat_graph.hpp"
#include "floe/session/session.hpp"

#include <atomic>
#include <optional>
#include <string>

namespace floe::session {

class Evaluator;

/// Actions of an interactive session between a run's frames. Called from the thread that runs,
/// unless stated otherwise.
class RunHooks {
public:
    virtual ~RunHooks() = default;
    /// Before the first frame, when solvers have the state that they go on from: may adopt values.
    virtual void begins(Evaluator& evaluator) = 0;
    /// Before a frame. @return the graph with changed parameter values only; nothing: no change
    virtual std::optional<graph::FlatGraph> changedGraph(int frame) = 0;
    /// After a frame, with its values; some may be missing where a node failed.
    virtual void evaluated(const Evaluator& evaluator, const graph::FlatGraph& graph,
                           int frame) = 0;
    /// A node starts or ends cooking; from any thread.
    virtual void cooking(const std::string& node, bool begins) = 0;
};

/// The loop over frames behind run(): evaluates, feeds sinks, writes checkpoints and the report.
/// @param graph    replaces `settings.graph`, its overrides and its range
/// @param hooks    may be null
/// @throws Error before the first frame, like run()
Outcome runGraph(graph::FlatGraph graph, const RunSettings& settings, Library& library,
                 Observer& observer, const std::atomic<bool>& stop, RunHooks* hooks);

} // namespace floe::session
