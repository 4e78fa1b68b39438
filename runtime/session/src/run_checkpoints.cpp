#include "run_checkpoints.hpp"

#include "frame_room.hpp"

#include "floe/base/error.hpp"
#include "floe/ranks/ranks.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace floe::session {
namespace fs = std::filesystem;

namespace {

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

void RunCheckpoints::load(Evaluator& evaluator, const Checkpoint& checkpoint, bool changedGraph)
{
    for (int frame = graph_.range.start; frame <= checkpoint.frame; ++frame) {
        if (stop_)
            throw CancelledError({.frame = frame}, "cancelled");
        evaluator.skip(frame, frame == graph_.range.start);
    }
    for (const std::size_t node : evaluator.solvers()) {
        const graph::FlatNode& solver = graph_.nodes[node];
        const auto state = checkpoint.states.find(solver.name);
        if (state == checkpoint.states.end() || checkpoint.types.at(solver.name) != typeOf(solver))
            throw InputError({.node = solver.name},
                             "the checkpoint of frame " + std::to_string(checkpoint.frame) +
                                 " has no state of this solver",
                             "start again without --resume");
        const Hash history = checkpoint.histories.at(solver.name);
        if (!changedGraph && history != evaluator.slot(node).hash)
            throw InputError({.file = graph_.path, .node = solver.name},
                             "the graph, a file it reads, the device or a plugin has changed since "
                             "frame " +
                                 std::to_string(checkpoint.frame) + " was simulated",
                             "start again, or go on with the change: --resume-from " +
                                 std::to_string(checkpoint.frame));
        evaluator.loadSolver(node, state->second, history, checkpoint.frame);
    }
}

int RunCheckpoints::resumeFrom(Evaluator& evaluator, int frame)
{
    const fs::path path = checkpointPath(folder_, frame);
    if (!fs::exists(path)) {
        std::string there;
        for (const int other : checkpointFrames(folder_))
            there += (there.empty() ? "" : ", ") + std::to_string(other);
        throw IoError({.file = path.string()}, "does not exist",
                      there.empty() ? "run with --checkpoint-every first"
                                    : "there are checkpoints of frames " + there);
    }
    Checkpoint checkpoint = readCheckpoint(folder_, frame);
    std::map<int, Checkpoint> others;
    for (const auto& [node, other] : settings_.resumeNodesFrom) {
        if (!others.contains(other))
            others.emplace(other, readCheckpoint(folder_, other));
        Checkpoint& from = others.at(other);
        if (!from.states.contains(node))
            throw InputError({.node = node}, "the checkpoint of frame " + std::to_string(other) +
                                                 " has no state of such a solver");
        checkpoint.states[node] = std::move(from.states[node]);
        checkpoint.histories[node] = from.histories[node];
        checkpoint.types[node] = from.types[node];
    }
    load(evaluator, checkpoint, true);
    return frame;
}

int RunCheckpoints::resume(Evaluator& evaluator)
{
    if (settings_.resumeFrom)
        return resumeFrom(evaluator, *settings_.resumeFrom);
    const int before = graph_.range.start - 1;
    if (!settings_.resume)
        return before;
    auto frames = checkpointFrames(folder_);
    std::reverse(frames.begin(), frames.end());
    for (const int frame : frames) {
        if (frame < graph_.range.start || frame > graph_.range.end)
            continue;
        try {
            load(evaluator, readCheckpoint(folder_, frame), false);
            return frame;
        } catch (const IoError& error) {
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

std::shared_ptr<Checkpoint> RunCheckpoints::take(Evaluator& evaluator, int frame,
                                                 const std::vector<SinkQueue*>& queues)
{
    const bool due = settings_.checkpointEvery > 0 &&
                     (frame > graph_.range.start || settings_.checkpointEvery == 1) &&
                     (frame - graph_.range.start) % settings_.checkpointEvery == 0;
    if (!due || evaluator.solvers().empty() || evaluator.anyLags())
        return nullptr;
    auto checkpoint = std::make_shared<Checkpoint>();
    checkpoint->frame = frame;
    for (const std::size_t node : evaluator.solvers()) {
        if (evaluator.slot(node).error || evaluator.slot(node).blocked)
            return nullptr;
        const graph::FlatNode& solver = graph_.nodes[node];
        try {
            checkpoint->states[solver.name] = stateOf(evaluator, node, frame, queues);
        } catch (const MemoryError& error) {
            if (ranks::several())
                throw;
            services_.say({Level::Warning, frame, solver.name,
                           std::string(error.what()) +
                               "; there is no checkpoint of this frame, and the "
                               "simulation goes on"});
            return nullptr;
        }
        checkpoint->histories[solver.name] = evaluator.slot(node).hash;
        checkpoint->types[solver.name] = typeOf(solver);
    }
    return checkpoint;
}

void RunCheckpoints::store(std::shared_ptr<Checkpoint> checkpoint)
{
    const int frame = checkpoint->frame;
    writing_.push(frame, [this, checkpoint = std::move(checkpoint)] { write(*checkpoint); });
}

/// Runs on the writing thread.
void RunCheckpoints::write(const Checkpoint& checkpoint)
{
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
    prune();
}

void RunCheckpoints::prune() const
{
    const std::vector<int> frames = checkpointFrames(folder_);
    const auto keep = static_cast<std::size_t>(std::max(0, settings_.keepCheckpoints));
    std::error_code ignored;
    for (std::size_t i = 0; keep > 0 && i + keep < frames.size(); ++i)
        fs::remove(checkpointPath(folder_, frames[i]), ignored);
}

} // namespace floe::session
