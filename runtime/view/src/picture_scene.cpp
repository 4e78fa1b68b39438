#include "floe/view/picture_scene.hpp"

#include "floe/base/error.hpp"
#include "floe/base/hash.hpp"
#include "floe/data/image.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"
#include "floe/data/transform.hpp"
#include "floe/render/exposure.hpp"
#include "floe/view/gaussians.hpp"
#include "picture_parts.hpp"
#include "picture_surfaces.hpp"
#include "scalar_range.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

namespace floe::view {

namespace {

using render::Float3;

/// Reads fields with defaults; an absent record has none.
class Settings {
public:
    explicit Settings(const Value* value) : record_(as<RecordValue>(value)) {}
    double number(const char* name, double otherwise) const
    {
        return record_ ? record_->number(name, otherwise) : otherwise;
    }
    bool boolean(const char* name, bool otherwise) const
    {
        return record_ ? record_->boolean(name, otherwise) : otherwise;
    }
    std::string string(const char* name, const char* otherwise) const
    {
        return record_ ? record_->string(name, otherwise) : otherwise;
    }
    Float3 vector(const char* name, const Float3& otherwise) const
    {
        const auto* found = record_ ? as<VectorValue>(record_->find(name)) : nullptr;
        if (!found)
            return otherwise;
        const auto& v = found->vector();
        return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
    }
    const ImageValue* image(const char* name) const
    {
        return record_ ? as<ImageValue>(record_->find(name)) : nullptr;
    }
    bool has(const char* name) const { return record_ && record_->find(name); }

private:
    const RecordValue* record_;
};

struct Palette {
    std::vector<render::Look> looks;
    std::vector<bool> surfaces; ///< which of them are drawn as surfaces
    std::vector<render::Legend::Entry> entries;
};

Palette materialPalette(const ParticlesValue& particles)
{
    Palette palette;
    const auto* materials = as<RecordValue>(particles.fields().find("materials"));
    if (!materials)
        return palette;
    for (const Field& field : materials->fields().list()) {
        const Settings material(field.value.get());
        const std::string name = material.string("name", "");
        std::string lower = name;
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        render::Look look = render::lookOf(lower);
        look.colour = material.vector("color", look.colour);
        look.opacity = static_cast<float>(material.number("opacity", look.opacity));
        look.colourDepth = static_cast<float>(material.number("colorDepth", look.colourDepth));
        if (const double roughness = material.number("roughness", 0); roughness > 0)
            look.roughness = static_cast<float>(roughness);
        look.grain = static_cast<float>(material.number("grainSize", 0));
        look.sparkle = static_cast<float>(material.number("sparkle", 0));
        palette.looks.push_back(look);
        const auto* record = as<RecordValue>(field.value);
        palette.surfaces.push_back(record && hasSurface(*record));
        palette.entries.push_back({name, look.colour});
        if (palette.looks.size() == 256)
            break;
    }
    return palette;
}

/// One number per particle, by Device::magnitudes. Null when there is none.
const Attribute* scalarAttribute(const ParticlesValue& particles, const std::string& name)
{
    return particles.find(name == "speed" ? "v" : name);
}

/// Integers that select a look. Null when there are none.
const Attribute* indexAttribute(const ParticlesValue& particles, const char* name)
{
    const Attribute* found = particles.find(name);
    const bool whole = found && found->components == 1 && found->element != Element::float32 &&
                       found->element != Element::uint64;
    return whole ? found : nullptr;
}

/// Returns the first element of an attribute of floats in any memory; 0 when there is none.
float firstOf(const ParticlesValue& particles, const char* name)
{
    const Attribute* found = particles.find(name);
    if (!found || found->element != Element::float32 || found->components != 1 ||
        particles.count() == 0)
        return 0;
    float first = 0;
    particles.device()->copy(&first, found->data.data(), sizeof first, compute::Copy::toHost);
    particles.device()->synchronise();
    return first;
}

double particleRadius(const ParticlesValue& particles, const Settings& settings)
{
    if (const double given = settings.number("particleRadius", 0); given > 0)
        return given;
    // Half the spacing of the lattice on which the particles were sampled, plus a fifth, so that a
    // body at rest looks closed.
    if (const float volume = firstOf(particles, "volume"); volume > 0)
        return 0.6 * std::cbrt(volume);
    if (const auto* cell = as<NumberValue>(particles.fields().find("cellSize")))
        return 0.3 * cell->number();
    return 0.01;
}

/// Arrays of one set of particles for the renderer, made in the memory of the particles.
class DrawnArrays {
public:
    /// Returns the shared memory needed for `count` particles [bytes].
    static std::uint64_t sharedBytes(std::uint64_t count)
    {
        return idsAt(count) + count * sizeof(float);
    }

    /// @param shared  null: the particles are in host memory
    DrawnArrays(const ParticlesValue& particles, std::shared_ptr<const SharedBuffer> shared,
                PictureScene::Arrays& kept)
        : particles_(particles), device_(*particles.device()), kept_(kept), shared_(shared.get())
    {
        if (shared)
            kept_.shared.push_back(std::move(shared));
    }

    /// @return false when no particle has a valid position
    bool setPositions(render::ParticleSet& set)
    {
        const Attribute* x = particles_.find("x");
        if (!x || x->element != Element::float32 || x->components != 3)
            throw InputError({}, "particles without positions cannot be drawn",
                             "they need an attribute 'x' of three floats");
        if (!shared_) {
            set.positions = float3s({static_cast<const float*>(x->data.data()), 3 * count()});
            return true;
        }
        device_.copy(memory(0), x->data.data(), x->data.bytes(), compute::Copy::onDevice);
        const compute::Extent extent = device_.extent(x->view(), 1e18f);
        set.bounds = render::Bounds{extent.low, extent.high};
        place(set.positions, 0);
        return extent.low[0] <= extent.high[0];
    }

    void setIndices(const Attribute& from, render::ParticleSet& set)
    {
        if (shared_) {
            device_.narrow(from.view(), static_cast<std::uint8_t*>(memory(colours_)));
            place(set.indices, colours_);
            return;
        }
        device_.narrow(from.view(), kept_.indices.emplace_back(count()).data());
        set.indices = kept_.indices.back();
    }

    /// As bits of floats: distinct for the first 16 million, then shared by neighbours.
    void setIds(const Attribute& from, render::ParticleSet& set)
    {
        static_assert(sizeof(float) == sizeof(std::uint32_t));
        void* to = shared_ ? memory(ids_) : kept_.ids.emplace_back(count()).data();
        device_.magnitudes(from.view(), static_cast<float*>(to));
        if (shared_)
            place(set.ids, ids_);
        else
            set.ids = kept_.ids.back();
    }

    void setScalars(const Attribute& from, render::ParticleSet& set, ScalarRange& range)
    {
        float* to = shared_ ? static_cast<float*>(memory(colours_))
                            : kept_.scalars.emplace_back(count()).data();
        device_.magnitudes(from.view(), to);
        if (shared_)
            place(set.scalars, colours_);
        else
            set.scalars = kept_.scalars.back();
        range.add(device_, to, count());
    }

    /// Lets the renderer read.
    void finish() { device_.synchronise(); }

private:
    static std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 255) / 256 * 256; }
    /// Offset of indices or scalars in shared memory [bytes].
    static std::uint64_t coloursAt(std::uint64_t count) { return aligned(count * sizeof(Float3)); }
    /// Offset of ids [bytes].
    static std::uint64_t idsAt(std::uint64_t count)
    {
        return coloursAt(count) + aligned(count * sizeof(float));
    }
    std::uint64_t count() const { return particles_.count(); }
    void* memory(std::uint64_t offset) const
    {
        return static_cast<std::byte*>(shared_->written->data()) + offset;
    }
    template <class T>
    void place(render::Source<T>& source, std::uint64_t offset) const
    {
        source.device = shared_->drawn;
        source.offset = offset;
        source.count = particles_.count();
    }

    const ParticlesValue& particles_;
    compute::Device& device_;
    PictureScene::Arrays& kept_;
    const SharedBuffer* shared_;
    std::uint64_t colours_ = coloursAt(count()), ids_ = idsAt(count());
};

/// Makes surfaces of materials that have one, and hides their particles.
/// @param which  materials
/// @return the time that took [ms], but for those that were kept
double addSurfaces(const ParticlesValue& particles, const std::string& node,
                   const std::vector<bool>& which, const PictureRequest& request,
                   render::ParticleSet& set, PictureScene::Arrays& kept)
{
    using Clock = std::chrono::steady_clock;
    Clock::duration made{};
    KeptSurfaces* const store = request.cut ? nullptr : request.kept; // cuts are many
    const int frame = static_cast<int>(request.frame);
    SurfaceDetail detail = request.surfaces; // of all particles
    if (const double stride = strideOf(particles); stride > 1)
        detail.cell = stride * std::max(detail.cell, 1.0);
    for (std::size_t m = 0; m < which.size(); ++m) {
        if (!which[m])
            continue;
        const KeptSurfaces::Key key{node, static_cast<std::uint32_t>(m)};
        auto mesh = store ? store->find(frame, key, detail) : nullptr;
        if (!mesh) {
            const auto begin = Clock::now();
            mesh = surfaceOfMaterial(particles, key.material, request.cut, request.surfaces,
                                     request.cancelled);
            made += Clock::now() - begin;
            if (!mesh)
                continue;
            if (store)
                store->keep(frame, key, detail, mesh);
        }
        kept.surfaces.push_back({std::move(mesh), set.palette[m]});
        set.palette[m].hidden = true;
    }
    return std::chrono::duration<double, std::milli>(made).count();
}

/// @return the time that surfaces took [ms]
double addParticles(std::size_t which, const Settings& settings, const PictureRequest& request,
                    SharedMemory* shared, render::Scene& scene, PictureScene::Arrays& kept,
                    ScalarRange& range)
{
    auto given =
        Ref<const ParticlesValue>::share(&expect<ParticlesValue>(request.particles[which]));
    const std::string colourBy = settings.string("colorBy", "material");
    Palette materials = materialPalette(*given);
    const bool gaussians = std::ranges::any_of(request.particles, [&](const ValueRef& other) {
        return drawnAsGaussians(expect<ParticlesValue>(other), colourBy);
    });
    for (std::size_t m = 0; m < materials.looks.size(); ++m)
        if (gaussians && materials.looks[m].opacity < 1)
            materials.surfaces[m] = false; // they are seen through clear particles alone
    const bool smooth = settings.string("surfaces", "spheres") == "smooth" &&
                        colourBy == "material" && indexAttribute(*given, "material") &&
                        std::ranges::find(materials.surfaces, true) != materials.surfaces.end();
    if (smooth)
        shared = nullptr;
    std::shared_ptr<const SharedBuffer> buffer;
    if (shared && given->space() != compute::Space::host && given->count() > 0)
        buffer = shared->take(given->device(), DrawnArrays::sharedBytes(given->count()));
    kept.particles.push_back(buffer ? given : inHostMemory(given));
    const ParticlesValue& particles = *kept.particles.back();
    render::ParticleSet set;
    DrawnArrays arrays(particles, std::move(buffer), kept);
    if (particles.count() == 0 || !arrays.setPositions(set)) {
        kept.particles.pop_back();
        return 0;
    }
    set.radius = static_cast<float>(particleRadius(particles, settings));
    // A grain keeps its shade when the solver moves it in memory.
    if (const Attribute* ids = particles.find("id"); ids && ids->components == 1)
        arrays.setIds(*ids, set);

    const auto byIndex = [&](Palette palette, const char* name, bool inLegend) {
        const Attribute* attribute = indexAttribute(particles, name);
        if (!palette.looks.empty() && attribute) {
            set.colourBy = render::ColourBy::Index;
            set.palette = palette.looks;
            arrays.setIndices(*attribute, set);
        }
        for (auto& entry : palette.entries) {
            const auto same = [&entry](const auto& other) {
                return other.label == entry.label;
            };
            if (inLegend &&
                std::none_of(scene.legend.entries.begin(), scene.legend.entries.end(), same))
                scene.legend.entries.push_back(std::move(entry));
        }
    };
    // Particles without that attribute, such as spray, keep their material's colour.
    if (colourBy == "state" && particles.find("state")) {
        Palette palette;
        palette.looks = render::activationLooks();
        palette.looks[0].colour = settings.vector("sleepColor", palette.looks[0].colour);
        static constexpr const char* kStates[] = {"passive", "active", "boundary"};
        for (std::size_t i = 0; i < palette.looks.size() && i < 3; ++i)
            palette.entries.push_back({kStates[i], palette.looks[i].colour});
        byIndex(std::move(palette), "state", true);
    } else if (const Attribute* attribute = scalarAttribute(particles, colourBy);
               attribute && colourBy != "material" && colourBy != "state") {
        arrays.setScalars(*attribute, set, range);
        set.colourBy = render::ColourBy::Scalar;
    } else {
        byIndex(materials, "material", colourBy == "material");
    }
    arrays.finish();
    double spent = 0;
    if (smooth)
        spent = addSurfaces(particles, which < request.nodes.size() ? request.nodes[which] : "",
                            materials.surfaces, request, set, kept);
    scene.particles.push_back(std::move(set));
    return spent;
}

void addGaussians(const ParticlesValue& particles, render::Scene& scene, PictureScene::Arrays& kept)
{
    if (particles.count() == 0)
        return;
    kept.gaussians.push_back(inHostMemory(Ref<const ParticlesValue>::share(&particles)));
    scene.gaussians.push_back(gaussianSet(*kept.gaussians.back()));
}

render::GaussianFilter filterOf(const Settings& settings)
{
    const std::string name = settings.string("gaussianFilter", "dilate");
    if (name != "dilate" && name != "conserve")
        throw InputError({.parameter = "gaussianFilter"}, "is '" + name + "'",
                         "must be dilate or conserve");
    return name == "dilate" ? render::GaussianFilter::Dilate : render::GaussianFilter::Conserve;
}

void addMesh(const MeshValue& mesh, const render::Float4x4& transform,
             const std::optional<Float3>& colour, render::Scene& scene)
{
    render::Mesh drawn;
    drawn.points = float3s(mesh.points());
    drawn.triangles = {
        reinterpret_cast<const std::array<std::uint32_t, 3>*>(mesh.triangles().data()),
        mesh.triangleCount()};
    drawn.transform = transform;
    if (colour)
        drawn.look.colour = *colour;
    else
        drawn.colours = float3s(mesh.colours());
    scene.meshes.push_back(drawn);
}

/// The picture all around, as the renderer has it.
void setEnvironment(const ImageValue& image, const Settings& light, render::Scene& scene,
                    PictureScene::Arrays& kept)
{
    const std::size_t channels = image.channels(), step = channels < 3 ? 0 : 1;
    const std::size_t count = static_cast<std::size_t>(image.width()) * image.height();
    kept.environment.resize(3 * count);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < 3; ++k)
            kept.environment[3 * i + k] = image.pixels()[channels * i + step * k];
    scene.environment = {.pixels = kept.environment,
                         .width = static_cast<int>(image.width()),
                         .height = static_cast<int>(image.height()),
                         .rotation = static_cast<float>(light.number("rotation", 0)),
                         .intensity = static_cast<float>(light.number("intensity", 1)),
                         .revision =
                             hashBytes(image.pixels().data(), image.pixels().size_bytes()).low | 1};
}

void addLights(std::span<const ValueRef> lights, render::Scene& scene, PictureScene::Arrays& kept)
{
    if (lights.empty())
        return;
    bool sun = false;
    bool sky = false;
    for (const ValueRef& value : lights) {
        const Settings light(value.get());
        const std::string type = light.string("type", "sun");
        const auto intensity = static_cast<float>(light.number("intensity", 1));
        if (type == "sun" && !sun) {
            sun = true;
            scene.sun.direction = light.vector("direction", scene.sun.direction);
            scene.sun.colour = light.vector("color", scene.sun.colour);
            scene.sun.intensity = intensity;
            scene.sun.angularDiameter =
                static_cast<float>(light.number("softness", scene.sun.angularDiameter));
        } else if (type == "sky" && !sky) {
            sky = true;
            const Float3 colour = light.vector("color", scene.sky.zenith);
            scene.sky.zenith = colour;
            for (std::size_t i = 0; i < 3; ++i)
                scene.sky.horizon[i] = 0.5f * (1.0f + colour[i]);
            scene.sky.intensity = intensity;
        } else if (const auto* image = type == "environment" ? light.image("image") : nullptr;
                   image && scene.environment.pixels.empty()) {
            setEnvironment(*image, light, scene, kept);
        } else if (type == "point" && scene.points.size() < render::kMaxPointLights) {
            scene.points.push_back(
                {light.vector("position", {0, 2, 0}), light.vector("color", {1, 1, 1}), intensity});
        }
    }
    if (!sun)
        scene.sun.intensity = 0;
    if (!sky)
        scene.sky.intensity *= 0.35f; // ambient light of a scene without a sky
}

int wholeSetting(const Settings& settings, const char* name, double otherwise, double low,
                 double high)
{
    const double value = settings.number(name, otherwise);
    if (!(value >= low && value <= high))
        throw InputError({.parameter = name}, "is " + std::to_string(value),
                         "must be between " + std::to_string(static_cast<int>(low)) + " and " +
                             std::to_string(static_cast<int>(high)));
    return static_cast<int>(std::lround(value));
}

/// Size, quality, background and ground.
void setPicture(const Settings& settings, render::Scene& scene)
{
    scene.width = wholeSetting(settings, "width", 1280, 1, 16384);
    scene.height = wholeSetting(settings, "height", 720, 1, 16384);
    scene.samples = wholeSetting(settings, "samples", 4, 1, 16);
    scene.effects.ambientOcclusion =
        static_cast<float>(settings.number("ambientOcclusion", scene.effects.ambientOcclusion));
    scene.effects.exposure = static_cast<float>(settings.number("exposure", 0));
    scene.background.horizon = settings.vector("background", scene.background.horizon);
    scene.background.top = settings.vector("backgroundTop", scene.background.top);
    scene.ground.visible = settings.boolean("ground", true);
    scene.ground.height = static_cast<float>(settings.number("groundHeight", 0));
    if (settings.has("groundColor")) {
        scene.ground.colour = settings.vector("groundColor", scene.ground.colour);
        for (std::size_t i = 0; i < 3; ++i)
            scene.ground.lineColour[i] = 0.66f * scene.ground.colour[i];
    }
    scene.caption = settings.string("caption", "");
}

/// @throws InputError none of the particles have the attribute to colour by
void checkColouring(const Settings& settings, const render::Scene& scene)
{
    const std::string attribute = settings.string("colorBy", "material");
    const auto shown = [](const render::ParticleSet& set) {
        return set.colourBy == render::ColourBy::Scalar;
    };
    if (attribute != "material" && attribute != "state" && !scene.particles.empty() &&
        std::none_of(scene.particles.begin(), scene.particles.end(), shown))
        throw InputError({.parameter = "colorBy"},
                         "the particles have no attribute '" + attribute + "'",
                         "choose material, speed, state or one of their attributes");
}

void addCollider(const RecordValue& collider, double frame, render::Scene& scene)
{
    const auto* mesh = as<MeshValue>(collider.find("mesh"));
    if (!mesh)
        return;
    std::optional<Float3> colour;
    if (collider.find("color"))
        colour = Settings(&collider).vector("color", {});
    addMesh(*mesh, matrixOf(as<TransformValue>(collider.find("transform")), frame), colour, scene);
}

/// The map of scalars to colours, for the particles and in the legend.
void setColourMap(const Settings& settings, const ScalarRange& range, render::Scene& scene)
{
    const std::string map = settings.string("colorMap", "viridis");
    const auto named = render::colourMapNamed(map);
    if (!named)
        throw InputError({.parameter = "colorMap"}, "there is no colour map '" + map + "'");
    auto low = static_cast<float>(settings.number("mapMin", 0));
    auto high = static_cast<float>(settings.number("mapMax", 0));
    if (!(low < high)) {
        const ScalarRange::Ends ends = range.ends().value_or(ScalarRange::Ends{0, 1});
        low = ends.low;
        high = ends.high;
    }
    for (auto& set : scene.particles) {
        set.map = *named;
        set.low = low;
        set.high = high;
    }
    scene.legend.visible = settings.boolean("legend", false);
    scene.legend.map = *named;
    scene.legend.low = low;
    scene.legend.high = high;
    const std::string colourBy = settings.string("colorBy", "material");
    scene.legend.title = colourBy == "speed" ? "speed [m/s]" : colourBy;
}

} // namespace

render::Bounds boundsOf(const render::Scene& scene)
{
    constexpr float kHuge = std::numeric_limits<float>::max();
    render::Bounds bounds{{kHuge, kHuge, kHuge}, {-kHuge, -kHuge, -kHuge}};
    const auto include = [&bounds](const Float3& point) {
        for (std::size_t i = 0; i < 3; ++i)
            if (std::isfinite(point[i])) {
                bounds.low[i] = std::min(bounds.low[i], point[i]);
                bounds.high[i] = std::max(bounds.high[i], point[i]);
            }
    };
    for (const auto& set : scene.particles) {
        for (const Float3& point : set.positions.host)
            include(point);
        if (set.positions.device && set.bounds) {
            include(set.bounds->low);
            include(set.bounds->high);
        }
    }
    for (const auto& set : scene.gaussians) {
        const render::Bounds own = boundsOf(set);
        include(own.low);
        include(own.high);
    }
    if (scene.particles.empty() && scene.gaussians.empty())
        for (const auto& mesh : scene.meshes)
            for (const Float3& p : mesh.points) {
                const auto& m = mesh.transform;
                include({m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3],
                         m[4] * p[0] + m[5] * p[1] + m[6] * p[2] + m[7],
                         m[8] * p[0] + m[9] * p[1] + m[10] * p[2] + m[11]});
            }
    if (bounds.low[0] > bounds.high[0])
        return {{-1, 0, -1}, {1, 1, 1}};
    return bounds;
}

render::Camera cameraOf(const Value* value, const render::Scene& scene)
{
    if (!value)
        return render::frameCamera(boundsOf(scene), static_cast<float>(scene.width) /
                                                        static_cast<float>(scene.height));
    const Settings record(value);
    render::Camera camera;
    camera.eye = record.vector("eye", camera.eye);
    camera.target = record.vector("target", camera.target);
    camera.up = record.vector("up", camera.up);
    camera.verticalFov = static_cast<float>(record.number("fieldOfView", camera.verticalFov));
    camera.aperture = static_cast<float>(record.number("aperture", 0));
    camera.focus = static_cast<float>(record.number("focus", 0));
    return camera;
}

PictureScene::PictureScene(const PictureRequest& request, SharedMemory* shared) : request_(request)
{
    const Settings settings(request_.settings.get());
    setPicture(settings, scene);
    exposures = wholeSetting(settings, "exposures", 1, 1, render::kMaxExposures);
    shutter_ = settings.number("shutter", 0);
    if (!(shutter_ >= 0 && shutter_ <= kLongestShutter))
        throw InputError({.parameter = "shutter"}, "is " + std::to_string(shutter_),
                         "must be between 0 and " + std::to_string(kLongestShutter) + " frames");
    if (exposures > 1 && shutter_ > 0)
        shared = nullptr; // what moves is moved on the host
    ScalarRange range;
    const std::string colourBy = settings.string("colorBy", "material");
    for (std::size_t i = 0; i < request_.particles.size(); ++i)
        if (const auto& given = expect<ParticlesValue>(request_.particles[i]);
            drawnAsGaussians(given, colourBy))
            addGaussians(given, scene, arrays_);
        else
            surfaceMilliseconds +=
                addParticles(i, settings, request_, shared, scene, arrays_, range);
    scene.effects.gaussianFilter = filterOf(settings);
    scene.effects.gaussianShadows = settings.boolean("gaussianShadows", true);
    checkColouring(settings, scene);
    for (const ValueRef& mesh : request_.meshes)
        addMesh(expect<MeshValue>(mesh), render::kIdentity, std::nullopt, scene);
    for (const ValueRef& collider : request_.colliders)
        addCollider(expect<RecordValue>(collider), request_.frame, scene);
    for (const auto& [mesh, look] : arrays_.surfaces) {
        addMesh(*mesh, render::kIdentity, std::nullopt, scene);
        scene.meshes.back().look = look;
        scene.meshes.back().smooth = true;
        scene.meshes.back().whole = request_.cut.has_value();
    }
    addLights(request_.lights, scene, arrays_);
    setColourMap(settings, range, scene);
    scene.camera = cameraOf(request_.camera.get(), scene);
}

} // namespace floe::view
