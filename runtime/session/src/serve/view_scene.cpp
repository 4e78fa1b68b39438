#include "view_scene.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/device.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"
#include "floe/data/transform.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace floe::session {

namespace {

/// Of the ground that is only drawn [m]: below floors at 0, which would flicker in the same place.
constexpr double kGroundHeight = -0.005;
/// Frames whose surfaces are kept: about 100 MB when they are fine.
constexpr std::size_t kSurfaces = 16;

bool gives(const graph::FlatNode& node, std::string_view kind)
{
    return std::any_of(node.type->outputs.begin(), node.type->outputs.end(), [&](const auto& s) {
        return std::find(s.kinds.begin(), s.kinds.end(), kind) != s.kinds.end();
    });
}

} // namespace

bool ViewSettings::sameContent(const ViewSettings& o) const
{
    return frame == o.frame && mode == o.mode && attribute == o.attribute && map == o.map &&
           range == o.range && particles == o.particles && colliders == o.colliders &&
           grid == o.grid && domain == o.domain && legend == o.legend && emitters == o.emitters &&
           surfaces == o.surfaces;
}

SceneValues::SceneValues(Library& library, FrameStore& store, std::string outputFolder)
    : library_(library), store_(store), services_(compute::cpuDevice(), std::move(outputFolder))
{}

SceneValues::~SceneValues() = default;

const graph::FlatGraph* SceneValues::graph() const
{
    return document_ ? &*document_->flat : nullptr;
}

void SceneValues::setDocument(std::shared_ptr<const SessionDocument> document)
{
    const auto old = std::move(document_);
    const auto oldEvaluator = std::move(evaluator_);
    document_ = std::move(document);
    frame_.reset();
    placed_ = {};
    const graph::FlatGraph& graph = *document_->flat;
    std::vector<bool> afterSolver(graph.nodes.size(), false);
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        afterSolver[node] = graph.nodes[node].type->role != graph::Role::Value;
        for (const graph::FlatInput& input : graph.nodes[node].inputs)
            for (const graph::Source& source : input.sources)
                afterSolver[node] = afterSolver[node] || afterSolver[source.node];
    }
    // Of meshes made of meshes only the last are looked at.
    surfaces_.clear();
    surfaceNodes_.clear();
    std::set<std::size_t> used;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        const graph::FlatNode& flat = graph.nodes[node];
        if (!afterSolver[node] || flat.type->role != graph::Role::Value || !gives(flat, "mesh"))
            continue;
        surfaceNodes_.push_back(node);
        for (const graph::FlatInput& input : flat.inputs)
            for (const graph::Source& source : input.sources)
                used.insert(source.node);
    }
    std::erase_if(surfaceNodes_, [&](std::size_t node) { return used.contains(node); });
    std::vector<std::size_t> targets;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        if (afterSolver[node])
            continue;
        const graph::FlatNode& flat = graph.nodes[node];
        for (const char* kind : {"collider", "light", "camera", "domain"})
            if (gives(flat, kind))
                targets.push_back(node);
        if (gives(flat, "emitter")) // what it is made of, not its particles
            for (const graph::FlatInput& input : flat.inputs)
                for (const graph::Source& source : input.sources)
                    targets.push_back(source.node);
    }
    evaluator_ = std::make_unique<Evaluator>(graph, library_, services_, std::move(targets));
    if (oldEvaluator)
        evaluator_->adopt(*oldEvaluator);
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
    if (!document_ || frame_ == frame)
        return placed_;
    const graph::FlatGraph& graph = *document_->flat;
    FrameStatistics ignored;
    evaluator_->evaluate(frame, frame == graph.range.start, ignored);
    placed_ = {};
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        const graph::FlatNode& flat = graph.nodes[node];
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
        if (!gives(flat, "emitter"))
            continue;
        ValueRef mesh, transform, material;
        for (const graph::FlatInput& input : flat.inputs)
            for (const graph::Source& source : input.sources) {
                const bool shape = std::find(input.socket->kinds.begin(), input.socket->kinds.end(),
                                             "volume") != input.socket->kinds.end();
                if (shape && !mesh)
                    mesh = output(source.node, "mesh");
                if (ValueRef value = output(source.node, "transform"))
                    transform = std::move(value);
                if (ValueRef value = output(source.node, "material"))
                    material = std::move(value);
            }
        if (!mesh)
            continue;
        const auto record = make<RecordValue>("collider");
        record->setField("mesh", mesh);
        if (transform)
            record->setField("transform", transform);
        if (const auto* made = as<RecordValue>(material))
            if (const Value* colour = made->find("color"))
                record->setField("color", ValueRef::share(colour));
        record->seal();
        placed_.emitters.emplace_back(flat.name, record);
    }
    frame_ = frame;
    return placed_;
}

void SceneValues::forgetSurfaces(std::optional<int> frame)
{
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
    if (surfaceNodes_.empty() || !store_.has(frame))
        return &kNone;
    if (!cook)
        return nullptr;
    const auto stored = store_.get(frame);
    if (!stored)
        return &kNone;
    const graph::FlatGraph& graph = *document_->flat;
    Evaluator evaluator(graph, library_, services_, surfaceNodes_);
    evaluator.adopt(*evaluator_);
    for (const std::size_t solver : evaluator.solvers()) {
        const auto outputs = stored->find(graph.nodes[solver].name);
        if (outputs == stored->end())
            return &kNone;
        evaluator.provide(solver, outputs->second);
    }
    FrameStatistics ignored;
    evaluator.evaluate(frame, frame == graph.range.start, ignored);
    Surfaces found;
    for (const std::size_t node : surfaceNodes_)
        if (!evaluator.slot(node).error)
            for (const auto& [socket, value] : evaluator.slot(node).outputs)
                if (const auto* mesh = as<MeshValue>(value); mesh && mesh->triangleCount() > 0)
                    found.emplace_back(graph.nodes[node].name, value);
    if (surfaces_.size() >= kSurfaces) // the farthest from here
        surfaces_.erase(frame - surfaces_.begin()->first > surfaces_.rbegin()->first - frame
                            ? surfaces_.begin()
                            : std::prev(surfaces_.end()));
    return &(surfaces_[frame] = std::move(found));
}

ValueRef SceneValues::value(const std::string& node, const std::string& socket, int frame)
{
    const Place place{.node = node, .parameter = socket, .frame = frame};
    if (!document_)
        throw InputError(place, "there is no document without errors");
    const graph::FlatGraph& graph = *document_->flat;
    const std::ptrdiff_t found = graph.find(node);
    if (found < 0)
        throw InputError(place, "there is no such node");
    const auto index = static_cast<std::size_t>(found);
    const graph::NodeType& type = *graph.nodes[index].type;
    if (!type.output(socket))
        throw InputError(place, "it has no such output");
    const auto frameValues = store_.get(frame);
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
        Evaluator evaluator(graph, library_, services_, {index});
        evaluator.adopt(*evaluator_);
        for (const std::size_t solver : evaluator.solvers())
            evaluator.provide(solver, stored(graph.nodes[solver].name));
        FrameStatistics ignored;
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

ViewScene makeViewScene(SceneValues& values, const std::shared_ptr<const FrameValues>& frame,
                        const ViewSettings& view, SharedMemory* shared)
{
    const auto number = [](double x) {
        return make<NumberValue>(x);
    };
    ViewScene result;
    PictureRequest request;
    request.frame = view.frame;
    std::vector<double> thinning; // of the particles
    const SceneValues::Surfaces* surfaces =
        frame && view.surfaces ? values.surfaces(view.frame, !view.moving) : nullptr;
    result.surfaces = surfaces && !surfaces->empty();
    if (result.surfaces)
        for (const auto& [node, mesh] : *surfaces) {
            request.meshes.push_back(mesh);
            result.meshNodes.push_back(node);
        }
    if (frame && view.particles && !result.surfaces)
        for (const auto& [node, outputs] : *frame)
            for (const auto& [socket, value] : outputs)
                if (const auto* particles = as<ParticlesValue>(value);
                    particles && particles->count() > 0) {
                    request.particles.push_back(value);
                    result.particleNodes.push_back(node);
                    const auto* step = as<NumberValue>(particles->fields().find(kThinning));
                    thinning.push_back(step ? step->number() : 1);
                    result.preview = result.preview || step;
                }
    result.cached = frame != nullptr;
    const SceneValues::Placed& placed = values.placed(view.frame);
    const auto place = [&](const auto& list) {
        for (const auto& [node, value] : list)
            if (const auto* record = as<RecordValue>(value); record && record->find("mesh")) {
                request.colliders.push_back(value);
                result.meshNodes.push_back(node);
            }
    };
    if (view.colliders)
        place(placed.colliders);
    if (view.emitters.value_or(!frame))
        place(placed.emitters);
    if (view.domain)
        for (const auto& [node, box] : placed.domains) {
            result.domains.emplace_back(result.meshNodes.size(), box.corners);
            request.colliders.push_back(box.record);
            result.meshNodes.push_back(node);
        }
    request.lights = placed.lights;
    for (const auto& [node, value] : placed.cameras)
        if (node == view.cameraNode)
            request.camera = value;

    const auto settings = make<RecordValue>("render");
    const std::string colourBy = view.mode == "activation"  ? "state"
                                 : view.mode == "attribute" ? view.attribute
                                                            : view.mode;
    settings->setField("colorBy", make<StringValue>(colourBy));
    settings->setField("colorMap", make<StringValue>(view.map));
    if (view.range) {
        settings->setField("mapMin", number((*view.range)[0]));
        settings->setField("mapMax", number((*view.range)[1]));
    }
    settings->setField("legend", make<BooleanValue>(view.legend && !request.particles.empty()));
    settings->setField("ground", make<BooleanValue>(view.grid));
    settings->setField("groundHeight", number(kGroundHeight));
    settings->seal();
    request.settings = settings;
    result.picture = std::make_unique<PictureScene>(request, shared);
    for (const render::ParticleSet& set : result.picture->scene.particles)
        result.shared = result.shared || set.positions.device;
    for (const auto& [mesh, corners] : result.domains)
        result.picture->scene.meshes[mesh].shadow = false;
    auto& sets = result.picture->scene.particles;
    for (std::size_t i = 0; i < sets.size() && i < thinning.size(); ++i)
        sets[i].radius *= static_cast<float>(std::cbrt(thinning[i])); // bodies stay closed
    return result;
}

} // namespace floe::session
