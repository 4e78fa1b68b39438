#include "run_checkpoints.hpp"

#include "frame_room.hpp"
#include "together.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/memory.hpp"
#include "floe/ranks/ranks.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>

namespace floe::session {
namespace fs = std::filesystem;

namespace {

bool follows()
{
    return ranks::several() && ranks::joined()->rank > 0;
}

std::string typeOf(const graph::FlatNode& node)
{
    return node.type->type + " " + std::to_string(node.type->version);
}

} // namespace

RunCheckpoints::RunCheckpoints(const RunSettings& settings, const graph::FlatGraph& graph,
                               fs::path folder, RunServices& services, Sinks& sinks,
                               SinkQueue* storing, const std::atomic<bool>& stop)
    : settings_(settings), graph_(graph), folder_(std::move(folder)), services_(services),
      sinks_(sinks), storing_(storing), stop_(stop)
{}

/// The same checkpoint on every rank, or a failure on all.
StoredCheckpoint RunCheckpoints::open(int frame) const
{
    std::optional<StoredCheckpoint> stored;
    doTogether(stop_, [&] {
        stored.emplace(folder_, frame);
        if (const floe_ranks* ranks = ranks::joined())
            stored->verify(ranks->rank, ranks->size);
        else
            stored->verify();
    });
    return std::move(*stored);
}

/// @param others  solvers that go on from another checkpoint
void RunCheckpoints::load(Evaluator& evaluator, int frame, const StoredCheckpoint& checkpoint,
                          const States& others, bool changedGraph)
{
    for (int before = graph_.range.start; before <= frame; ++before) {
        if (stop_)
            throw CancelledError({.frame = before}, "cancelled");
        evaluator.skip(before, before == graph_.range.start);
    }
    doTogether(stop_, [&] {
        for (const std::size_t node : evaluator.solvers()) {
            const auto other = others.find(graph_.nodes[node].name);
            loadSolver(evaluator, node, frame, other == others.end() ? checkpoint : *other->second,
                       changedGraph);
        }
    });
}

void RunCheckpoints::loadSolver(Evaluator& evaluator, std::size_t node, int frame,
                                const StoredCheckpoint& from, bool changedGraph)
{
    const graph::FlatNode& solver = graph_.nodes[node];
    const auto state = from.state(solver.name);
    if (!state || from.types().at(solver.name) != typeOf(solver))
        throw InputError({.node = solver.name},
                         "the checkpoint of frame " + std::to_string(frame) +
                             " has no state of this solver",
                         "start again without --resume");
    const Hash history = from.histories().at(solver.name);
    if (!changedGraph && history != evaluator.slot(node).hash)
        throw InputError({.file = graph_.path, .node = solver.name},
                         "the graph, a file it reads, the device or a plugin has changed since "
                         "frame " +
                             std::to_string(frame) + " was simulated",
                         "start again, or go on with the change: --resume-from " +
                             std::to_string(frame));
    // Of several ranks, each keeps about its share.
    const auto size = static_cast<std::uint64_t>(
        solver.type->ranks && ranks::several() ? ranks::joined()->size : 1);
    compute::HostClaim memory;
    try {
        memory.resize(state->size() / size);
    } catch (const MemoryError& error) {
        throw MemoryError({.node = solver.name},
                          "reading " + std::to_string(state->size() / size >> 20) +
                              " MiB of a checkpoint takes too much: " + error.cause(),
                          "give the run more memory");
    }
    evaluator.loadSolver(node, *state, history, frame);
}

/// Those of rank 0's folder, ascending: it decides.
std::vector<int> RunCheckpoints::frames() const
{
    std::string text;
    if (!follows())
        for (const int frame : checkpointFrames(folder_))
            text += std::to_string(frame) + " ";
    std::istringstream all(ranks::share(text, &stop_).front());
    return {std::istream_iterator<int>(all), {}};
}

int RunCheckpoints::resumeFrom(Evaluator& evaluator, int frame)
{
    const std::vector<int> there = frames();
    if (std::find(there.begin(), there.end(), frame) == there.end()) {
        std::string list;
        for (const int other : there)
            list += (list.empty() ? "" : ", ") + std::to_string(other);
        throw IoError({.file = checkpointPath(folder_, frame).string()}, "does not exist",
                      list.empty() ? "run with --checkpoint-every first"
                                   : "there are checkpoints of frames " + list);
    }
    const StoredCheckpoint checkpoint = open(frame);
    std::map<int, StoredCheckpoint> opened;
    States others;
    for (const auto& [node, other] : settings_.resumeNodesFrom) {
        if (!opened.contains(other))
            opened.emplace(other, open(other));
        const StoredCheckpoint& from = opened.at(other);
        if (!from.state(node))
            throw InputError({.node = node}, "the checkpoint of frame " + std::to_string(other) +
                                                 " has no state of such a solver");
        others[node] = &from;
    }
    load(evaluator, frame, checkpoint, others, true);
    return frame;
}

int RunCheckpoints::resume(Evaluator& evaluator)
{
    if (settings_.resumeFrom)
        return resumeFrom(evaluator, *settings_.resumeFrom);
    const int before = graph_.range.start - 1;
    if (!settings_.resume)
        return before;
    std::vector<int> newestFirst = frames();
    std::reverse(newestFirst.begin(), newestFirst.end());
    for (const int frame : newestFirst) {
        if (frame < graph_.range.start || frame > graph_.range.end)
            continue;
        try {
            load(evaluator, frame, open(frame), {}, false);
            return frame;
        } catch (const IoError& error) {
            evaluator.dropStates(); // some may be restored
            services_.say(
                {Level::Warning, frame, "", std::string(error.what()) + "; trying an older one"});
        }
    }
    services_.say({Level::Info, graph_.range.start, "",
                   "There is no checkpoint; starting from the beginning."});
    return before;
}

/// Copies the state of a solver. When memory is short, first waits for frames being written.
std::string RunCheckpoints::stateOf(Evaluator& evaluator, std::size_t solver, int frame,
                                    const std::vector<SinkQueue*>& queues)
{
    try {
        return evaluator.saveSolver(solver, frame);
    } catch (const MemoryError&) {
        if (ranks::several()) // the others would not try again
            throw;
        waitForRoom(queues, 0, UINT64_MAX, stop_);
        return evaluator.saveSolver(solver, frame);
    }
}

/// Returns whether every solver has a state, on all ranks: rank 0 may have more of them.
bool RunCheckpoints::allWell(const Evaluator& evaluator) const
{
    const bool own =
        std::none_of(evaluator.solvers().begin(), evaluator.solvers().end(), [&](std::size_t node) {
            return evaluator.slot(node).error || evaluator.slot(node).blocked;
        });
    const std::vector<std::string> all = ranks::share(own ? "" : "failed", &stop_);
    return std::all_of(all.begin(), all.end(), [](const std::string& a) { return a.empty(); });
}

std::shared_ptr<RunCheckpoints::Taken> RunCheckpoints::take(Evaluator& evaluator, int frame,
                                                            const std::vector<SinkQueue*>& queues)
{
    const bool due = settings_.checkpointEvery > 0 &&
                     (frame > graph_.range.start || settings_.checkpointEvery == 1) &&
                     (frame - graph_.range.start) % settings_.checkpointEvery == 0;
    if (!due || evaluator.solvers().empty() || evaluator.anyLags())
        return nullptr;
    if (!allWell(evaluator))
        return nullptr;
    auto taken = std::make_shared<Taken>();
    Checkpoint& checkpoint = taken->checkpoint;
    checkpoint.frame = frame;
    for (const std::size_t node : evaluator.solvers()) {
        const graph::FlatNode& solver = graph_.nodes[node];
        try {
            checkpoint.states[solver.name] = stateOf(evaluator, node, frame, queues);
        } catch (const MemoryError& error) {
            if (ranks::several())
                throw;
            services_.say({Level::Warning, frame, solver.name,
                           std::string(error.what()) +
                               "; there is no checkpoint of this frame, and the "
                               "simulation goes on"});
            return nullptr;
        }
        checkpoint.histories[solver.name] = evaluator.slot(node).hash;
        checkpoint.types[solver.name] = typeOf(solver);
    }
    return !ranks::several() || writePart(*taken) ? taken : nullptr;
}

/// Writes this rank's states, and waits until all have. @return whether this is rank 0
bool RunCheckpoints::writePart(Taken& taken)
{
    Checkpoint& checkpoint = taken.checkpoint;
    CheckpointPart own;
    try {
        doTogether(stop_, [&] {
            std::error_code ignored;
            if (!follows()) // what is overwritten is no checkpoint from here on
                fs::remove(checkpointPath(folder_, checkpoint.frame), ignored);
            own = writeCheckpointPart(folder_, ranks::joined()->rank, checkpoint);
        });
        static_assert(std::is_trivially_copyable_v<CheckpointPart>);
        const std::string bytes(reinterpret_cast<const char*>(&own), sizeof own);
        for (const std::string& part : ranks::share(bytes, &stop_))
            std::memcpy(&checkpoint.parts.emplace_back(), part.data(), sizeof own);
    } catch (const IoError&) {
        taken.failure = std::current_exception();
        std::error_code ignored;
        fs::remove(checkpointPartPath(folder_, checkpoint.frame, ranks::joined()->rank), ignored);
    }
    checkpoint.states.clear();
    return !follows();
}

void RunCheckpoints::store(std::shared_ptr<Taken> taken)
{
    const int frame = taken->checkpoint.frame;
    writing_.push(frame, [this, taken = std::move(taken)] { write(*taken); });
}

/// Runs on the writing thread.
void RunCheckpoints::write(const Taken& taken)
{
    const Checkpoint& checkpoint = taken.checkpoint;
    if (!sinks_.waitFor(checkpoint.frame))
        return;
    if (storing_) {
        storing_->waitFor(checkpoint.frame);
        if (storing_->failure())
            return;
    }
    if (stop_ && !sinks_.empty())
        return;
    try {
        if (taken.failure)
            std::rethrow_exception(taken.failure);
        writeCheckpoint(checkpointPath(folder_, checkpoint.frame), checkpoint);
    } catch (const IoError& error) {
        if (!settings_.interactive)
            throw;
        if (!std::exchange(missed_, true))
            services_.say({Level::Warning, checkpoint.frame, "",
                           std::string("The simulation goes on, but cannot be resumed from this "
                                       "frame: ") +
                               error.what()});
        return;
    }
    missed_ = false;
    prune(checkpoint);
}

void RunCheckpoints::prune(const Checkpoint& newest) const
{
    const std::vector<int> frames = checkpointFrames(folder_);
    const auto keep = static_cast<std::size_t>(std::max(0, settings_.keepCheckpoints));
    for (std::size_t i = 0; keep > 0 && i + keep < frames.size(); ++i)
        removeCheckpoint(folder_, frames[i]);
    removeOtherParts(folder_, newest.frame, newest.parts.size());
}

} // namespace floe::session
