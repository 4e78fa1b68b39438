#include "floe/view/scene_values.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/device.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"
#include "floe/view/gaussians.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

namespace floe::view {

namespace {

/// Number of frames whose surfaces are kept: about 100 MB for fine ones. Fewer of Gaussians.
constexpr std::size_t kSurfaces = 16;
constexpr std::uint64_t kSurfaceBytes = 512ull << 20;

bool isOneOf(const std::vector<std::string>& kinds, std::string_view kind)
{
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool gives(const graph::FlatNode& node, std::string_view kind)
{
    return std::any_of(node.type->outputs.begin(), node.type->outputs.end(),
                       [&](const auto& socket) { return isOneOf(socket.kinds, kind); });
}

template <class F>
void forEachSource(const graph::FlatNode& node, const F& f)
{
    for (const graph::FlatInput& input : node.inputs)
        for (const graph::Source& source : input.sources)
            f(source.node);
}

/// Returns for each node whether its value depends on a solver or sink.
std::vector<bool> afterSolvers(const graph::FlatGraph& graph)
{
    std::vector<bool> after(graph.nodes.size(), false);
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) { // sources come first
        after[node] = graph.nodes[node].type->role != graph::Role::Value;
        forEachSource(graph.nodes[node],
                      [&](std::size_t source) { after[node] = after[node] || after[source]; });
    }
    return after;
}

bool isOf(const graph::Socket& socket, std::string_view kind)
{
    return isOneOf(socket.kinds, kind);
}

/// Returns the outputs of nodes that make meshes or particles from simulated values. Of a chain,
/// those at its end: an output that leads on is not drawn, nor is the node's of the other kind.
SceneValues::Outputs surfaceOutputs(const graph::FlatGraph& graph, const std::vector<bool>& after)
{
    std::vector<std::size_t> nodes;
    std::set<std::pair<std::size_t, std::string>> used;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        const graph::FlatNode& flat = graph.nodes[node];
        if (!after[node] || flat.type->role != graph::Role::Value ||
            !(gives(flat, "mesh") || gives(flat, "particles")))
            continue;
        nodes.push_back(node);
        for (const graph::FlatInput& input : flat.inputs)
            for (const graph::Source& source : input.sources)
                if (gives(flat, "mesh") || gives(graph.nodes[source.node], "particles"))
                    used.emplace(source.node, source.output);
    }
    SceneValues::Outputs found;
    for (const std::size_t node : nodes) {
        const auto& outputs = graph.nodes[node].type->outputs;
        for (const graph::Socket& socket : outputs) {
            const bool mesh = isOf(socket, "mesh");
            if (!mesh && !isOf(socket, "particles"))
                continue;
            const bool leadsOn =
                std::any_of(outputs.begin(), outputs.end(), [&](const graph::Socket& other) {
                    return used.contains({node, other.name}) &&
                           (other.name == socket.name || isOf(other, "mesh") != mesh);
                });
            if (!leadsOn)
                found[node].push_back(socket.name);
        }
    }
    return found;
}

/// Returns for each node whether another one takes a value of it.
std::vector<bool> usedNodes(const graph::FlatGraph& graph)
{
    std::vector<bool> used(graph.nodes.size(), false);
    for (const graph::FlatNode& node : graph.nodes)
        forEachSource(node, [&](std::size_t source) { used[source] = true; });
    return used;
}

/// Returns the outputs that give particles before any solver, the last of each chain.
std::vector<SceneValues::GaussianOutput> gaussianOutputs(const graph::FlatGraph& graph,
                                                         const std::vector<bool>& after)
{
    using Output = std::pair<std::size_t, std::string>;
    std::vector<bool> moved(graph.nodes.size(), false);
    std::set<Output> movedOutputs, used;
    std::vector<SceneValues::GaussianOutput> found;
    for (std::size_t node = graph.nodes.size(); node-- > 0;) { // users come first
        const graph::FlatNode& flat = graph.nodes[node];
        const bool given =
            !after[node] && flat.type->role == graph::Role::Value && gives(flat, "particles");
        for (const graph::Socket& socket : flat.type->outputs)
            if (const Output output(node, socket.name);
                given && isOf(socket, "particles") && !used.contains(output))
                found.push_back({node, socket.name, movedOutputs.contains(output)});
        const bool moves = moved[node] || flat.type->role == graph::Role::Solver ||
                           (after[node] && flat.type->role == graph::Role::Value);
        for (const graph::FlatInput& input : flat.inputs)
            for (const graph::Source& source : input.sources) {
                moved[source.node] = moved[source.node] || moves;
                if (moves)
                    movedOutputs.emplace(source.node, source.output);
                if (given)
                    used.emplace(source.node, source.output);
            }
    }
    return found;
}

/// Returns the nodes whose values placed() needs.
std::vector<std::size_t> placedNodes(const graph::FlatGraph& graph, const std::vector<bool>& after,
                                     const std::vector<bool>& used)
{
    std::vector<std::size_t> targets;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        if (after[node])
            continue;
        const graph::FlatNode& flat = graph.nodes[node];
        for (const char* kind : {"collider", "light", "camera", "domain"})
            if (gives(flat, kind))
                targets.push_back(node);
        if (!used[node] && gives(flat, "mesh"))
            targets.push_back(node);
        if (gives(flat, "emitter")) // what it is made of, not its particles
            forEachSource(flat, [&](std::size_t source) { targets.push_back(source); });
    }
    return targets;
}

/// Whether a value of a node downstream of solvers is drawn.
bool isSeen(const ValueRef& value)
{
    if (const auto* mesh = as<MeshValue>(value))
        return mesh->triangleCount() > 0;
    const auto* particles = as<ParticlesValue>(value);
    return particles && particles->count() > 0 && isGaussians(*particles);
}

std::uint64_t bytesOf(const SceneValues::Surfaces& surfaces)
{
    std::uint64_t sum = 0;
    for (const auto& [node, value] : surfaces)
        sum += value->bytes();
    return sum;
}

} // namespace

SceneValues::SceneValues(session::Library& library, FrameSource& frames, std::string outputFolder)
    : library_(library), frames_(frames), services_(compute::cpuDevice(), std::move(outputFolder))
{}

SceneValues::~SceneValues() = default;

void SceneValues::setGraph(std::shared_ptr<const graph::FlatGraph> graph)
{
    const auto old = std::move(graph_); // the old evaluator refers to it
    const auto oldEvaluator = std::move(evaluator_);
    graph_ = std::move(graph);
    frame_.reset();
    placed_ = {};
    forgetSurfaces(std::nullopt);
    after_ = afterSolvers(*graph_);
    used_ = usedNodes(*graph_);
    surfaceOutputs_ = surfaceOutputs(*graph_, after_);
    gaussianOutputs_ = gaussianOutputs(*graph_, after_);
    std::vector<std::size_t> targets = placedNodes(*graph_, after_, used_);
    for (const GaussianOutput& output : gaussianOutputs_)
        targets.push_back(output.node);
    evaluator_ = std::make_unique<session::Evaluator>(*graph_, library_, services_, targets,
                                                      session::Evaluator::Reach::Solvers);
    if (oldEvaluator)
        evaluator_->adopt(oldEvaluator->values());
}

bool SceneValues::keepsFrames(const std::string& node) const
{
    if (!graph_)
        return false;
    const std::ptrdiff_t found = graph_->find(node);
    return found >= 0 && graph_->nodes[static_cast<std::size_t>(found)].type->keepsFrames;
}

double SceneValues::fps() const
{
    return graph_ ? graph_->range.fps : graph::FrameRange().fps;
}

std::set<std::string> SceneValues::solversBehind(const std::string& node,
                                                 const std::string& input) const
{
    std::set<std::string> solvers;
    const std::ptrdiff_t start = graph_ ? graph_->find(node) : -1;
    if (start < 0)
        return solvers;
    std::vector<std::size_t> ahead;
    for (const graph::FlatInput& of : graph_->nodes[static_cast<std::size_t>(start)].inputs)
        if (input.empty() || of.socket->name == input)
            for (const graph::Source& source : of.sources)
                ahead.push_back(source.node);
    std::set<std::size_t> seen;
    while (!ahead.empty()) {
        const std::size_t at = ahead.back();
        ahead.pop_back();
        if (!seen.insert(at).second)
            continue;
        const graph::FlatNode& flat = graph_->nodes[at];
        if (flat.type->role == graph::Role::Solver)
            solvers.insert(flat.name);
        else
            forEachSource(flat, [&](std::size_t source) { ahead.push_back(source); });
    }
    return solvers;
}

/// Returns what a solver gave at a frame. @throws InputError it is not simulated
std::map<std::string, ValueRef> SceneValues::outputsOf(std::size_t solver, int frame) const
{
    const std::string& name = graph_->nodes[solver].name;
    if (const auto stored = frames_.get(frame))
        if (const auto outputs = stored->find(name); outputs != stored->end())
            return outputs->second;
    throw InputError({.node = name, .frame = frame}, "the frame is not simulated",
                     "simulate it first");
}

ValueRef SceneValues::output(std::size_t node, const std::string& kind) const
{
    for (const auto& [socket, value] : evaluator_->slot(node).outputs) {
        const auto* record = as<RecordValue>(value);
        if (record ? record->schema() == kind : kindName(value->kind()) == kind)
            return value;
    }
    return nullptr;
}

const SceneValues::Placed& SceneValues::placed(int frame)
{
    if (!graph_ || frame_ == frame)
        return placed_;
    session::FrameStatistics ignored;
    evaluator_->evaluate(frame, frame == graph_->range.start, ignored);
    placed_ = {};
    for (std::size_t node = 0; node < graph_->nodes.size(); ++node)
        addPlaced(node);
    for (const auto& [node, socket, moved] : gaussianOutputs_) {
        const auto& outputs = evaluator_->slot(node).outputs;
        const auto found = outputs.find(socket);
        const auto* particles =
            found == outputs.end() ? nullptr : as<ParticlesValue>(found->second);
        if (particles && isGaussians(*particles))
            (moved ? placed_.simulatedGaussians : placed_.gaussians)
                .emplace_back(graph_->nodes[node].name, found->second);
    }
    frame_ = frame;
    return placed_;
}

void SceneValues::addPlaced(std::size_t node)
{
    const graph::FlatNode& flat = graph_->nodes[node];
    if (ValueRef value = output(node, "collider"))
        placed_.colliders.emplace_back(flat.name, std::move(value));
    if (ValueRef value = output(node, "light"))
        placed_.lights.push_back(std::move(value));
    if (ValueRef value = output(node, "camera"))
        placed_.cameras.emplace_back(flat.name, std::move(value));
    if (const ValueRef value = output(node, "domain")) {
        const auto* domain = as<RecordValue>(value);
        if (domain && domain->boolean("bounded", false))
            placed_.domains.emplace_back(flat.name, domainBox(*domain));
    }
    if (ValueRef mesh = output(node, "mesh"); mesh && !after_[node]) {
        const auto record = make<RecordValue>("collider");
        record->setField("mesh", std::move(mesh));
        record->seal();
        placed_.shapes.push_back({flat.name, record, used_[node]});
    }
    if (gives(flat, "emitter"))
        if (ValueRef shape = emitterShape(flat))
            placed_.emitters.emplace_back(flat.name, std::move(shape));
}

/// Returns the shape that an emitter fills, as a record "collider" in its material's colour. Null
/// when it has no mesh.
ValueRef SceneValues::emitterShape(const graph::FlatNode& emitter) const
{
    ValueRef mesh, transform, material;
    for (const graph::FlatInput& input : emitter.inputs)
        for (const graph::Source& source : input.sources) {
            const ValueRef particles = output(source.node, "particles");
            if (particles && isGaussians(expect<ParticlesValue>(particles)))
                return nullptr; // they show what it emits
            if (isOneOf(input.socket->kinds, "volume") && !mesh)
                mesh = output(source.node, "mesh");
            if (ValueRef value = output(source.node, "transform"))
                transform = std::move(value);
            if (ValueRef value = output(source.node, "material"))
                material = std::move(value);
        }
    if (!mesh)
        return nullptr;
    const auto record = make<RecordValue>("collider");
    record->setField("mesh", mesh);
    if (transform)
        record->setField("transform", transform);
    if (const auto* made = as<RecordValue>(material))
        if (const Value* colour = made->find("color"))
            record->setField("color", ValueRef::share(colour));
    record->seal();
    return record;
}

void SceneValues::forgetSurfaces(std::optional<int> frame)
{
    keptSurfaces_.forget(frame);
    if (frame)
        surfaces_.erase(*frame);
    else
        surfaces_.clear();
}

const SceneValues::Surfaces* SceneValues::surfaces(int frame, bool cook)
{
    static const Surfaces kNone;
    if (const auto known = surfaces_.find(frame); known != surfaces_.end())
        return &known->second;
    if (surfaceOutputs_.empty() || !frames_.has(frame))
        return &kNone;
    if (!cook)
        return nullptr;
    const auto stored = frames_.get(frame);
    if (!stored)
        return &kNone;
    const graph::FlatGraph& graph = *graph_;
    std::vector<std::size_t> nodes;
    for (const auto& [node, sockets] : surfaceOutputs_)
        nodes.push_back(node);
    session::Evaluator evaluator(graph, library_, services_, nodes,
                                 session::Evaluator::Reach::Solvers);
    evaluator.adopt(evaluator_->values());
    evaluator.provideFrames(
        [this](std::size_t solver, int other) { return outputsOf(solver, other); });
    for (const std::size_t solver : evaluator.solvers()) {
        const auto outputs = stored->find(graph.nodes[solver].name);
        if (outputs == stored->end())
            return &kNone;
        evaluator.provide(solver, outputs->second);
    }
    session::FrameStatistics ignored;
    evaluator.evaluate(frame, frame == graph.range.start, ignored);
    Surfaces found;
    for (const auto& [node, sockets] : surfaceOutputs_)
        for (const std::string& socket : sockets) {
            const auto& slot = evaluator.slot(node);
            const auto value = slot.outputs.find(socket);
            if (!slot.error && value != slot.outputs.end() && isSeen(value->second))
                found.emplace_back(graph.nodes[node].name, value->second);
        }
    std::uint64_t kept = bytesOf(found);
    for (const auto& [other, values] : surfaces_)
        kept += bytesOf(values);
    for (; !surfaces_.empty() && (surfaces_.size() >= kSurfaces || kept > kSurfaceBytes);) {
        // The farthest from this frame.
        const auto farthest = frame - surfaces_.begin()->first > surfaces_.rbegin()->first - frame
                                  ? surfaces_.begin()
                                  : std::prev(surfaces_.end());
        kept -= bytesOf(farthest->second);
        surfaces_.erase(farthest);
    }
    return &(surfaces_[frame] = std::move(found));
}

ValueRef SceneValues::value(const std::string& node, const std::string& socket, int frame)
{
    const Place place{.node = node, .parameter = socket, .frame = frame};
    if (!graph_)
        throw InputError(place, "there is no document without errors");
    const graph::FlatGraph& graph = *graph_;
    const std::ptrdiff_t found = graph.find(node);
    if (found < 0)
        throw InputError(place, "there is no such node");
    const auto index = static_cast<std::size_t>(found);
    const graph::NodeType& type = *graph.nodes[index].type;
    if (!type.output(socket))
        throw InputError(place, "it has no such output");
    const auto frameValues = frames_.get(frame);
    const auto stored = [&](const std::string& solver) {
        if (frameValues)
            if (const auto outputs = frameValues->find(solver); outputs != frameValues->end())
                return outputs->second;
        throw InputError(place, "the frame is not simulated", "simulate it first");
    };
    std::map<std::string, ValueRef> outputs;
    if (type.role == graph::Role::Solver) {
        outputs = stored(node);
    } else {
        session::Evaluator evaluator(graph, library_, services_, {index},
                                     session::Evaluator::Reach::Solvers);
        evaluator.adopt(evaluator_->values());
        evaluator.provideFrames(
            [this](std::size_t solver, int other) { return outputsOf(solver, other); });
        for (const std::size_t solver : evaluator.solvers())
            evaluator.provide(solver, stored(graph.nodes[solver].name));
        session::FrameStatistics ignored;
        evaluator.evaluate(frame, frame == graph.range.start, ignored);
        for (std::size_t i = 0; i < graph.nodes.size(); ++i)
            if (evaluator.slot(i).needed && evaluator.slot(i).error)
                std::rethrow_exception(evaluator.slot(i).error);
        outputs = evaluator.slot(index).outputs;
    }
    if (const auto value = outputs.find(socket); value != outputs.end())
        return value->second;
    throw InputError(place, "it gives no value there at this frame");
}

} // namespace floe::view
