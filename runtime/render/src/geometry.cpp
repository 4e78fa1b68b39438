#include "geometry.hpp"

#include "external_buffer.hpp"
#include "mesh_vertices.hpp"

#include <algorithm>
#include <cstring>

namespace floe::render {
namespace {

/// The uniform block `Table` of shaders/particles.glsl.
struct Table {
    struct {
        std::array<float, 4> colour, surface, medium;
    } looks[256];
    std::array<float, 4> map[256];
};

static_assert(sizeof(Table) <= 16384, "every device has uniform blocks of this size");

/// Bits of `flags` of shaders/particles.glsl.
constexpr std::uint32_t kHasIds = 1, kOnlyOpaque = 2, kOnlyClear = 4, kSkin = 8, kVolume = 16;

constexpr float kHidden = 2; ///< opacity of particles that are not drawn

constexpr float kClosing = 1.35f; // by which radiusOf in particles.glsl enlarges at most

std::span<const Look> looksOf(const ParticleSet& set)
{
    if (set.colourBy == ColourBy::Index)
        return set.palette;
    return {&set.look, 1};
}

/// What is taken from each colour on a metre's way [1/m].
float absorption(float colour, float depth)
{
    return -std::log(std::clamp(colour, 0.01f, 0.97f)) / depth;
}

Table makeTable(const ParticleSet& set, bool clear)
{
    Table table{};
    const auto put = [&](std::size_t i, const Look& look) {
        table.looks[i].colour = {look.colour[0], look.colour[1], look.colour[2], look.variation};
        table.looks[i].surface = {look.roughness, look.specular, look.smoothing, look.translucency};
        // Opaque looks have grains where clear ones have what they absorb.
        if (!(clear && look.opacity < 1) && !look.hidden) {
            table.looks[i].medium = {look.grain < 2 * set.radius ? look.grain : 0, look.sparkle, 0,
                                     1};
            return;
        }
        table.looks[i].medium = {absorption(look.colour[0], look.colourDepth),
                                 absorption(look.colour[1], look.colourDepth),
                                 absorption(look.colour[2], look.colourDepth),
                                 look.hidden ? kHidden
                                 : clear     ? look.opacity
                                             : 1.0f};
    };
    const std::span<const Look> looks = looksOf(set);
    for (std::size_t i = 0; i < looks.size(); ++i)
        put(i, looks[i]);
    if (set.colourBy == ColourBy::Scalar)
        for (int i = 0; i < 256; ++i) {
            const Float3 c = colourOf(set.map, static_cast<float>(i) / 255);
            table.map[i] = {c[0], c[1], c[2], 1};
        }
    return table;
}

bool isClear(const Scene& scene, const Look& look)
{
    return scene.effects.clear && look.opacity < 1;
}

Bounds boundsOf(std::span<const Float3> points)
{
    Bounds bounds = kNoBounds;
    for (const Float3& p : points)
        if (finite(p) && std::max({std::abs(p[0]), std::abs(p[1]), std::abs(p[2])}) < 1e18f)
            include(bounds, p);
    return bounds;
}

Bounds grown(const Bounds& bounds, float by)
{
    return {subtract(bounds.low, {by, by, by}), add(bounds.high, {by, by, by})};
}

VkBuffer deviceBuffer(const ExternalBuffer& buffer, const Device& device)
{
    const auto* external = dynamic_cast<const VulkanExternalBuffer*>(&buffer);
    if (external == nullptr || &external->device() != &device)
        throw InputError({.parameter = "particles"},
                         "a particle array lies in a buffer of another renderer",
                         "create it with this renderer's createExternalBuffer()");
    return external->get();
}

template <class T>
void copyIn(const std::shared_ptr<Device>& device, Buffer& staging, GrowingBuffer& buffer,
            const Source<T>& source)
{
    if (!source.device)
        buffer.fill(device, staging, std::as_bytes(source.host));
}

/// The bytes of elements first .. first + count.
template <class T>
Layout::Range rangeOf(const Source<T>& source, const GrowingBuffer& own, const Device& device,
                      std::uint64_t first, std::uint64_t count)
{
    if (source.size() == 0)
        return {own.get(), 0, 256};
    // Bytes are read as whole words.
    const std::uint64_t bytes = (count * sizeof(T) + 3) / 4 * 4;
    if (!source.device)
        return {own.get(), first * sizeof(T), bytes};
    if (source.offset % 256 != 0 || source.offset > source.device->bytes() ||
        (source.device->bytes() - source.offset) / sizeof(T) < source.count)
        throw InputError({.parameter = "particles"},
                         "an array on the device does not fit its buffer or does not begin at a "
                         "multiple of 256 bytes");
    return {deviceBuffer(*source.device, device), source.offset + first * sizeof(T), bytes};
}

} // namespace

bool Geometry::SetBuffers::holds(const ParticleSet& set) const
{
    return set.revision != 0 && set.revision == revision && set.positions.size() == count &&
           set.colourBy == colourBy && (set.ids.size() != 0) == hasIds;
}

void Geometry::measure(const Scene& scene)
{
    bounds_ = kNoBounds;
    clearBounds_ = kNoBounds;
    maxRadius_ = clearRadius_ = 0;
    particleCount_ = opaqueCount_ = 0;
    sets_.resize(std::max(sets_.size(), scene.particles.size()));
    for (std::size_t i = 0; i < scene.particles.size(); ++i) {
        const ParticleSet& set = scene.particles[i];
        if (set.positions.size() == 0)
            continue;
        if (set.bounds)
            sets_[i].bounds = *set.bounds;
        else if (!sets_[i].holds(set))
            sets_[i].bounds = boundsOf(set.positions.host);
        const float radius = kClosing * set.radius;
        maxRadius_ = std::max(maxRadius_, radius);
        sets_[i].hasClear = sets_[i].hasOpaque = false;
        for (const Look& look : looksOf(set))
            if (!look.hidden)
                (isClear(scene, look) ? sets_[i].hasClear : sets_[i].hasOpaque) = true;
        const std::uint64_t drawn = (set.positions.size() + set.every - 1) / set.every;
        particleCount_ += drawn;
        opaqueCount_ += sets_[i].hasOpaque ? drawn : 0;
        if (isEmpty(sets_[i].bounds))
            continue;
        const Bounds own = grown(sets_[i].bounds, radius);
        include(bounds_, own.low);
        include(bounds_, own.high);
        if (sets_[i].hasClear) {
            clearRadius_ = std::max(clearRadius_, set.radius);
            const Bounds skin = grown(sets_[i].bounds, 4 * set.radius);
            include(clearBounds_, skin.low);
            include(clearBounds_, skin.high);
        }
    }
    particleBounds_ = bounds_;
    meshes_.resize(scene.meshes.size());
    hasClearMeshes_ = false;
    for (std::size_t i = 0; i < scene.meshes.size(); ++i) {
        const Mesh& mesh = scene.meshes[i];
        hasClearMeshes_ = hasClearMeshes_ || isClear(scene, mesh.look);
        if (mesh.revision == 0 || mesh.revision != meshes_[i].revision) {
            meshes_[i].bounds = boundsOf(mesh.points);
            meshes_[i].stale = true;
        }
        if (mesh.shadow && !isEmpty(meshes_[i].bounds))
            for (int k = 0; k < 8; ++k)
                include(bounds_, transformed(mesh.transform, corner(meshes_[i].bounds, k)));
    }
}

void Geometry::uploadSet(const ParticleSet& set, SetBuffers& buffers, bool clear)
{
    const Table table = makeTable(set, clear);
    buffers.table.fill(device_, staging_, std::as_bytes(std::span(&table, 1)));
    // Buffers that are not used still have to exist.
    for (GrowingBuffer* buffer :
         {&buffers.positions, &buffers.indices, &buffers.scalars, &buffers.ids})
        if (buffer->bytes() == 0)
            buffer->fill(device_, staging_, {});
    if (buffers.holds(set))
        return;
    buffers.revision = 0; // until all of it arrived
    copyIn(device_, staging_, buffers.positions, set.positions);
    if (set.colourBy == ColourBy::Index)
        copyIn(device_, staging_, buffers.indices, set.indices);
    if (set.colourBy == ColourBy::Scalar)
        copyIn(device_, staging_, buffers.scalars, set.scalars);
    copyIn(device_, staging_, buffers.ids, set.ids);
    buffers.revision = set.revision;
    buffers.count = set.positions.size();
    buffers.colourBy = set.colourBy;
    buffers.hasIds = set.ids.size() != 0;
}

void Geometry::upload(const Scene& scene)
{
    for (std::size_t i = 0; i < scene.particles.size(); ++i)
        if (scene.particles[i].positions.size() > 0)
            uploadSet(scene.particles[i], sets_[i], scene.effects.clear);
    for (std::size_t i = 0; i < scene.meshes.size(); ++i) {
        if (!meshes_[i].stale)
            continue;
        const std::vector<MeshVertex> vertices = meshVertices(scene.meshes[i]);
        meshes_[i].vertices.fill(device_, staging_, std::as_bytes(std::span(vertices)));
        meshes_[i].vertexCount = static_cast<std::uint32_t>(vertices.size());
        meshes_[i].revision = scene.meshes[i].revision;
        meshes_[i].stale = false;
    }
}

void Geometry::describe(const Scene& scene, Layout& layout)
{
    draws_.clear();
    // One draw a set, as far as a binding reaches; multiples of 256 keep offsets aligned.
    const std::uint64_t most =
        std::min<std::uint64_t>(device_->limits().maxStorageBufferRange / sizeof(Float3),
                                1'400'000'000) /
        256 * 256;
    for (std::size_t i = 0; i < scene.particles.size(); ++i) {
        const ParticleSet& set = scene.particles[i];
        const SetBuffers& own = sets_[i];
        const Source<std::uint8_t> noIndices;
        const Source<float> noScalars;
        for (std::uint64_t first = 0; first < set.positions.size(); first += most) {
            const std::uint64_t count = std::min(most, set.positions.size() - first);
            Draw draw{};
            draw.set = layout.particleSet(
                {rangeOf(set.positions, own.positions, *device_, first, count),
                 rangeOf(set.colourBy == ColourBy::Index ? set.indices : noIndices, own.indices,
                         *device_, first, count),
                 rangeOf(set.colourBy == ColourBy::Scalar ? set.scalars : noScalars, own.scalars,
                         *device_, first, count),
                 rangeOf(set.ids, own.ids, *device_, first, count)},
                {own.table.get(), 0, sizeof(Table)});
            const float width = set.high - set.low;
            draw.constants = {.radius = set.radius,
                              .colourBy = static_cast<std::uint32_t>(set.colourBy),
                              .lastLook = set.palette.empty()
                                              ? 0
                                              : static_cast<std::uint32_t>(set.palette.size() - 1),
                              .flags = set.ids.size() != 0 ? kHasIds : 0u,
                              .low = set.low,
                              .scale = width != 0 && std::isfinite(1 / width) ? 1 / width : 0,
                              .first = static_cast<std::uint32_t>(first),
                              .every = set.every,
                              .object = static_cast<std::uint32_t>(i + 1)};
            draw.vertices = static_cast<std::uint32_t>(3 * ((count + set.every - 1) / set.every));
            draw.hasOpaque = own.hasOpaque;
            draw.hasClear = own.hasClear;
            draws_.push_back(draw);
        }
    }
}

void Geometry::drawParticles(VkCommandBuffer commands, VkPipelineLayout layout, Part part) const
{
    for (const Draw& draw : draws_) {
        const bool all = part == Part::All;
        if (!all && (part == Part::Opaque ? !draw.hasOpaque : !draw.hasClear))
            continue;
        SetConstants constants = draw.constants;
        if (!all && draw.hasOpaque && draw.hasClear)
            constants.flags |= part == Part::Opaque ? kOnlyOpaque : kOnlyClear;
        if (part == Part::Skin || part == Part::Volume)
            constants.flags |= part == Part::Skin ? kSkin : kVolume;
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 1, 1, &draw.set,
                                0, nullptr);
        vkCmdPushConstants(commands, layout,
                           VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                           sizeof constants, &constants);
        vkCmdDraw(commands, draw.vertices, 1, 0, 0);
    }
}

void Geometry::drawMeshes(VkCommandBuffer commands, VkPipelineLayout layout, const Scene& scene,
                          MeshUse use) const
{
    for (std::size_t i = 0; i < scene.meshes.size(); ++i) {
        const Mesh& mesh = scene.meshes[i];
        if (meshes_[i].vertexCount == 0 || (use == MeshUse::Shadow && !mesh.shadow) ||
            (use != MeshUse::Visibility && isClear(scene, mesh.look) != (use == MeshUse::Clear)))
            continue;
        Float4x4 model = mesh.transform;
        for (int axis = 0; axis < 3; ++axis)
            model[4 * axis + 3] = static_cast<float>(static_cast<double>(model[4 * axis + 3]) -
                                                     scene.camera.eye[axis]);
        const Float3 colour = mesh.colours.empty() ? mesh.look.colour : Float3{1, 1, 1};
        struct {
            ShaderMatrix model;
            std::array<float, 4> colour, surface;
            float whole;
        } constants{forShader(model),
                    {colour[0], colour[1], colour[2], 1},
                    {mesh.look.roughness, mesh.look.specular, mesh.smooth ? 1.0f : 0.0f,
                     mesh.look.translucency},
                    mesh.whole ? 1.0f : 0.0f};
        static_assert(sizeof constants == Layout::kPushBytes);
        if (use == MeshUse::Clear) {
            constants.colour[3] = mesh.look.opacity;
            for (std::size_t k = 0; k < 3; ++k)
                constants.surface[k] = absorption(mesh.look.colour[k], mesh.look.colourDepth);
        }
        if (use == MeshUse::Visibility)
            constants.colour[0] = static_cast<float>(1 + scene.particles.size() + i);
        vkCmdPushConstants(commands, layout,
                           VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                           sizeof constants, &constants);
        const VkBuffer vertices = meshes_[i].vertices.get();
        const VkDeviceSize offset = 0;
        vkCmdBindVertexBuffers(commands, 0, 1, &vertices, &offset);
        vkCmdDraw(commands, meshes_[i].vertexCount, 1, 0, 0);
    }
}

} // namespace floe::render
