#pragma once

#include "floe/base/hash.hpp"
#include "floe/data/value.hpp"
#include "floe/graph/flat_graph.hpp"
#include "floe/session/library.hpp"
#include "floe/session/run_services.hpp"
#include "floe/session/statistics.hpp"

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace floe::session {

class KeptFrames;

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
///
/// A node that keeps its frames (graph::NodeType::keepsFrames) gives a frame from its file where
/// that was made for the same hash. What only such nodes need is not cooked then: solvers before
/// them lag, and make up for the frames that they have missed when one is needed that is not kept.
/// So they cook as often as without files, or not at all. On several ranks all cook.
///
/// A node that shifts its frame (graph::NodeType::shiftsFrame) gets the values of another frame:
/// what has no state is cooked for it, and what keeps its frames is read from its file.
class Evaluator {
public:
    /// How far back from the targets nodes are cooked.
    enum class Reach {
        All,
        Solvers ///< to the first solvers, whose outputs come from outside: see provide()
    };

    /// @param graph, library, services  must outlive this, unmoved
    /// @param targets nodes whose values are needed; only these and their dependencies are cooked
    Evaluator(const graph::FlatGraph& graph, Library& library, RunServices& services,
              std::vector<std::size_t> targets, Reach reach = Reach::All);
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

    using Outputs = std::map<std::string, ValueRef>; ///< by socket

    /// Sets a node's outputs from outside (the frame cache) instead of cooking it.
    void provide(std::size_t node, Outputs outputs);
    /// Where solvers' outputs of other frames come from, for nodes that shift their frame; else
    /// from files. @param outputs  empty: there is no such frame
    void provideFrames(std::function<Outputs(std::size_t solver, int frame)> outputs)
    {
        outsideFrames_ = std::move(outputs);
    }

    /// Returns whether a solver has not cooked the latest frame, because nothing needed it.
    bool lags(std::size_t node) const { return lags_.contains(node); }
    bool anyLags() const { return !lags_.empty(); }

    /// Nodes that keep their frames.
    const std::vector<std::size_t>& keepers() const { return keepers_; }
    /// What there is on disk of a frame that was evaluated or skipped.
    enum class OnDisk { Nothing, Fresh, Stale };
    OnDisk onDisk(std::size_t keeper, int frame);
    /// Neither reads nor writes files: for trials. Before the first frame.
    void ignoreFiles();
    /// Waits until what was given to files is there; says what could not be written.
    void finishFiles();

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

    using Hashes = std::vector<Hash>; ///< by node
    using HashOf = std::function<const Hash&(std::size_t node)>;
    /// What a frame needs.
    struct Demand {
        std::vector<bool> wanted;             ///< by node
        std::map<std::size_t, ValueRef> kept; ///< from files
    };
    /// Keys of files of frames to come.
    struct Ahead {
        std::unique_ptr<Evaluator> evaluator;
        int known = 0; ///< the last frame
    };

    // evaluator_demand.cpp: what is cooked, where files give some of it
    void findKeepers();
    Hashes slotHashes() const;
    const Hash* keyOf(std::size_t keeper, int frame) const;
    Hashes hashesAt(int frame, bool start, Hashes before, bool tolerant);
    void evaluateDemanded(int frame, bool start, FrameStatistics& statistics);
    void addDemand(Demand& demand, int frame, std::vector<std::size_t> targets);
    ValueRef keptValue(std::size_t keeper, int frame);
    void keepInStep(Demand& demand, int frame);
    void takeKept(const Demand& demand, const Hashes& hashes);
    void catchUp(const Demand& demand, int frame);
    void cookMissed(const std::vector<std::size_t>& solvers, int frame);
    void keepFrames(const Demand& demand, int frame);
    void finishFile(std::size_t keeper);
    void warn(int frame, std::size_t node, const std::string& text);

    // evaluator_shift.cpp: values of other frames
    void findShifts();
    Hash hashAt(std::size_t solver, int frame);
    bool hasKept(std::size_t solver, int frame);
    int givenFrame(std::size_t node, int frame);
    Hash shiftedHash(std::size_t node, int frame);
    void cookShifted(std::size_t node, int frame);
    Outputs outputsAt(std::size_t solver, int frame, std::size_t shift);
    const Hash* keyAt(std::size_t keeper, int frame);

    Inputs inputsFrom(const graph::FlatNode& node) const;
    bool isLeaf(std::size_t node) const;
    void findNeeded(std::vector<std::size_t> targets);
    void findCouplings();
    void findOrder();
    void orderDivided();
    bool followsFailure(std::size_t node) const;
    bool needs(std::size_t node, std::size_t source) const;
    void conclude(std::size_t node, int frame, bool start, FrameStatistics& statistics);
    Hash concludedHash(std::size_t node, const HashOf& hash) const;
    Hash hashOf(std::size_t node, int frame, bool start, const HashOf& known);
    Hash hashFromSlots(std::size_t node, int frame, bool start);
    void cookAll(int frame, bool start, FrameStatistics& statistics, const Demand* demand);
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
    const Reach reach_;
    std::vector<std::size_t> targets_;
    int frame_ = 0; ///< evaluated or skipped last

    std::vector<std::size_t> keepers_;
    std::map<std::size_t, std::unique_ptr<KeptFrames>> files_; ///< of keepers
    std::map<std::size_t, std::map<int, Hash>> keys_;          ///< of keepers' files, by frame
    std::map<std::size_t, std::pair<Hash, ValueRef>> latest_;  ///< of keepers: key and value
    /// Solvers that a solver takes values of, with no file between them.
    std::map<std::size_t, std::set<std::size_t>> before_;
    std::map<std::size_t, int> lags_;  ///< solvers that have missed frames: the first of them
    std::map<int, Hashes> passed_;     ///< of the frames that were missed, and of the one before
    const Hashes* expected_ = nullptr; ///< of the frame that is cooked, where they are known
    std::set<std::size_t> warned_;     ///< keepers whose files cannot be written

    /// By node that shifts its frame: what makes its inputs at other frames.
    std::map<std::size_t, std::unique_ptr<Evaluator>> shifts_;
    std::map<std::size_t, Ahead> ahead_; ///< by keeper
    Evaluator* parent_ = nullptr;        ///< whose frames a part of its graph is evaluated for
    std::function<Outputs(std::size_t, int)> outsideFrames_;
    std::mutex shiftMutex_;      ///< guards files_, keys_ and ahead_ while nodes cook
    std::vector<bool> constant_; ///< the hash is the same at every frame once known
    std::mutex statisticsMutex_;
};

} // namespace floe::session
