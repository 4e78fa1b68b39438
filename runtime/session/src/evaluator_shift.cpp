#include "frame_shift.hpp"
#include "kept_frames.hpp"

#include "floe/base/error.hpp"
#include "floe/session/evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>

namespace floe::session {

using graph::Role;

namespace {

/// So many frames ahead the hashes of a solver are known; further ones would take long.
constexpr int kMaxAhead = 100'000;

} // namespace

std::set<std::size_t> keepersBefore(const graph::FlatGraph& graph, std::size_t node)
{
    std::set<std::size_t> found, seen;
    std::vector<std::size_t> open = {node};
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        if (!seen.insert(at).second)
            continue;
        if (at != node && graph.nodes[at].type->keepsFrames) {
            found.insert(at);
            continue;
        }
        for (const graph::FlatInput& input : graph.nodes[at].inputs)
            for (const graph::Source& source : input.sources)
                open.push_back(source.node);
    }
    return found;
}

std::vector<bool> hiddenByFiles(const graph::FlatGraph& graph)
{
    // A node is covered where it is used, and each of its users keeps frames or is covered itself.
    std::vector<bool> used(graph.nodes.size(), false), open(graph.nodes.size(), false);
    std::vector<bool> hidden(graph.nodes.size(), false);
    for (std::size_t node = graph.nodes.size(); node-- > 0;) { // users come first
        const graph::NodeType& type = *graph.nodes[node].type;
        const bool covered = used[node] && !open[node];
        hidden[node] = covered && type.role == Role::Solver && !type.keepsFrames;
        for (const graph::FlatInput& input : graph.nodes[node].inputs)
            for (const graph::Source& source : input.sources) {
                used[source.node] = true;
                if (!type.keepsFrames && !covered)
                    open[source.node] = true;
            }
    }
    return hidden;
}

namespace {

/// The value of a node's parameter at a frame; 0 where there is no such parameter.
graph::ParameterValue valueOf(const graph::FlatGraph& graph, std::size_t node, const char* name,
                              int frame)
{
    const int index = graph.nodes[node].type->parameterIndex(name);
    return index < 0 ? graph::ParameterValue(0.0)
                     : graph.evaluate(node, static_cast<std::size_t>(index),
                                      {static_cast<double>(frame), graph.range.fps});
}

bool isChosen(const graph::FlatGraph& graph, std::size_t node, const char* name, int frame,
              const char* wanted)
{
    const graph::ParameterValue held = valueOf(graph, node, name, frame);
    const auto* text = std::get_if<std::string>(&held);
    return text && *text == wanted;
}

} // namespace

bool takesPresent(const graph::FlatGraph& graph, std::size_t node, int frame)
{
    return isChosen(graph, node, "missing", frame, "present");
}

int shiftedFrame(const graph::FlatGraph& graph, std::size_t node, int frame)
{
    const auto number = [&](const char* name) {
        const graph::ParameterValue held = valueOf(graph, node, name, frame);
        if (const auto* whole = std::get_if<std::int64_t>(&held))
            return static_cast<double>(*whole);
        const auto* real = std::get_if<double>(&held);
        return real ? *real : 0.0;
    };
    const auto is = [&](const char* name, const char* wanted) {
        return isChosen(graph, node, name, frame, wanted);
    };
    constexpr double kFarthest = 1e9;
    const double exact = is("mode", "frame") ? number("frame") : frame + number("offset");
    const double rounded = std::clamp(std::floor(exact + 0.5), -kFarthest, kFarthest);
    double first = number("first"), last = number("last");
    if (last < first) {
        first = graph.range.start;
        last = graph.range.end;
    }
    if (is("outside", "none"))
        return static_cast<int>(rounded);
    if (is("outside", "repeat")) {
        const double count = last - first + 1;
        return static_cast<int>(rounded - std::floor((rounded - first) / count) * count);
    }
    return static_cast<int>(std::clamp(rounded, first, last));
}

void Evaluator::findShifts()
{
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
        if (!slots_[node].needed || !graph_.nodes[node].type->shiftsFrame)
            continue;
        std::vector<std::size_t> sources;
        for (const graph::FlatInput& input : graph_.nodes[node].inputs)
            for (const graph::Source& source : input.sources)
                sources.push_back(source.node);
        auto evaluator = std::make_unique<Evaluator>(graph_, library_, services_,
                                                     std::move(sources), Reach::Solvers);
        evaluator->parent_ = this;
        shifts_[node] = std::move(evaluator);
    }
}

/// Returns the hash of what a solver has given at any frame.
Hash Evaluator::hashAt(std::size_t solver, int frame)
{
    const std::lock_guard lock(shiftMutex_);
    const Hash* key = keyAt(solver, frame);
    return key ? *key : hashBytes("frame " + std::to_string(frame));
}

/// Returns whether a solver's outputs of any frame are there.
bool Evaluator::hasKept(std::size_t solver, int frame)
{
    if (outsideFrames_) {
        try {
            return !outsideFrames_(solver, frame).empty();
        } catch (const Error&) {
            return false;
        }
    }
    if (parent_)
        return parent_->hasKept(solver, frame);
    const auto keeper = files_.find(solver);
    if (keeper == files_.end())
        return true; // which is refused elsewhere
    const std::lock_guard lock(shiftMutex_);
    const Hash* key = keyAt(solver, frame);
    return key && keeper->second->state(frame, *key) == KeptFrames::State::Fresh;
}

/// Returns the frame that a node is given: the present one where it may be, and another is not
/// there yet.
int Evaluator::givenFrame(std::size_t node, int frame)
{
    const int other = shiftedFrame(graph_, node, frame);
    if (other == frame || !takesPresent(graph_, node, frame))
        return other;
    const std::vector<std::size_t>& solvers = shifts_.at(node)->solvers();
    return std::ranges::all_of(solvers, [&](std::size_t solver) { return hasKept(solver, other); })
               ? other
               : frame;
}

/// Returns the hash of what a node is given of another frame.
Hash Evaluator::shiftedHash(std::size_t node, int frame)
{
    const int other = givenFrame(node, frame);
    Evaluator& evaluator = *shifts_.at(node);
    Hashes hashes(graph_.nodes.size());
    for (const std::size_t solver : evaluator.solvers())
        hashes[solver] = hashAt(solver, other);
    hashes = evaluator.hashesAt(other, other == graph_.range.start, std::move(hashes), false);
    Hash hash;
    for (const graph::FlatInput& input : graph_.nodes[node].inputs)
        for (const graph::Source& source : input.sources)
            hash = combine(combine(hash, hashes[source.node]), hashBytes(source.output));
    return hash;
}

/// Makes what a node is given of another frame. @throws what has failed there
void Evaluator::cookShifted(std::size_t node, int frame)
{
    const int other = givenFrame(node, frame);
    Evaluator& evaluator = *shifts_.at(node);
    for (const std::size_t solver : evaluator.solvers()) {
        evaluator.provide(solver, outputsAt(solver, other, node));
        evaluator.slots_[solver].hash = hashAt(solver, other);
    }
    FrameStatistics ofThatFrame;
    evaluator.evaluate(other, other == graph_.range.start, ofThatFrame);
    for (const Slot& slot : evaluator.slots_)
        if (slot.needed && slot.error)
            std::rethrow_exception(slot.error);
}

/// Returns the outputs of a solver at another frame, for a node that asks for it.
/// @throws InputError, IoError  there are none
Evaluator::Outputs Evaluator::outputsAt(std::size_t solver, int frame, std::size_t shift)
{
    if (outsideFrames_)
        return outsideFrames_(solver, frame);
    if (parent_)
        return parent_->outputsAt(solver, frame, shift);
    const std::string& name = graph_.nodes[solver].name;
    const Place place{.file = graph_.path, .node = graph_.nodes[shift].name, .frame = frame_};
    const auto keeper = files_.find(solver);
    if (keeper == files_.end())
        throw InputError(place,
                         "needs '" + name + "' at frame " + std::to_string(frame) +
                             ", and a solver is at one frame only",
                         "put a File cache behind '" + name + "'");
    if (frame == frame_ && !slots_[solver].outputs.empty())
        return slots_[solver].outputs;
    const std::lock_guard lock(shiftMutex_);
    const Hash* key = keyAt(solver, frame);
    if (!key || keeper->second->state(frame, *key) != KeptFrames::State::Fresh)
        throw InputError(place,
                         "'" + name + "' has not kept frame " + std::to_string(frame) +
                             " of the scene as it is now",
                         frame > frame_
                             ? "simulate to that frame once, then again from the first; 'missing' "
                               "says what there is until then"
                             : "save the scene, switch 'keep' on, and simulate from the "
                               "first frame");
    try {
        return {{graph_.nodes[solver].type->outputs.front().name, keeper->second->read(frame)}};
    } catch (const IoError& error) {
        throw IoError({.file = error.place().file, .node = place.node, .frame = frame_},
                      error.cause(),
                      "remove it and simulate again; it is made anew when its frame comes");
    }
}

/// Returns the key of a file of any frame; null: it is not known. shiftMutex_ is held.
const Hash* Evaluator::keyAt(std::size_t keeper, int frame)
{
    if (parent_) {
        const std::lock_guard lock(parent_->shiftMutex_);
        return parent_->keyAt(keeper, frame);
    }
    if (const Hash* known = keyOf(keeper, frame); known && frame <= frame_)
        return known;
    const Hash* present = keyOf(keeper, frame_);
    if (!present || frame < frame_ || frame - frame_ > kMaxAhead)
        return nullptr;
    Ahead& ahead = ahead_[keeper];
    const Hash* foreseen = ahead.evaluator ? ahead.evaluator->keyOf(keeper, frame_) : nullptr;
    if (!foreseen || *foreseen != *present) {
        ahead.evaluator = std::make_unique<Evaluator>(graph_, library_, services_,
                                                      std::vector<std::size_t>{keeper});
        for (std::size_t node = 0; node < slots_.size(); ++node)
            if (graph_.nodes[node].type->role == Role::Solver)
                ahead.evaluator->assumeHistory(node, slots_[node].hash);
        ahead.known = frame_ - 1;
    }
    while (ahead.known < frame) {
        ++ahead.known;
        ahead.evaluator->skip(ahead.known, ahead.known == graph_.range.start);
    }
    return ahead.evaluator->keyOf(keeper, frame);
}

} // namespace floe::session
