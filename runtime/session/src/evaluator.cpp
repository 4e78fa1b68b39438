#include "floe/session/evaluator.hpp"

#include "frame_shift.hpp"
#include "kept_frames.hpp"
#include "node_call.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/parallel.hpp"
#include "floe/ranks/ranks.hpp"

#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <set>
#include <sys/stat.h>

namespace floe::session {

namespace {

using graph::Role;

/// Record by which one solver moves what another holds; see floe/sdk/coupling.h.
constexpr const char* kCouplingKind = "floe.coupling";

/// Nodes read files themselves; a cheap fingerprint of their content is part of the hash, so that
/// an edited mesh is noticed.
std::string stampOf(const std::string& path)
{
    struct stat info {};
    if (path.empty() || ::stat(path.c_str(), &info) != 0)
        return "-";
    return std::to_string(info.st_size) + " " + std::to_string(info.st_mtim.tv_sec) + " " +
           std::to_string(info.st_mtim.tv_nsec);
}

} // namespace

Evaluator::Evaluator(const graph::FlatGraph& graph, Library& library, RunServices& services,
                     std::vector<std::size_t> targets, Reach reach)
    : graph_(graph), library_(library), services_(services), slots_(graph.nodes.size()),
      objects_(graph.nodes.size()), users_(graph.nodes.size()), linked_(graph.nodes.size()),
      sourceCounts_(graph.nodes.size(), 0), provided_(graph.nodes.size(), false), reach_(reach),
      targets_(targets)
{
    findNeeded(std::move(targets));
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
        if (!slots_[node].needed)
            continue;
        std::set<std::size_t> sources;
        if (graph_.nodes[node].type->shiftsFrame)
            sources = keepersBefore(graph_, node); // their keys are known first
        for (const graph::FlatInput& input : graph_.nodes[node].inputs)
            for (const graph::Source& source : input.sources) {
                if (isLeaf(node))
                    continue;
                sources.insert(source.node);
                linked_[source.node].insert(source.output);
            }
        std::erase_if(sources, [this](std::size_t source) { return !slots_[source].needed; });
        sourceCounts_[node] = static_cast<int>(sources.size());
        for (const std::size_t source : sources)
            users_[source].push_back(node);
        if (graph_.nodes[node].type->role == Role::Solver)
            solvers_.push_back(node);
    }
    if (reach_ == Reach::All)
        findCouplings();
    findOrder();
    findKeepers();
    findShifts();
    if (ranks::several())
        orderDivided();
    constant_.resize(graph_.nodes.size(), false);
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node) { // sources come first
        const graph::FlatNode& flat = graph_.nodes[node];
        constant_[node] = !flat.timeDependent && flat.type->role == Role::Value;
        for (const graph::FlatInput& input : flat.inputs)
            for (const graph::Source& source : input.sources)
                constant_[node] = constant_[node] && constant_[source.node];
    }
}

Evaluator::~Evaluator() = default;

/// What a node is linked to is not cooked for it.
bool Evaluator::isLeaf(std::size_t node) const
{
    const graph::NodeType& type = *graph_.nodes[node].type;
    return type.shiftsFrame || (reach_ == Reach::Solvers && type.role == Role::Solver);
}

void Evaluator::findNeeded(std::vector<std::size_t> targets)
{
    while (!targets.empty()) {
        const std::size_t node = targets.back();
        targets.pop_back();
        if (std::exchange(slots_[node].needed, true))
            continue;
        if (graph_.nodes[node].type->shiftsFrame && reach_ == Reach::All) {
            for (const std::size_t keeper : keepersBefore(graph_, node))
                targets.push_back(keeper); // it fills its files
            continue;
        }
        if (isLeaf(node))
            continue;
        for (const graph::FlatInput& input : graph_.nodes[node].inputs)
            for (const graph::Source& source : input.sources)
                targets.push_back(source.node);
    }
}

/// Separates the users of solvers that are coupled: those that move them, and those that wait.
void Evaluator::findCouplings()
{
    const auto isCoupling = [&](const graph::Source& source) {
        const graph::NodeType& type = *graph_.nodes[source.node].type;
        const graph::Socket* output = type.output(source.output);
        return type.role == Role::Solver && output &&
               std::find(output->kinds.begin(), output->kinds.end(), kCouplingKind) !=
                   output->kinds.end();
    };
    for (const std::size_t solver : solvers_)
        for (const graph::FlatInput& input : graph_.nodes[solver].inputs)
            for (const graph::Source& source : input.sources) {
                if (!isCoupling(source))
                    continue;
                std::vector<std::size_t>& movers = couplings_[source.node].movers;
                if (std::find(movers.begin(), movers.end(), solver) != movers.end())
                    continue;
                movers.push_back(solver);
                moves_[solver].push_back(source.node);
            }
    for (auto& [node, coupling] : couplings_) {
        for (const std::size_t user : users_[node])
            if (std::find(coupling.movers.begin(), coupling.movers.end(), user) ==
                coupling.movers.end())
                coupling.later.push_back(user);
        for (const std::size_t mover : coupling.movers) {
            for (const std::size_t user : coupling.later)
                if (needs(mover, user))
                    coupling.circle = graph_.nodes[mover].name;
            for (const graph::FlatInput& input : graph_.nodes[mover].inputs)
                for (const graph::Source& source : input.sources)
                    if (source.node == node && !isCoupling(source))
                        coupling.circle = graph_.nodes[mover].name;
        }
        if (coupling.circle.empty()) {
            users_[node] = coupling.movers;
            continue;
        }
        for (const std::size_t mover : coupling.movers) // it will not cook
            std::erase(moves_[mover], node);
        coupling.movers.clear();
    }
}

bool Evaluator::needs(std::size_t node, std::size_t source) const
{
    std::set<std::size_t> seen;
    std::vector<std::size_t> open = {node};
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        if (at == source)
            return true;
        if (!seen.insert(at).second)
            continue;
        for (const graph::FlatInput& input : graph_.nodes[at].inputs)
            for (const graph::Source& other : input.sources)
                open.push_back(other.node);
    }
    return false;
}

void Evaluator::findOrder()
{
    std::vector<int> missing = sourceCounts_;
    std::map<std::size_t, std::size_t> moving;
    for (const auto& [node, coupling] : couplings_)
        moving[node] = coupling.movers.size();
    std::vector<std::pair<std::size_t, bool>> ready;
    for (std::size_t node = slots_.size(); node-- > 0;)
        if (slots_[node].needed && missing[node] == 0)
            ready.emplace_back(node, false);
    while (!ready.empty()) {
        const auto [node, concludes] = ready.back();
        ready.pop_back();
        order_.emplace_back(node, concludes);
        for (const std::size_t user : concludes ? couplings_.at(node).later : users_[node])
            if (--missing[user] == 0)
                ready.emplace_back(user, false);
        if (const auto found = moves_.find(node); !concludes && found != moves_.end())
            for (const std::size_t moved : found->second)
                if (--moving[moved] == 0)
                    ready.emplace_back(moved, true);
    }
}

/// Solvers that ranks simulate together cook one after the other, in the same order on every rank:
/// what they call answers the same calls of the others. None of them needs another.
void Evaluator::orderDivided()
{
    for (const std::size_t node : solvers_) {
        if (!graph_.nodes[node].type->ranks)
            continue;
        if (!divided_.empty()) {
            users_[divided_.back()].push_back(node);
            ++sourceCounts_[node];
        }
        divided_.push_back(node);
    }
}

/// Returns whether a solver that ranks simulate together must not cook, because one before it has
/// failed: perhaps on this rank alone, and the others would wait for each other in different ones.
bool Evaluator::followsFailure(std::size_t node) const
{
    const auto own = std::find(divided_.begin(), divided_.end(), node);
    return own != divided_.end() &&
           std::any_of(divided_.begin(), divided_.end(), [this, node](std::size_t other) {
               return other != node && (slots_[other].error || slots_[other].blocked);
           });
}

/// A coupled solver's hash, once it has been moved, covers what moved it.
Hash Evaluator::concludedHash(std::size_t node, const HashOf& hash) const
{
    Hash concluded = hash(node);
    for (const std::size_t mover : couplings_.at(node).movers)
        concluded = combine(concluded, hash(mover));
    return concluded;
}

/// @param known  the hashes of its sources at this frame, and its own at the frame before
Hash Evaluator::hashOf(std::size_t index, int frame, bool start, const HashOf& known)
{
    const graph::FlatNode& node = graph_.nodes[index];
    const graph::Time time{static_cast<double>(frame), graph_.range.fps};
    std::string text = node.type->type + "\n" + std::to_string(node.type->version) + "\n" +
                       library_.pluginVersion(node.type->plugin) + "\n" + services_.deviceId();
    for (std::size_t p = 0; p < node.type->parameters.size(); ++p) {
        const graph::ParameterValue value = graph_.evaluate(index, p, time);
        text += "\n" + node.type->parameters[p].name + "=" + graph::text(value);
        if (node.type->parameters[p].type == graph::ValueType::Path)
            text += " " + stampOf(std::get<std::string>(value));
    }
    Hash hash = hashBytes(text);
    if (node.type->shiftsFrame)
        return combine(hash, shiftedHash(index, frame));
    for (const graph::FlatInput& input : node.inputs) {
        hash = combine(hash, hashBytes(input.socket->name));
        for (const graph::Source& source : input.sources)
            hash = combine(combine(hash, known(source.node)), hashBytes(source.output));
    }
    const bool solver = node.type->role == Role::Solver;
    if (node.timeDependent || solver)
        hash = combine(hash, hashBytes("frame " + std::to_string(frame) + " fps " +
                                       std::to_string(graph_.range.fps)));
    if (solver)
        hash = combine(start ? Hash{} : known(index), hash);
    return hash;
}

/// @pre all that it depends on has been given its hash
Hash Evaluator::hashFromSlots(std::size_t node, int frame, bool start)
{
    return hashOf(node, frame, start,
                  [this](std::size_t other) -> const Hash& { return slots_[other].hash; });
}

void Evaluator::skip(int frame, bool start)
{
    frame_ = frame;
    const Hashes hashes = hashesAt(frame, start, slotHashes(), false);
    for (std::size_t node = 0; node < slots_.size(); ++node)
        slots_[node].hash = hashes[node];
}

Evaluator::KeptValues Evaluator::values() const
{
    KeptValues values;
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node)
        if (graph_.nodes[node].type->role == Role::Value && !provided_[node] &&
            !slots_[node].outputs.empty())
            values[graph_.nodes[node].name] = {slots_[node].hash, slots_[node].outputs};
    return values;
}

void Evaluator::adopt(const KeptValues& values)
{
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
        if (graph_.nodes[node].type->role != Role::Value || provided_[node])
            continue;
        const auto found = values.find(graph_.nodes[node].name);
        if (found == values.end())
            continue;
        slots_[node].hash = found->second.hash;
        slots_[node].outputs = found->second.outputs;
    }
}

Inputs Evaluator::inputsOf(std::size_t node) const
{
    if (const auto shift = shifts_.find(node); shift != shifts_.end())
        return shift->second->inputsFrom(graph_.nodes[node]);
    return inputsFrom(graph_.nodes[node]);
}

Inputs Evaluator::inputsFrom(const graph::FlatNode& node) const
{
    Inputs inputs;
    for (const graph::FlatInput& input : node.inputs) {
        auto& values = inputs.emplace_back();
        for (const graph::Source& source : input.sources) {
            const auto& outputs = slots_[source.node].outputs;
            if (const auto found = outputs.find(source.output); found != outputs.end())
                values.push_back(found->second);
        }
    }
    return inputs;
}

void Evaluator::provide(std::size_t node, Outputs outputs)
{
    slots_[node].outputs = std::move(outputs);
    provided_[node] = true;
}

plugin::Node& Evaluator::object(std::size_t node)
{
    if (!objects_[node])
        objects_[node] = library_.makeNode(*graph_.nodes[node].type, graph_.nodes[node].name);
    return *objects_[node];
}

void Evaluator::cook(std::size_t index, int frame, bool start, FrameStatistics& statistics)
{
    const graph::FlatNode& node = graph_.nodes[index];
    Slot& slot = slots_[index];
    slot.cooked = false;
    const bool shifts = node.type->shiftsFrame;
    slot.blocked =
        !shifts && std::any_of(node.inputs.begin(), node.inputs.end(), [this](const auto& input) {
            return std::any_of(input.sources.begin(), input.sources.end(),
                               [this](const auto& source) {
                                   return slots_[source.node].error || slots_[source.node].blocked;
                               });
        });
    slot.blocked = slot.blocked || followsFailure(index);
    const bool solver = node.type->role == Role::Solver;
    if (provided_[index] || (solver && slot.error))
        return; // a failed solver has no state to continue from
    if (slot.blocked) {
        slot.outputs.clear();
        return;
    }
    try {
        const bool known = expected_ && (*expected_)[index] != Hash{};
        const Hash hash = known ? (*expected_)[index] : hashFromSlots(index, frame, start);
        const bool same = hash == slot.hash && (slot.error || !slot.outputs.empty());
        if (same && !solver)
            return;
        slot.hash = hash;
        slot.error = nullptr;
        if (const auto coupled = couplings_.find(index);
            coupled != couplings_.end() && !coupled->second.circle.empty())
            throw GraphError({.file = graph_.path, .node = node.name, .frame = frame},
                             "is moved by '" + coupled->second.circle +
                                 "', which also needs what it gives after that",
                             "unlink one of the two");
        if (shifts)
            cookShifted(index, frame);
        call(index, frame, start, statistics);
    } catch (...) {
        slot.error = std::current_exception();
        slot.outputs.clear();
    }
}

/// Calls a node; its outputs are added to those that it has.
void Evaluator::call(std::size_t index, int frame, bool start, FrameStatistics& statistics)
{
    const graph::FlatNode& node = graph_.nodes[index];
    Slot& slot = slots_[index];
    const auto begin = std::chrono::steady_clock::now();
    NodeCall call(services_, graph_, index, frame, start, inputsOf(index));
    services_.cooking(node.name, true);
    object(index).cook(call.context());
    if (!slot.cooked)
        slot.outputs.clear();
    for (auto& [socket, value] : call.takeOutputs())
        slot.outputs[socket] = std::move(value);
    const bool waits = couplings_.contains(index) && !slot.cooked;
    for (const std::string& output : linked_[index])
        if (!waits && !slot.outputs.contains(output))
            throw PluginError({.node = node.name, .parameter = output, .frame = frame},
                              "the plugin '" + node.type->plugin +
                                  "' did not set this output, to which a node is linked",
                              "its cook must set every output that the manifest declares");
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    slot.seconds = slot.cooked ? slot.seconds + seconds : seconds;
    slot.cooked = true;
    services_.cooking(node.name, false);
    const std::lock_guard lock(statisticsMutex_);
    statistics.nodeSeconds[node.name] = slot.seconds;
    for (const auto& [name, value] : call.takeStatistics())
        statistics.values[node.name][name] = value;
}

/// The second cook of a solver that others have moved.
void Evaluator::conclude(std::size_t index, int frame, bool start, FrameStatistics& statistics)
{
    Slot& slot = slots_[index];
    if (provided_[index] || slot.error || slot.blocked)
        return;
    const std::vector<std::size_t>& movers = couplings_.at(index).movers;
    slot.blocked = std::any_of(movers.begin(), movers.end(), [this](std::size_t mover) {
        return slots_[mover].error || slots_[mover].blocked;
    });
    if (slot.blocked) {
        slot.outputs.clear();
        return;
    }
    try {
        slot.hash = expected_ ? (*expected_)[index]
                              : concludedHash(index, [this](std::size_t node) -> const Hash& {
                                    return slots_[node].hash;
                                });
        call(index, frame, start, statistics);
    } catch (...) {
        slot.error = std::current_exception();
        slot.outputs.clear();
    }
}

void Evaluator::evaluate(int frame, bool start, FrameStatistics& statistics)
{
    frame_ = frame;
    if (keepers_.empty() || ranks::several())
        cookAll(frame, start, statistics, nullptr);
    else
        evaluateDemanded(frame, start, statistics);
}

/// @param demand  what of the needed nodes is cooked; null: all of them
void Evaluator::cookAll(int frame, bool start, FrameStatistics& statistics, const Demand* demand)
{
    const auto wanted = [demand](std::size_t node) {
        return !demand || (demand->wanted[node] && !demand->kept.contains(node));
    };
    std::vector<std::atomic<int>> missing(slots_.size());
    std::vector<std::atomic<int>> moving(couplings_.empty() ? 0 : slots_.size());
    for (std::size_t node = 0; node < slots_.size(); ++node)
        missing[node] = sourceCounts_[node];
    for (const auto& [node, coupling] : couplings_)
        moving[node] = static_cast<int>(coupling.movers.size());

    compute::joinThreads([&] {
        tbb::task_group tasks;
        const auto visit = [&](const auto& self, std::size_t node) -> void {
            const auto release = [&](const std::vector<std::size_t>& users) {
                for (const std::size_t user : users)
                    if (--missing[user] == 0)
                        tasks.run([&self, user] { self(self, user); });
            };
            if (graph_.nodes[node].type->role == Role::Sink || services_.cancelled())
                return;
            if (wanted(node))
                cook(node, frame, start, statistics);
            release(users_[node]);
            const auto found = moves_.find(node);
            if (found == moves_.end())
                return;
            for (const std::size_t moved : found->second)
                if (--moving[moved] == 0) {
                    if (wanted(moved))
                        conclude(moved, frame, start, statistics);
                    release(couplings_.at(moved).later);
                }
        };
        for (std::size_t node = 0; node < slots_.size(); ++node)
            if (slots_[node].needed && sourceCounts_[node] == 0)
                tasks.run([&visit, node] { visit(visit, node); });
        tasks.wait();
    });
    if (services_.cancelled())
        throw CancelledError({.frame = frame}, "cancelled");
}

std::string Evaluator::saveSolver(std::size_t node, int frame)
{
    NodeCall call(services_, graph_, node, frame, false);
    return object(node).save(call.context());
}

void Evaluator::loadSolver(std::size_t node, plugin::StateSource& state, const Hash& history,
                           int frame)
{
    NodeCall call(services_, graph_, node, frame, false);
    object(node).load(call.context(), state);
    slots_[node].hash = history;
}

void Evaluator::dropStates()
{
    for (const std::size_t node : solvers_)
        objects_[node].reset();
}

} // namespace floe::session
