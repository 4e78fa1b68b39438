#include "floe/view/view_scene.hpp"

#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"
#include "floe/view/gaussians.hpp"
#include "floe/view/preview.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace floe::view {

namespace {

/// Height of the drawn ground [m]: below floors at 0, which would flicker at the same height.
constexpr double kGroundHeight = -0.005;

/// Opacity of shapes that are seen through.
constexpr float kGhost = 0.1f;

/// Particles whose surfaces a view waits for: about a second.
constexpr std::uint64_t kMaxSmooth = 500'000;

/// Particles of pictures in motion that are looked at for surfaces, however coarse.
constexpr std::uint64_t kMaxMoving = 2 * kPreviewParticles;

using Things = std::vector<std::pair<std::string, ValueRef>>; ///< node, value

/// The output of a solver that is its matter, beside which others only tell of it: contacts,
/// pieces.
constexpr const char* kMatter = "particles";

/// Of particles: the output of their node, a mesh, that shows each of them, or, where they have the
/// attribute 'piece', those that belong to one.
constexpr const char* kShownBy = "shownBy";

/// Of particles: the input of their node that gave the same ones.
constexpr const char* kStandFor = "standFor";

/// Returns the mesh that shows particles better than balls do, or null.
ValueRef meshInstead(const std::map<std::string, ValueRef>& outputs,
                     const ParticlesValue& particles)
{
    const auto* name = as<StringValue>(particles.fields().find(kShownBy));
    const auto found = name ? outputs.find(name->string()) : outputs.end();
    const auto* mesh = found == outputs.end() ? nullptr : as<MeshValue>(found->second);
    return mesh && mesh->triangleCount() > 0 ? found->second : nullptr;
}

/// Returns the particles that belong to no piece, or null when there are none.
ValueRef besidePieces(const ParticlesValue& particles)
{
    constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
    const auto all = inHostMemory(Ref<const ParticlesValue>::share(&particles));
    const auto piece = all->get<std::uint64_t>("piece", 1);
    const auto count = static_cast<std::uint64_t>(std::ranges::count(piece, kNone));
    if (count == 0)
        return nullptr;
    const auto result = make<ParticlesValue>(count);
    for (const Attribute& attribute : all->attributes()) {
        const std::size_t bytes = elementBytes(attribute.element) * attribute.components;
        auto* to = static_cast<char*>(
            result->add(attribute.name, attribute.element, attribute.components));
        const auto* from = static_cast<const char*>(attribute.data.data());
        for (std::size_t i = 0; i < piece.size(); ++i, from += bytes)
            if (piece[i] == kNone) {
                std::memcpy(to, from, bytes);
                to += bytes;
            }
    }
    for (const Field& field : all->fields().list())
        result->setField(field.name, field.value);
    result->seal();
    return result;
}

/// The objects to draw, each with its node.
struct Collected {
    ViewScene scene;
    PictureRequest request;
    std::vector<double> thinning; ///< one per set of request.particles

    /// @param colourBy  as in floe/sdk/render.h
    void addSurfaces(const Things& surfaces, const std::string& colourBy)
    {
        for (const auto& [node, value] : surfaces)
            if (as<ParticlesValue>(value)) {
                addGaussians(node, value, colourBy);
            } else {
                request.meshes.push_back(value);
                scene.meshNodes.push_back(node);
            }
    }
    void addGaussians(const std::string& node, const ValueRef& value, const std::string& colourBy)
    {
        const auto& particles = expect<ParticlesValue>(value);
        if (particles.count() == 0)
            return;
        request.particles.push_back(value);
        request.nodes.push_back(node);
        if (drawnAsGaussians(particles, colourBy)) {
            scene.gaussianNodes.push_back(node);
        } else {
            scene.particleNodes.push_back(node);
            thinning.push_back(1);
        }
    }
    /// @param hidden  nodes whose particles are not drawn
    /// @param meshes  that show particles are drawn in their place
    void addParticles(const FrameValues& frame, const std::set<std::string>& hidden,
                      const std::string& colourBy, bool meshes)
    {
        for (const auto& [node, outputs] : frame)
            for (const auto& [socket, value] : outputs) {
                const auto* particles = as<ParticlesValue>(value);
                if (!particles || particles->count() == 0 || hidden.contains(node) ||
                    (socket != kMatter && outputs.contains(kMatter)))
                    continue;
                ValueRef drawn = value;
                if (ValueRef mesh = meshes ? meshInstead(outputs, *particles) : nullptr) {
                    request.meshes.push_back(std::move(mesh));
                    scene.meshNodes.push_back(node);
                    drawn = besidePieces(*particles);
                    if (!drawn)
                        continue;
                }
                const auto* step = as<NumberValue>(particles->fields().find(kThinning));
                scene.preview = scene.preview || step;
                if (drawnAsGaussians(*particles, colourBy)) {
                    addGaussians(node, value, colourBy);
                    continue;
                }
                request.particles.push_back(std::move(drawn));
                request.nodes.push_back(node);
                scene.particleNodes.push_back(node);
                thinning.push_back(step ? step->number() : 1);
            }
    }
    void addColliders(const Things& records)
    {
        for (const auto& [node, value] : records)
            if (const auto* record = as<RecordValue>(value); record && record->find("mesh")) {
                request.colliders.push_back(value);
                scene.meshNodes.push_back(node);
            }
    }
    void addSurroundings(const Things& records)
    {
        addColliders(records);
        for (const auto& [node, value] : records)
            scene.surroundings.insert(node);
    }
    void addBox(const std::string& node, const LineBox& box)
    {
        scene.boxes.emplace_back(scene.meshNodes.size(), box.corners);
        request.colliders.push_back(box.record);
        scene.meshNodes.push_back(node);
    }
    /// Outlines the selected node, where nothing else of it is drawn.
    void addSelected(const SceneValues::Placed& placed, const ViewSettings& view)
    {
        const auto& drawn = scene.meshNodes;
        if (view.selected.empty() ||
            std::find(drawn.begin(), drawn.end(), view.selected) != drawn.end())
            return;
        const auto outline = [&](const std::string& node, const ValueRef& value) {
            const auto* record = as<RecordValue>(value);
            const auto* mesh = record ? as<MeshValue>(record->find("mesh")) : nullptr;
            if (node != view.selected || !mesh || mesh->pointCount() == 0)
                return false;
            addBox(node, outlineOf(*record, view.frame));
            scene.surroundings.insert(node);
            return true;
        };
        for (const Things* things : {&placed.emitters, &placed.colliders})
            for (const auto& [node, value] : *things)
                if (outline(node, value))
                    return;
        for (const auto& shape : placed.shapes)
            if (outline(shape.node, shape.record))
                return;
    }
    void addGhosts(const SceneValues::Placed& placed, const ViewSettings& view)
    {
        const auto& drawn = scene.meshNodes;
        const auto isWanted = [&](const std::string& node) {
            return std::find(view.ghosts.begin(), view.ghosts.end(), node) != view.ghosts.end() &&
                   std::find(drawn.begin(), drawn.end(), node) == drawn.end();
        };
        const auto add = [&](const std::string& node, const ValueRef& value) {
            const std::size_t before = drawn.size();
            if (isWanted(node))
                addColliders({{node, value}});
            if (drawn.size() > before) {
                scene.ghosts.push_back(before);
                scene.surroundings.insert(node);
            }
        };
        for (const Things* things : {&placed.emitters, &placed.colliders})
            for (const auto& [node, value] : *things)
                add(node, value);
        for (const auto& shape : placed.shapes)
            add(shape.node, shape.record);
    }
    void addPlaced(const SceneValues::Placed& placed, const ViewSettings& view,
                   const std::string& colourBy)
    {
        if (view.particles) {
            for (const auto& [node, value] : placed.gaussians)
                addGaussians(node, value, colourBy);
            for (const auto& [node, value] : placed.simulatedGaussians)
                if (!scene.cached)
                    addGaussians(node, value, colourBy);
        }
        if (view.colliders)
            addSurroundings(placed.colliders);
        if (view.emitters.value_or(!scene.cached)) {
            addColliders(placed.emitters);
            Things unused;
            for (const auto& shape : placed.shapes)
                if (!shape.used)
                    unused.emplace_back(shape.node, shape.record);
            addSurroundings(unused);
        }
        if (view.domain)
            for (const auto& [node, box] : placed.domains) {
                addBox(node, box);
                scene.surroundings.insert(node);
            }
        addGhosts(placed, view);
        addSelected(placed, view);
        request.lights = placed.lights;
        for (const auto& [node, value] : placed.cameras)
            if (node == view.cameraNode)
                request.camera = value;
    }
};

/// Returns the solvers whose particles are seen through other nodes: those that Gaussians or meshes
/// of a frame are made of, those that keep frames of them, and those that give the same.
/// @param surfaces  what nodes make is drawn; null: nothing is
std::set<std::string> followedSolvers(const SceneValues& values, const FrameValues& frame,
                                      const SceneValues::Surfaces* surfaces, bool gaussians)
{
    std::set<std::string> followed;
    for (const auto& [node, outputs] : frame)
        for (const auto& [socket, value] : outputs) {
            const auto* particles = as<ParticlesValue>(value);
            if (!particles)
                continue;
            if ((gaussians && isGaussians(*particles)) || values.keepsFrames(node))
                followed.merge(values.solversBehind(node));
            if (const auto* input = as<StringValue>(particles->fields().find(kStandFor)))
                followed.merge(values.solversBehind(node, input->string()));
        }
    if (surfaces)
        for (const auto& [node, value] : *surfaces)
            followed.merge(values.solversBehind(node));
    return followed;
}

std::uint64_t particleCount(const PictureRequest& request)
{
    std::uint64_t count = 0;
    for (const ValueRef& value : request.particles)
        if (const auto* particles = as<ParticlesValue>(value))
            count += particles->count();
    return count;
}

/// Returns what colours the particles, as in floe/sdk/render.h.
std::string colouringOf(const ViewSettings& view)
{
    return view.mode == "activation"  ? "state"
           : view.mode == "attribute" ? view.attribute
                                      : view.mode;
}

/// Returns the view's settings as a record "render".
ValueRef renderSettings(const ViewSettings& view, bool legend, bool smooth)
{
    const auto number = [](double x) {
        return make<NumberValue>(x);
    };
    const auto settings = make<RecordValue>("render");
    settings->setField("colorBy", make<StringValue>(colouringOf(view)));
    settings->setField("colorMap", make<StringValue>(view.map));
    if (view.range) {
        settings->setField("mapMin", number((*view.range)[0]));
        settings->setField("mapMax", number((*view.range)[1]));
    }
    settings->setField("legend", make<BooleanValue>(legend));
    settings->setField("surfaces", make<StringValue>(smooth ? "smooth" : "spheres"));
    settings->setField("ground", make<BooleanValue>(view.grid));
    settings->setField("groundHeight", number(kGroundHeight));
    if (view.shutter > 0) {
        settings->setField("exposures", number(kStillExposures));
        settings->setField("shutter", number(view.shutter));
    }
    settings->seal();
    return settings;
}

} // namespace

bool ViewSettings::sameContent(const ViewSettings& o) const
{
    return frame == o.frame && mode == o.mode && attribute == o.attribute && map == o.map &&
           range == o.range && particles == o.particles && colliders == o.colliders &&
           grid == o.grid && domain == o.domain && legend == o.legend && emitters == o.emitters &&
           surfaces == o.surfaces && selected == o.selected && ghosts == o.ghosts &&
           shutter == o.shutter;
}

ViewScene makeViewScene(SceneValues& values, const std::shared_ptr<const FrameValues>& frame,
                        const ViewSettings& view, SharedMemory* shared, const SurfaceDetail& moving)
{
    Collected collected;
    auto& [result, request, thinning] = collected;
    result.cached = frame != nullptr;
    request.frame = view.frame;
    request.cut = view.cut;
    request.kept = &values.keptSurfaces();
    request.fps = values.fps();
    if (view.moving)
        request.surfaces = moving;
    const SceneValues::Surfaces* surfaces =
        frame && view.surfaces ? values.surfaces(view.frame, !view.moving) : nullptr;
    result.surfaces = surfaces && !surfaces->empty();
    const std::string colourBy = colouringOf(view);
    if (result.surfaces)
        collected.addSurfaces(*surfaces, colourBy);
    if (frame && view.particles)
        collected.addParticles(*frame, followedSolvers(values, *frame, surfaces, view.surfaces),
                               colourBy, view.surfaces && colourBy == "material");
    collected.addPlaced(values.placed(view.frame), view, colourBy);
    result.smooth = view.surfaces && !view.moving;
    result.particleCount = particleCount(request);
    result.merging = view.surfaces && request.surfaces.any &&
                     result.particleCount <= (view.moving ? kMaxMoving : kMaxSmooth);
    request.settings =
        renderSettings(view, view.legend && !result.particleNodes.empty(), result.merging);

    result.picture = std::make_unique<PictureScene>(request, shared);
    render::Scene& scene = result.picture->scene;
    for (const render::ParticleSet& set : scene.particles)
        result.shared = result.shared || set.positions.device;
    for (const auto& [mesh, corners] : result.boxes) {
        scene.meshes[mesh].shadow = false;
        scene.meshes[mesh].whole = true;
    }
    for (const std::size_t mesh : result.ghosts) {
        scene.meshes[mesh].shadow = false;
        scene.meshes[mesh].look.opacity = kGhost;
    }
    for (std::size_t i = 0; i < scene.particles.size() && i < thinning.size(); ++i)
        scene.particles[i].radius *=
            static_cast<float>(std::cbrt(thinning[i])); // keeps bodies closed
    return std::move(result);
}

} // namespace floe::view
