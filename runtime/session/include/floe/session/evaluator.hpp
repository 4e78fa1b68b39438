#pragma once

#include "floe/base/hash.hpp"
#include "floe/data/value.hpp"
#include "floe/graph/flat_graph.hpp"
#include "floe/session/library.hpp"
#include "floe/session/run_services.hpp"
#include "floe/session/statistics.hpp"

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace floe::session {

/// The nodes of one running graph: their objects, their latest values, and what each value was
/// made from. Evaluates a frame at a time; independent nodes cook in parallel.
///
/// Every value has a hash of the type, version and plugin of its node, its parameters at the frame,
/// the hashes of its inputs, and the frame itself where the node depends on it. A node whose hash
/// is that of its latest value is not cooked again. A solver's hash also covers its previous
/// hash: its whole history. Used by one thread.
class Evaluator {
public:
    /// @param graph, library, services  stay where they are while this lives
    /// @param targets nodes whose values are wanted; only they and what they depend on are cooked
    Evaluator(const graph::FlatGraph& graph, Library& library, RunServices& services,
              std::vector<std::size_t> targets);
    ~Evaluator();

    /// What the evaluator knows of one node.
    struct Slot {
        bool needed = false;
        Hash hash;                               ///< of the latest value, or attempt
        std::map<std::string, ValueRef> outputs; ///< by socket
        std::exception_ptr error;                ///< why there is no value
        bool blocked = false;                    ///< something it depends on has failed
        double seconds = 0;                      ///< of the latest cook
        bool cooked = false;                     ///< in the latest frame
    };

    /// Cooks what the targets need at `frame`. Solvers must be evaluated for every frame in turn.
    /// Failures stay in the slots. @throws CancelledError
    void evaluate(int frame, bool start, FrameStatistics& statistics);

    /// Advances the hashes, and with them the solvers' histories, as evaluate() would, without
    /// cooking anything.
    void skip(int frame, bool start);

    const Slot& slot(std::size_t node) const { return slots_[node]; }
    const std::vector<std::size_t>& solvers() const { return solvers_; }

    /// Values linked to the inputs of a node at present, in the order of its sockets.
    Inputs inputsOf(std::size_t node) const;

    /// Gives a node's outputs from outside (the frame cache) instead of cooking it.
    void provide(std::size_t node, std::map<std::string, ValueRef> outputs);

    /// The state of a solver after a frame. @throws MemoryError, and what the solver fails with
    std::string saveSolver(std::size_t node, int frame);
    /// Has a solver go on from a state that saveSolver() gave.
    /// @param history  hash of all that led to it
    /// @throws what the solver fails with
    void loadSolver(std::size_t node, const std::string& state, const Hash& history, int frame);

    /// Says that a solver's history so far is another one; for skip().
    void assumeHistory(std::size_t node, const Hash& history) { slots_[node].hash = history; }

    /// Takes over the values of nodes of the same name and type from an evaluator of an older
    /// state of the graph; what has changed since is found by its hash and cooked again.
    void adopt(const Evaluator& older);

private:
    Hash hashOf(std::size_t node, int frame, bool start) const;
    void cook(std::size_t node, int frame, bool start, FrameStatistics& statistics);
    plugin::NodeInstance& object(std::size_t node);

    const graph::FlatGraph& graph_;
    Library& library_;
    RunServices& services_;
    std::vector<Slot> slots_;
    std::vector<std::unique_ptr<plugin::NodeInstance>> objects_;
    std::vector<std::vector<std::size_t>> users_; ///< needed nodes that take a value from this one
    std::vector<int> sourceCounts_;               ///< needed, distinct
    std::vector<std::size_t> solvers_;
    std::vector<bool> provided_;
    std::vector<bool> constant_; ///< hash is the same at every frame once it is known
    std::mutex statisticsMutex_;
};

} // namespace floe::session
