#include "example_values.hpp"

#include "floe/data/curve.hpp"
#include "floe/data/image.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"
#include "floe/data/transform.hpp"
#include "floe/data/volume.hpp"
#include "floe/plugin/node_instance.hpp"
#include "floe/sdk/records.h"

#include <nanovdb/util/GridBuilder.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <vector>

namespace floe::app {
namespace {

constexpr double kRadius = 0.5; // of the ball [m]

ValueRef number(double value)
{
    return make<NumberValue>(value);
}
ValueRef vector(double x, double y, double z)
{
    return make<VectorValue>(std::array<double, 3>{x, y, z});
}
ValueRef text(const char* value)
{
    return make<StringValue>(value);
}

using FieldList = std::vector<std::pair<const char*, ValueRef>>;
ValueRef record(const char* schema, const FieldList& fields)
{
    const Ref<RecordValue> result = make<RecordValue>(schema);
    for (const auto& [name, value] : fields) {
        value->seal();
        result->setField(name, value);
    }
    return result;
}

template <class Number>
ValueRef grid(const std::function<Number(const nanovdb::Vec3d&)>& at, Number background,
              bool levelSet)
{
    constexpr double kVoxel = 0.05;
    constexpr int kReach = 14; // voxels: the ball and its narrow band
    nanovdb::GridBuilder<Number> builder(background);
    auto accessor = builder.getAccessor();
    for (int i = -kReach; i <= kReach; ++i)
        for (int j = -kReach; j <= kReach; ++j)
            for (int k = -kReach; k <= kReach; ++k)
                accessor.setValue({i, j, k},
                                  at(nanovdb::Vec3d(i * kVoxel, j * kVoxel, k * kVoxel)));
    if (levelSet)
        builder.setGridClass(nanovdb::GridClass::LevelSet);
    const auto handle = builder.getHandle(kVoxel, nanovdb::Vec3d(0), "example");
    return make<VolumeValue>(
        std::span(reinterpret_cast<const std::byte*>(handle.data()), handle.size()));
}

ValueRef ball()
{
    return grid<float>([](const nanovdb::Vec3d& p) { return float(p.length() - kRadius); }, 0.2f,
                       true);
}

ValueRef whirl() // turns about y, 1 rad/s
{
    return grid<nanovdb::Vec3f>(
        [](const nanovdb::Vec3d& p) { return nanovdb::Vec3f(float(p[2]), 0, float(-p[0])); },
        nanovdb::Vec3f(0), false);
}

ValueRef octahedron()
{
    constexpr float r = float(kRadius);
    const float points[] = {r, 0, 0, -r, 0, 0, 0, r, 0, 0, -r, 0, 0, 0, r, 0, 0, -r};
    const std::uint32_t triangles[] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                       2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    return make<MeshValue>(points, triangles);
}

ValueRef transform()
{
    const TransformKey keys[] = {{-1000, {0, 0, 0}, {0, 0, 0, 1}, 1},
                                 {1000, {10, 0, 0}, {0, 0, 0, 1}, 1}};
    return make<TransformValue>(keys);
}

ValueRef material()
{
    const ValueRef parameters =
        record("material.liquid", {{"bulkModulus", number(5e4)}, {"viscosity", number(1e-3)}});
    return record("material", {{"name", text("water")}, // which all solvers of matter take
                               {"color", vector(0.2, 0.4, 0.8)},
                               {"density", number(1000)},
                               {"law", text("liquid")},
                               {"parameters", parameters}});
}

/// 4 x 4 x 4 particles, two to a cell's side, resting.
Ref<ParticlesValue> smallBlock(double cellSize)
{
    constexpr int kSide = 4;
    const Ref<ParticlesValue> particles = make<ParticlesValue>(kSide * kSide * kSide);
    const auto x = particles->add<float>("x", 3);
    const auto v = particles->add<float>("v", 3);
    const auto volume = particles->add<float>("volume", 1);
    std::size_t n = 0;
    for (int i = 0; i < kSide; ++i)
        for (int j = 0; j < kSide; ++j)
            for (int k = 0; k < kSide; ++k, ++n) {
                const int cell[] = {i, j, k};
                for (std::size_t c = 0; c < 3; ++c) {
                    x[3 * n + c] = float((cell[c] + 0.5) * cellSize / 2);
                    v[3 * n + c] = 0;
                }
                volume[n] = float(cellSize * cellSize * cellSize / 8);
            }
    return particles;
}

floe_status emit(void*, const floe_context*, const floe_emission* request, floe_value** particles)
{
    *particles = nullptr;
    if (!request->start)
        return FLOE_OK;
    try {
        const Value* made = smallBlock(request->cell_size).detach();
        *particles = const_cast<floe_value*>(plugin::toInterface(made));
        return FLOE_OK;
    } catch (...) {
        return FLOE_OUT_OF_MEMORY;
    }
}

ValueRef emitter()
{
    static const floe_emitter_interface table = {sizeof(floe_emitter_interface), emit};
    return record("emitter", {{"material", material()},
                              {"source", make<InterfaceValue>(FLOE_EMITTER_INTERFACE, &table,
                                                              nullptr, nullptr)},
                              {"avoidOverlap", make<BooleanValue>(false)}});
}

floe_status keepAwake(void*, const floe_context*, const floe_activation_request* request,
                      std::uint8_t* state)
{
    std::memset(state, FLOE_ACTIVE, request->block_count);
    return FLOE_OK;
}

ValueRef activation()
{
    static const floe_activation_interface table = {sizeof(floe_activation_interface), 1,
                                                    keepAwake};
    return record("activation", {{"strategy", make<InterfaceValue>(FLOE_ACTIVATION_INTERFACE,
                                                                   &table, nullptr, nullptr)}});
}

ValueRef particles()
{
    const Ref<ParticlesValue> result = smallBlock(0.1);
    const auto index = result->add<std::uint32_t>("material", 1);
    const auto state = result->add<std::uint8_t>("state", 1);
    const auto id = result->add<std::uint64_t>("id", 1);
    const auto F = result->add<float>("F", 9);
    const auto plastic = result->add<float>("plastic", 1);
    // What makes them 3D Gaussians too: grey, round, small.
    const auto scale = result->add<float>("scale", 3), rotation = result->add<float>("rotation", 4),
               opacity = result->add<float>("opacity", 1), sh = result->add<float>("sh", 3);
    // And the pixels of a camera sensor, 8 x 8.
    const auto pixel = result->add<std::uint32_t>("pixel", 1),
               object = result->add<std::uint32_t>("object", 1);
    // And contacts, of bodies with a collider.
    const auto normal = result->add<float>("normal", 3), impulse = result->add<float>("impulse", 3),
               couple = result->add<float>("couple", 3);
    const auto a = result->add<std::uint32_t>("a", 1), b = result->add<std::uint32_t>("b", 1);
    const auto aKind = result->add<std::uint8_t>("aKind", 1),
               bKind = result->add<std::uint8_t>("bKind", 1);
    for (std::size_t i = 0; i < result->count(); ++i) {
        plastic[i] = 0;
        pixel[i] = static_cast<std::uint32_t>(i);
        object[i] = 0;
        a[i] = static_cast<std::uint32_t>(i);
        b[i] = 0;
        aKind[i] = 0;
        bKind[i] = 2;
        for (std::size_t k = 0; k < 3; ++k) {
            normal[3 * i + k] = impulse[3 * i + k] = k == 1 ? 1.0f : 0.0f;
            couple[3 * i + k] = 0;
        }
        index[i] = 0;
        state[i] = FLOE_ACTIVE;
        id[i] = i;
        for (std::size_t k = 0; k < 9; ++k)
            F[9 * i + k] = k % 4 == 0 ? 1.0f : 0.0f;
        for (std::size_t k = 0; k < 3; ++k) {
            scale[3 * i + k] = 0.005f;
            sh[3 * i + k] = 0;
        }
        for (std::size_t k = 0; k < 4; ++k)
            rotation[4 * i + k] = k == 3 ? 1.0f : 0.0f;
        opacity[i] = 0.9f;
    }
    const ValueRef materials = record("materials", {{"0", material()}});
    materials->seal();
    result->setField("materials", materials);
    const std::pair<const char*, double> numbers[] = {
        {"cellSize", 0.1}, {"width", 8}, {"height", 8}, {"seconds", 1.0 / 24}};
    for (const auto& [name, value] : numbers) {
        const ValueRef field = number(value);
        field->seal();
        result->setField(name, field);
    }
    return result;
}

ValueRef collider()
{
    return record("collider", {{"shape", ball()},
                               {"transform", transform()},
                               {"contact", text("slip")},
                               {"friction", number(0.3)},
                               {"particles", text("none")},
                               {"mesh", octahedron()}});
}

ValueRef domain()
{
    return record("domain", {{"bounded", make<BooleanValue>(true)},
                             {"center", vector(0, 0, 0)},
                             {"size", vector(4, 4, 4)},
                             {"rotation", vector(0, 0, 0)},
                             {"xMin", text("slip")},
                             {"xMax", text("slip")},
                             {"yMin", text("stick")},
                             {"yMax", text("open")},
                             {"zMin", text("slip")},
                             {"zMax", text("slip")},
                             {"friction", number(0.3)}});
}

ValueRef image()
{
    const float pixels[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1}; // 2 x 2, RGB
    return make<ImageValue>(2, 2, 3, pixels);
}

ValueRef curve()
{
    const float points[] = {0, 0, 0.5f, 1, 1, 0};
    return make<CurveValue>(points);
}

ValueRef anyNumber()
{
    return number(1);
}
ValueRef anyVector()
{
    return vector(0.1, 0.2, 0.3);
}
ValueRef anyText()
{
    return text("example");
}
ValueRef anyBoolean()
{
    return make<BooleanValue>(true);
}

ValueRef force()
{
    return record("force", {{"type", text("gravity")}, {"vector", vector(0, -9.81, 0)}});
}

ValueRef camera()
{
    return record("camera", {{"eye", vector(0, 1, 4)},
                             {"target", vector(0, 0, 0)},
                             {"up", vector(0, 1, 0)},
                             {"fieldOfView", number(40)}});
}

ValueRef light()
{
    return record("light", {{"type", text("sun")},
                            {"color", vector(1, 1, 1)},
                            {"intensity", number(3)},
                            {"direction", vector(-0.3, -1, -0.5)}});
}

} // namespace

ValueRef exampleValue(const std::string& kind, const ExampleVariant& variant)
{
    static const std::map<std::string, ValueRef (*)()> kMakers = {
        {"number", anyNumber}, {"vector", anyVector},      {"colour", anyVector},
        {"string", anyText},   {"boolean", anyBoolean},    {"transform", transform},
        {"curve", curve},      {"mesh", octahedron},       {"image", image},
        {"volume", ball},      {"particles", particles},   {"material", material},
        {"emitter", emitter},  {"activation", activation}, {"collider", collider},
        {"domain", domain},    {"force", force},           {"camera", camera},
        {"light", light},
    };
    const auto found = kMakers.find(kind);
    if (found == kMakers.end())
        return {};
    const ValueRef value = kind == "volume" && variant.vectorVolume ? whirl() : found->second();
    value->seal();
    return value;
}

bool isOfKind(const Value& value, const std::string& kind)
{
    if (const RecordValue* record = as<RecordValue>(&value))
        return record->schema() == kind;
    if (kind == "colour")
        return value.kind() == Kind::vector;
    return kindName(value.kind()) == kind;
}

} // namespace floe::app
