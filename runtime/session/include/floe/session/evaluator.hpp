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
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace floe::session {

/// The nodes of one running graph: their objects, their latest values, and the hashes of these.
/// Evaluates one frame at a time; independent nodes cook in parallel.
///
/// The hash of a value covers the type, version and plugin of its node, its parameters at the
/// frame, the hashes of its inputs, and the frame itself where the node depends on it. A node is
/// not cooked again while its hash is that of its latest value. A solver's hash also covers its
/// previous hash, and so its whole history. Used by one thread.
///
/// A solver whose output of kind floe.coupling (floe/sdk/coupling.h) is linked to another solver is
/// moved by that one: it cooks first, then the other, then it cooks once more in the same frame to
/// give its outputs, and all other nodes that use them wait for that.
class Evaluator {
public:
    /// @param graph, library, services  must outlive this, unmoved
    /// @param targets nodes whose values are needed; only these and their dependencies are cooked
    Evaluator(const graph::FlatGraph& graph, Library& library, RunServices& services,
              std::vector<std::size_t> targets);
    ~Evaluator();

    /// State of one node.
    struct Slot {
        bool needed = false;
        Hash hash;                               ///< of the latest value or attempt
        std::map<std::string, ValueRef> outputs; ///< by socket
        std::exception_ptr error;                ///< why there is no value
        bool blocked = false;                    ///< a dependency has failed
        double seconds = 0;                      ///< of the latest cook
        bool cooked = false;                     ///< in the latest frame
    };

    /// Cooks what the targets need at `frame`. Solvers must be evaluated for consecutive frames.
    /// Failures are stored in the slots. @throws CancelledError
    void evaluate(int frame, bool start, FrameStatistics& statistics);

    /// Advances the hashes and so the solvers' histories, like evaluate() without cooking.
    void skip(int frame, bool start);

    const Slot& slot(std::size_t node) const { return slots_[node]; }
    const std::vector<std::size_t>& solvers() const { return solvers_; }

    /// Returns the present values on the inputs of a node, in the order of its sockets.
    Inputs inputsOf(std::size_t node) const;

    /// Sets a node's outputs from outside (the frame cache) instead of cooking it.
    void provide(std::size_t node, std::map<std::string, ValueRef> outputs);

    /// Returns the state of a solver after a frame. @throws MemoryError, and the solver's failure
    std::string saveSolver(std::size_t node, int frame);
    /// Restores a solver from a state of saveSolver().
    /// @param history  hash of everything that led to it
    /// @throws the solver's failure
    void loadSolver(std::size_t node, plugin::StateSource& state, const Hash& history, int frame);

    /// Drops what solvers hold: one of them could not be restored.
    void dropStates();

    /// Replaces a solver's history so far; for skip().
    void assumeHistory(std::size_t node, const Hash& history) { slots_[node].hash = history; }

    /// The latest value of a node without state, and its hash.
    struct Kept {
        Hash hash;
        std::map<std::string, ValueRef> outputs; ///< by socket
    };
    using KeptValues = std::map<std::string, Kept>; ///< by node

    /// Returns the latest values of nodes without state.
    KeptValues values() const;
    /// Takes over values, of an older graph for example: a node of the same name is cooked again
    /// only where its hash differs. After skip() and loadSolver().
    void adopt(const KeptValues& values);

private:
    /// How a solver that others move takes part in a frame.
    struct Coupling {
        std::vector<std::size_t> movers; ///< solvers that move it; empty: it moves itself
        std::vector<std::size_t> later;  ///< nodes that use what it gives after they have cooked
        std::string circle;              ///< a mover that needs these values itself
    };

    void findCouplings();
    void findOrder();
    void orderDivided();
    bool followsFailure(std::size_t node) const;
    bool needs(std::size_t node, std::size_t source) const;
    void conclude(std::size_t node, int frame, bool start, FrameStatistics& statistics);
    Hash concludedHash(std::size_t node) const;
    Hash hashOf(std::size_t node, int frame, bool start) const;
    void call(std::size_t node, int frame, bool start, FrameStatistics& statistics);
    void cook(std::size_t node, int frame, bool start, FrameStatistics& statistics);
    plugin::Node& object(std::size_t node);

    const graph::FlatGraph& graph_;
    Library& library_;
    RunServices& services_;
    std::vector<Slot> slots_;
    std::vector<std::unique_ptr<plugin::Node>> objects_;
    std::vector<std::vector<std::size_t>> users_; ///< needed nodes that use a value of this one
    std::map<std::size_t, Coupling> couplings_;   ///< of solvers that others move
    std::map<std::size_t, std::vector<std::size_t>> moves_; ///< which of them a solver moves
    /// Needed nodes after what they use; a second time where they conclude.
    std::vector<std::pair<std::size_t, bool>> order_;
    std::vector<std::set<std::string>> linked_; ///< outputs of each node that others use
    std::vector<int> sourceCounts_;             ///< needed, distinct
    std::vector<std::size_t> divided_; ///< solvers of several ranks, as they cook; alone: none
    std::vector<std::size_t> solvers_;
    std::vector<bool> provided_;
    std::vector<bool> constant_; ///< the hash is the same at every frame once known
    std::mutex statisticsMutex_;
};

} // namespace floe::session
