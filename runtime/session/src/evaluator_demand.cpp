#include "frame_shift.hpp"
#include "kept_frames.hpp"

#include "floe/base/error.hpp"
#include "floe/session/evaluator.hpp"

#include <algorithm>
#include <utility>

namespace floe::session {

using graph::Role;

namespace {

/// The hash of what a keeper is given.
Hash keyFrom(const graph::FlatNode& keeper, const std::vector<Hash>& hashes)
{
    Hash key = hashBytes("kept 1");
    for (const graph::FlatInput& input : keeper.inputs)
        for (const graph::Source& source : input.sources)
            key = combine(combine(key, hashes[source.node]), hashBytes(source.output));
    return key;
}

} // namespace

/// After couplings and the order are known.
void Evaluator::findKeepers()
{
    if (reach_ == Reach::Solvers)
        return;
    for (const std::size_t node : solvers_)
        if (graph_.nodes[node].type->keepsFrames) {
            keepers_.push_back(node);
            files_[node] = std::make_unique<KeptFrames>(graph_, node);
        }
    if (keepers_.empty())
        return;
    for (const std::size_t solver : solvers_) {
        std::set<std::size_t> seen;
        std::vector<std::size_t> open = {solver};
        while (!open.empty()) {
            const std::size_t at = open.back();
            open.pop_back();
            if (!seen.insert(at).second || graph_.nodes[at].type->keepsFrames || isLeaf(at))
                continue;
            if (at != solver && graph_.nodes[at].type->role == Role::Solver)
                before_[solver].insert(at);
            for (const graph::FlatInput& input : graph_.nodes[at].inputs)
                for (const graph::Source& source : input.sources)
                    open.push_back(source.node);
            if (const auto coupled = couplings_.find(at); coupled != couplings_.end())
                for (const std::size_t mover : coupled->second.movers)
                    open.push_back(mover);
        }
    }
}

Evaluator::Hashes Evaluator::slotHashes() const
{
    Hashes hashes;
    hashes.reserve(slots_.size());
    for (const Slot& slot : slots_)
        hashes.push_back(slot.hash);
    return hashes;
}

/// Returns the hashes of a frame's values, before any is made; notes the keys of its files.
/// @param hashes    of the frame before; in Reach::Solvers, of the solvers' outputs at this one
/// @param tolerant  a node whose parameters have no value gets an empty hash; else
/// @throws GraphError
Evaluator::Hashes Evaluator::hashesAt(int frame, bool start, Hashes hashes, bool tolerant)
{
    const HashOf known = [&hashes](std::size_t node) -> const Hash& {
        return hashes[node];
    };
    for (const auto& [node, concludes] : order_) {
        const graph::NodeType& type = *graph_.nodes[node].type;
        if (type.role == Role::Sink || (reach_ == Reach::Solvers && type.role == Role::Solver))
            continue;
        if (!tolerant && constant_[node] && hashes[node] != Hash{})
            continue;
        if (type.keepsFrames)
            keys_[node][frame] = keyFrom(graph_.nodes[node], hashes);
        try {
            hashes[node] =
                concludes ? concludedHash(node, known) : hashOf(node, frame, start, known);
        } catch (const Error&) {
            if (!tolerant)
                throw;
            hashes[node] = {};
        }
    }
    return hashes;
}

Evaluator::OnDisk Evaluator::onDisk(std::size_t keeper, int frame)
{
    const Hash* key = keyOf(keeper, frame);
    const auto files = files_.find(keeper);
    if (!key || files == files_.end())
        return OnDisk::Nothing;
    switch (files->second->state(frame, *key)) {
    case KeptFrames::State::Fresh:
        return OnDisk::Fresh;
    case KeptFrames::State::Stale:
        return OnDisk::Stale;
    case KeptFrames::State::Missing:
        break;
    }
    return OnDisk::Nothing;
}

/// Returns the key of a file; null: the frame was neither evaluated nor skipped.
const Hash* Evaluator::keyOf(std::size_t keeper, int frame) const
{
    const auto frames = keys_.find(keeper);
    if (frames == keys_.end())
        return nullptr;
    const auto found = frames->second.find(frame);
    return found == frames->second.end() ? nullptr : &found->second;
}

void Evaluator::warn(int frame, std::size_t node, const std::string& text)
{
    if (warned_.insert(node).second)
        services_.say({Level::Warning, frame, graph_.nodes[node].name, text});
}

/// Returns what a keeper's file holds for this frame as it is now; null: it must be made.
ValueRef Evaluator::keptValue(std::size_t keeper, int frame)
{
    const Hash& key = keys_.at(keeper).at(frame);
    if (const auto found = latest_.find(keeper);
        found != latest_.end() && found->second.first == key)
        return found->second.second;
    KeptFrames& files = *files_.at(keeper);
    if (files.state(frame, key) != KeptFrames::State::Fresh)
        return nullptr;
    try {
        return files.read(frame);
    } catch (const IoError& error) {
        services_.say({Level::Warning, frame, graph_.nodes[keeper].name,
                       std::string(error.what()) + "; it is made anew"});
        return nullptr;
    }
}

/// Adds nodes and all that they need, except what files give.
void Evaluator::addDemand(Demand& demand, int frame, std::vector<std::size_t> targets)
{
    demand.wanted.resize(graph_.nodes.size(), false);
    while (!targets.empty()) {
        const std::size_t node = targets.back();
        targets.pop_back();
        if (demand.wanted[node])
            continue;
        demand.wanted[node] = true;
        if (files_.contains(node))
            if (ValueRef value = keptValue(node, frame)) {
                demand.kept[node] = std::move(value);
                continue;
            }
        if (graph_.nodes[node].type->shiftsFrame)
            for (const std::size_t keeper : keepersBefore(graph_, node))
                targets.push_back(keeper);
        if (isLeaf(node))
            continue;
        for (const graph::FlatInput& input : graph_.nodes[node].inputs)
            for (const graph::Source& source : input.sources)
                targets.push_back(source.node);
        if (const auto coupled = couplings_.find(node); coupled != couplings_.end())
            for (const std::size_t mover : coupled->second.movers)
                targets.push_back(mover);
    }
}

/// Solvers behind one that cooks cook too: when they are needed later, what that one gave at the
/// frames they would have missed is gone.
void Evaluator::keepInStep(Demand& demand, int frame)
{
    for (bool more = true; std::exchange(more, false);)
        for (const auto& [solver, sources] : before_)
            if (!demand.wanted[solver] && !files_.contains(solver) &&
                std::any_of(sources.begin(), sources.end(),
                            [&](std::size_t source) { return demand.wanted[source]; })) {
                addDemand(demand, frame, {solver});
                more = true;
            }
}

void Evaluator::takeKept(const Demand& demand, const Hashes& hashes)
{
    for (const auto& [keeper, value] : demand.kept) {
        Slot& slot = slots_[keeper];
        slot.outputs = {{graph_.nodes[keeper].type->outputs.front().name, value}};
        slot.hash = hashes[keeper];
        slot.error = nullptr;
        slot.blocked = slot.cooked = false;
        latest_[keeper] = {keys_.at(keeper).at(frame_), value};
    }
}

void Evaluator::evaluateDemanded(int frame, bool start, FrameStatistics& statistics)
{
    Hashes before = slotHashes();
    Hashes hashes = hashesAt(frame, start, before, true);
    Demand demand;
    addDemand(demand, frame, targets_);
    keepInStep(demand, frame);
    catchUp(demand, frame);
    frame_ = frame;
    for (const std::size_t solver : solvers_) {
        Slot& slot = slots_[solver];
        if (demand.wanted[solver] || files_.contains(solver) || slot.error)
            continue;
        if (lags_.empty())
            passed_[frame - 1] = std::move(before);
        lags_.try_emplace(solver, frame);
        slot.hash = hashes[solver];
        slot.outputs.clear();
        slot.cooked = false;
    }
    takeKept(demand, hashes);
    expected_ = &hashes;
    try {
        cookAll(frame, start, statistics, &demand);
    } catch (...) {
        expected_ = nullptr;
        throw;
    }
    expected_ = nullptr;
    keepFrames(demand, frame);
    if (lags_.empty())
        passed_.clear();
    else
        passed_[frame] = std::move(hashes);
}

/// Cooks the frames that wanted solvers have missed.
void Evaluator::catchUp(const Demand& demand, int frame)
{
    std::vector<std::size_t> solvers;
    int first = frame;
    for (const auto& [solver, from] : lags_)
        if (demand.wanted[solver]) {
            solvers.push_back(solver);
            first = std::min(first, from);
        }
    for (int missed = first; missed < frame; ++missed)
        cookMissed(solvers, missed);
    for (const std::size_t solver : solvers)
        lags_.erase(solver);
}

void Evaluator::cookMissed(const std::vector<std::size_t>& solvers, int frame)
{
    const auto due = [&](std::size_t solver) {
        const auto lag = lags_.find(solver);
        return lag != lags_.end() && lag->second <= frame;
    };
    const auto refuse = [&](std::size_t node, const std::string& why) {
        throw InputError({.file = graph_.path, .node = graph_.nodes[node].name, .frame = frame},
                         "is needed now, was not while files gave its frames, and " + why,
                         "simulate again from the first frame");
    };
    std::vector<std::size_t> targets;
    std::copy_if(solvers.begin(), solvers.end(), std::back_inserter(targets), due);
    frame_ = frame;
    const bool start = frame == graph_.range.start;
    const Hashes& passed = passed_.at(frame);
    const Hashes now = hashesAt(frame, start, passed_.at(frame - 1), true);
    Demand demand;
    addDemand(demand, frame, targets);
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
        if (!demand.wanted[node])
            continue;
        if (now[node] != passed[node])
            refuse(node, "what led to it has changed meanwhile");
        if (graph_.nodes[node].type->role == Role::Solver && !files_.contains(node) && !due(node))
            refuse(node, "a file that it depends on is gone");
    }
    takeKept(demand, passed);
    expected_ = &passed;
    FrameStatistics ofThatFrame;
    try {
        cookAll(frame, start, ofThatFrame, &demand);
    } catch (...) {
        expected_ = nullptr;
        throw;
    }
    expected_ = nullptr;
    keepFrames(demand, frame);
}

/// Gives the files what was cooked.
void Evaluator::keepFrames(const Demand& demand, int frame)
{
    for (const std::size_t keeper : keepers_) {
        const Slot& slot = slots_[keeper];
        if (!demand.wanted[keeper] || demand.kept.contains(keeper) || slot.outputs.empty())
            continue;
        const Hash& key = keys_.at(keeper).at(frame);
        latest_[keeper] = {key, slot.outputs.begin()->second};
        finishFile(keeper);
        try {
            files_.at(keeper)->write(frame, key, slot.outputs.begin()->second);
        } catch (const Error& error) {
            warn(frame, keeper, error.what());
        }
    }
}

void Evaluator::ignoreFiles()
{
    for (auto& [keeper, files] : files_)
        files->ignore();
}

void Evaluator::finishFiles()
{
    for (const std::size_t keeper : keepers_)
        finishFile(keeper);
}

void Evaluator::finishFile(std::size_t keeper)
{
    try {
        files_.at(keeper)->finish();
    } catch (const Error& error) {
        warn(frame_, keeper, error.what());
    }
}

} // namespace floe::session
