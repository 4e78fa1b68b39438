#include "cooked_node.hpp"

#include "floe/data/image.hpp"
#include "floe/plugin/plugin_host.hpp"
#include "floe/sdk/io.h"
#include "floe/sdk/level_set.hpp"
#include "floe/sdk/records.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <stdexcept>

namespace floe::test {

namespace {

std::map<std::string, ValueRef>& servedFiles()
{
    static std::map<std::string, ValueRef> files;
    return files;
}

floe_status serve(const floe_context* context, const char* path, Kind kind, floe_value** value)
{
    const auto found = servedFiles().find(path);
    if (found == servedFiles().end() || found->second->kind() != kind) {
        context->message(context, FLOE_LEVEL_ERROR,
                         (std::string("cannot read '") + path + "'").c_str());
        return FLOE_IO_FAILED;
    }
    found->second->retain();
    *value = const_cast<floe_value*>(plugin::toInterface(found->second.get()));
    return FLOE_OK;
}

const floe_io kFiles = {
    sizeof(floe_io),
    [](const floe_context* context, const char* path, floe_value** value) {
        return serve(context, path, Kind::mesh, value);
    },
    [](const floe_context* context, const char* path, const char* grid, floe_value** value) {
        const std::string name = *grid ? std::string(path) + ":" + grid : std::string(path);
        return serve(context, name.c_str(), Kind::volume, value);
    },
    [](const floe_context* context, const char* path, int32_t, floe_value** value) {
        return serve(context, path, Kind::image, value);
    },
    [](const floe_context* context, const char* path, floe_value** value) {
        return serve(context, path, Kind::particles, value);
    },
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr};

struct Type {
    std::filesystem::path folder;
    Json manifest;
};

const Type& typeOf(const std::string& type)
{
    static const std::map<std::string, Type> types = [] {
        std::map<std::string, Type> found;
        const auto root = std::filesystem::path(FLOE_BINARY_DIR) / "lib/floe/plugins";
        for (const auto& entry : std::filesystem::directory_iterator(root)) {
            const auto path = entry.path() / "plugin.json";
            if (!std::filesystem::exists(path))
                continue;
            const Json manifest = loadJson(path.string());
            for (const Json& node : manifest.at("nodes"))
                found[node.at("type").get<std::string>()] = {entry.path(), node};
        }
        return found;
    }();
    return types.at(type);
}

Setting defaultOf(const Json& parameter)
{
    const auto type = parameter.at("type").get<std::string>();
    const Json& value = parameter.at("default");
    if (parameter.contains("automatic") && value == 0) // no node reads that 0
        return parameter.at("automatic").at("otherwise").get<double>();
    if (type == "float")
        return value.get<double>();
    if (type == "int")
        return value.get<int>();
    if (type == "bool")
        return value.get<bool>();
    if (type == "vector" || type == "colour")
        return value.get<Vec>();
    return value.get<std::string>();
}

std::array<double, 3> corner(const MeshValue& mesh, std::size_t triangle, std::size_t i)
{
    const std::size_t p = 3 * std::size_t{mesh.triangles()[3 * triangle + i]};
    return {mesh.points()[p], mesh.points()[p + 1], mesh.points()[p + 2]};
}

sdk::LevelSet levelSetOf(const ValueRef& volume)
{
    floe_volume view{sizeof(floe_volume), FLOE_SPACE_HOST, expect<VolumeValue>(volume).grid(),
                     expect<VolumeValue>(volume).gridBytes()};
    return sdk::LevelSet(view);
}

} // namespace

namespace {

CookedNode prepared(const std::string& type, const Settings& settings, const Links& links)
{
    CookedNode cooked;
    cooked.settings = settings;
    cooked.links = links;
    const Type& known = typeOf(type);
    for (const Json& parameter : known.manifest.at("parameters"))
        cooked.settings.try_emplace(parameter.at("name").get<std::string>(), defaultOf(parameter));
    if (cooked.settings.size() != known.manifest.at("parameters").size())
        throw std::logic_error("a test sets a parameter that " + type + " does not have");
    return cooked;
}

plugin::CookSettings at(double frame)
{
    plugin::CookSettings where;
    where.node = "node";
    where.frame = frame;
    return where;
}

} // namespace

CookedNode cook(const std::string& type, const Settings& settings, const Links& links, double frame)
{
    CookedNode cooked = prepared(type, settings, links);
    plugin::NodeInstance node(plugin::load(typeOf(type).folder), type, "node");
    plugin::CookContext context(at(frame), cooked);
    node.cook(context);
    return cooked;
}

RunningNode::RunningNode(const std::string& type, const Settings& settings)
    : settings_(settings), node_(plugin::load(typeOf(type).folder), type, "node")
{}

CookedNode RunningNode::cook(const Links& links, double frame, bool start)
{
    CookedNode cooked = prepared(node_.type(), settings_, links);
    plugin::CookSettings where = at(frame);
    where.start = start;
    plugin::CookContext context(where, cooked);
    node_.cook(context);
    return cooked;
}

std::string RunningNode::save()
{
    CookedNode cooked = prepared(node_.type(), settings_, {});
    plugin::CookContext context(at(1), cooked);
    return node_.save(context);
}

void RunningNode::load(const std::string& state)
{
    CookedNode cooked = prepared(node_.type(), settings_, {});
    plugin::CookContext context(at(1), cooked);
    node_.load(context, state);
}

Distances::Distances(ValueRef volume) : volume_(std::move(volume)) {}

double Distances::at(const Vec& position) const
{
    return levelSetOf(volume_).sampler().distance(position);
}

Vec Distances::gradient(const Vec& position) const
{
    return levelSetOf(volume_).sampler().gradient(position);
}

double Distances::voxelSize() const
{
    return levelSetOf(volume_).voxelSize();
}

double Distances::background() const
{
    return levelSetOf(volume_).background();
}

bool Distances::mayMeetSurface(const Vec& center, double radius) const
{
    return levelSetOf(volume_).mayMeetSurface(center, radius);
}

double Distances::insideVolume(double cell) const
{
    const auto levelSet = levelSetOf(volume_);
    const auto sampler = levelSet.sampler();
    const auto box = levelSet.bounds();
    double sum = 0;
    for (double x = box[0][0]; x < box[1][0]; x += cell)
        for (double y = box[0][1]; y < box[1][1]; y += cell)
            for (double z = box[0][2]; z < box[1][2]; z += cell) {
                // A plane at this distance cuts about this share off a cell.
                const double phi = sampler.distance({x + cell / 2, y + cell / 2, z + cell / 2});
                sum += std::clamp(0.5 - phi / cell, 0.0, 1.0);
            }
    return sum * cell * cell * cell;
}

Ref<const ParticlesValue> emit(const ValueRef& emitter, const EmissionRequest& request)
{
    const void* table = nullptr;
    void* self = nullptr;
    if (!plugin::interfaceOf(expect<RecordValue>(emitter).find("source"), FLOE_EMITTER_INTERFACE,
                             &table, &self))
        throw std::logic_error("the emitter has no source");
    const floe_emission emission = {sizeof(floe_emission), request.start ? 1 : 0, request.cellSize,
                                    request.frame,         request.fps,           request.region};
    CookedNode cooked;
    plugin::CookSettings where;
    where.frame = request.frame;
    plugin::CookContext context(where, cooked);
    floe_value* particles = nullptr;
    const auto* source = static_cast<const floe_emitter_interface*>(table);
    const floe_status status = source->emit(self, context.raw(), &emission, &particles);
    if (status != FLOE_OK)
        throw std::runtime_error(context.takeReason(true));
    const auto value = Ref<const Value>::own(plugin::fromInterface(particles));
    if (!value)
        return {};
    return Ref<const ParticlesValue>::share(&expect<ParticlesValue>(value));
}

double meshVolume(const MeshValue& mesh)
{
    double volume = 0;
    for (std::size_t t = 0; t < mesh.triangleCount(); ++t) {
        const auto a = corner(mesh, t, 0), b = corner(mesh, t, 1), c = corner(mesh, t, 2);
        volume += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                  a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return volume / 6;
}

std::size_t openEdges(const MeshValue& mesh)
{
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> balance;
    for (std::size_t t = 0; t < mesh.triangleCount(); ++t)
        for (std::size_t i = 0; i < 3; ++i) {
            const auto a = mesh.triangles()[3 * t + i], b = mesh.triangles()[3 * t + (i + 1) % 3];
            balance[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
        }
    std::size_t open = 0;
    for (const auto& [edge, sum] : balance)
        open += sum != 0 ? 1 : 0;
    return open;
}

Ref<MeshValue> ballMesh(double radius, int rings, int leftOut)
{
    std::vector<float> points;
    std::vector<std::uint32_t> triangles;
    const int around = 2 * rings;
    const auto add = [&](double polar, double angle) {
        points.push_back(static_cast<float>(radius * std::sin(polar) * std::cos(angle)));
        points.push_back(static_cast<float>(radius * std::cos(polar)));
        points.push_back(static_cast<float>(radius * std::sin(polar) * std::sin(angle)));
    };
    add(0, 0);
    for (int r = 1; r < rings; ++r)
        for (int s = 0; s < around; ++s)
            add(std::numbers::pi * r / rings, 2 * std::numbers::pi * s / around);
    add(std::numbers::pi, 0);
    const auto vertex = [&](int r, int s) {
        return static_cast<std::uint32_t>(r == 0       ? 0
                                          : r == rings ? 1 + (rings - 1) * around
                                                       : 1 + (r - 1) * around + s % around);
    };
    for (int r = 0; r < rings; ++r)
        for (int s = 0; s < around; ++s) {
            const std::uint32_t a = vertex(r, s), b = vertex(r, s + 1);
            const std::uint32_t c = vertex(r + 1, s + 1), d = vertex(r + 1, s);
            if (a != b)
                triangles.insert(triangles.end(), {a, b, c});
            if (c != d)
                triangles.insert(triangles.end(), {a, c, d});
        }
    triangles.erase(triangles.begin(), triangles.begin() + 3 * leftOut);
    auto mesh = make<MeshValue>(points, triangles);
    mesh->seal();
    return mesh;
}

void serveFiles(std::map<std::string, ValueRef> files)
{
    servedFiles() = std::move(files);
    plugin::registerExtension(FLOE_IO_EXTENSION, &kFiles);
}

} // namespace floe::test
