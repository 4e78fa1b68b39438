// The value interface under use and abuse: no argument may crash the host.
#include "floe/data/value.hpp"
#include "floe/plugin/cook_context.hpp"
#include "floe/plugin/plugin_host.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace floe::plugin {

namespace {

const floe_value_api& api = *valueInterface();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Releases a value at the end of a test.
struct Held {
    explicit Held(floe_value* made) : value(made) {}
    ~Held() { api.release(value); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    operator floe_value*() const { return value; }
    floe_value* value;
};

floe_mesh triangle(const float* points, const std::uint32_t* indices)
{
    floe_mesh mesh{};
    mesh.struct_size = sizeof mesh;
    mesh.point_count = 3;
    mesh.points = points;
    mesh.triangle_count = 1;
    mesh.triangles = indices;
    return mesh;
}

constexpr float kPoints[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
constexpr std::uint32_t kIndices[3] = {0, 1, 2};

} // namespace

TEST(ValueInterface, EveryKindComesBackAsItWasMade)
{
    const std::uint64_t before = Value::liveCount();
    {
        const Held number(api.make_number(0.1));
        double n = 0;
        EXPECT_EQ(api.get_number(number, &n), FLOE_OK);
        EXPECT_EQ(n, 0.1);

        const double v[3] = {1, -2, 3};
        const Held vector(api.make_vector(v));
        double w[3] = {};
        EXPECT_EQ(api.get_vector(vector, w), FLOE_OK);
        EXPECT_EQ(w[1], -2);

        const Held text(api.make_string("Schnee \xc3\xa4"));
        const char* s = nullptr;
        EXPECT_EQ(api.get_string(text, &s), FLOE_OK);
        EXPECT_STREQ(s, "Schnee \xc3\xa4");

        floe_transform_key keys[2] = {{0, {0, 0, 0}, {0, 0, 0, 1}, 1},
                                      {1, {1, 0, 0}, {0, 0, 0, 1}, 2}};
        const Held transform(api.make_transform(keys, 2));
        const floe_transform_key* k = nullptr;
        std::uint32_t count = 0;
        EXPECT_EQ(api.get_transform(transform, &k, &count), FLOE_OK);
        ASSERT_EQ(count, 2u);
        EXPECT_EQ(k[1].position[0], 1);
        EXPECT_EQ(k[1].scale, 2);

        floe_mesh mesh = triangle(kPoints, kIndices);
        mesh.velocities = kPoints;
        mesh.colours = kPoints;
        const Held meshValue(api.make_mesh(&mesh));
        floe_mesh got{};
        got.struct_size = sizeof got;
        EXPECT_EQ(api.get_mesh(meshValue, &got), FLOE_OK);
        EXPECT_EQ(got.triangle_count, 1u);
        EXPECT_EQ(got.velocities[3], 1);
        EXPECT_EQ(got.colours[3], 1);

        const Held particles(api.make_particles(2, nullptr));
        void* data = nullptr;
        ASSERT_EQ(api.add_attribute(particles, "x", FLOE_FLOAT32, 3, &data), FLOE_OK);
        static_cast<float*>(data)[5] = 7;
        floe_attribute attribute{};
        attribute.struct_size = sizeof attribute;
        EXPECT_EQ(api.get_attribute(particles, "x", &attribute), FLOE_OK);
        EXPECT_EQ(static_cast<const float*>(attribute.data)[5], 7);
        EXPECT_EQ(api.get_attribute_at(particles, 0, &attribute), FLOE_OK);
        EXPECT_STREQ(attribute.name, "x");
        EXPECT_EQ(api.get_attribute_at(particles, 1, &attribute), FLOE_NOT_FOUND);

        const Held record(api.make_record("material"));
        EXPECT_EQ(api.set_field(record, "density", number), FLOE_OK);
        EXPECT_EQ(api.field(record, "density"), number.value);
        EXPECT_EQ(api.field(record, "nothing"), nullptr);
        EXPECT_STREQ(api.field_name(record, 0), "density");
        EXPECT_EQ(api.field_name(record, 1), nullptr);
        EXPECT_STREQ(api.record_schema(record), "material");
        EXPECT_EQ(api.record_schema(number), nullptr);
        EXPECT_EQ(Value::liveCount(), before + 7);
    }
    EXPECT_EQ(Value::liveCount(), before) << "every reference was given back";
}

TEST(ValueInterface, AnAttributeIsSharedWithoutACopy)
{
    const Held first(api.make_particles(2, nullptr)), second(api.make_particles(2, nullptr)),
        more(api.make_particles(3, nullptr)), number(api.make_number(1));
    const auto share = sharingInterface()->share_attribute;
    EXPECT_EQ(hostInterface()->extension(FLOE_SHARING_EXTENSION), sharingInterface());
    void* data = nullptr;
    ASSERT_EQ(api.add_attribute(first, "sh", FLOE_FLOAT32, 3, &data), FLOE_OK);
    ASSERT_EQ(share(second, "sh", first), FLOE_OK);
    floe_attribute attribute{};
    attribute.struct_size = sizeof attribute;
    ASSERT_EQ(api.get_attribute(second, "sh", &attribute), FLOE_OK);
    EXPECT_EQ(attribute.data, data);
    EXPECT_EQ(attribute.components, 3u);
    EXPECT_NE(api.add_attribute(first, "x", FLOE_FLOAT32, 3, &data), FLOE_OK) << "handed on";
    EXPECT_EQ(share(second, "x", first), FLOE_NOT_FOUND);
    EXPECT_EQ(share(second, "sh", first), FLOE_BAD_ARGUMENT) << "there already";
    EXPECT_EQ(share(more, "sh", first), FLOE_BAD_ARGUMENT) << "not as many";
    EXPECT_EQ(share(more, "sh", number), FLOE_WRONG_KIND);
    EXPECT_EQ(share(number, "sh", first), FLOE_WRONG_KIND);
    EXPECT_EQ(share(nullptr, "sh", first), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(share(more, nullptr, first), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(share(more, "sh", nullptr), FLOE_BAD_ARGUMENT);
}

TEST(ValueInterface, NothingAcceptsNull)
{
    EXPECT_EQ(api.kind(nullptr), 0);
    api.retain(nullptr);
    api.release(nullptr);
    EXPECT_EQ(api.make_vector(nullptr), nullptr);
    EXPECT_EQ(api.make_string(nullptr), nullptr);
    EXPECT_EQ(api.make_transform(nullptr, 1), nullptr);
    EXPECT_EQ(api.make_curve(nullptr, 1), nullptr);
    EXPECT_EQ(api.make_mesh(nullptr), nullptr);
    EXPECT_EQ(api.make_volume(nullptr, 1000), nullptr);
    EXPECT_EQ(api.make_image(nullptr), nullptr);
    EXPECT_EQ(api.make_record(nullptr), nullptr);
    EXPECT_EQ(api.make_interface(nullptr, &api, nullptr, nullptr), nullptr);
    EXPECT_EQ(api.make_interface("a/1", nullptr, nullptr, nullptr), nullptr);
    EXPECT_EQ(api.get_number(nullptr, nullptr), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(api.get_mesh(nullptr, nullptr), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(api.get_particles(nullptr, nullptr, nullptr), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(api.add_attribute(nullptr, "x", FLOE_FLOAT32, 1, nullptr), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(api.set_field(nullptr, nullptr, nullptr), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(api.field(nullptr, "a"), nullptr);
    EXPECT_EQ(api.field_count(nullptr), 0u);
    EXPECT_EQ(api.record_schema(nullptr), nullptr);

    const Held number(api.make_number(1));
    EXPECT_EQ(api.get_number(number, nullptr), FLOE_BAD_ARGUMENT);
    const Held particles(api.make_particles(1, nullptr));
    void* data = nullptr;
    EXPECT_EQ(api.add_attribute(particles, nullptr, FLOE_FLOAT32, 1, &data), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(api.add_attribute(particles, "x", FLOE_FLOAT32, 1, nullptr), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(api.get_attribute(particles, nullptr, nullptr), FLOE_BAD_ARGUMENT);
}

TEST(ValueInterface, OtherKindsAreSaidToBeSo)
{
    const Held number(api.make_number(1));
    double vector[3];
    const char* text = nullptr;
    std::int32_t boolean = 0;
    floe_mesh mesh{};
    mesh.struct_size = sizeof mesh;
    void* data = nullptr;
    EXPECT_EQ(api.get_vector(number, vector), FLOE_WRONG_KIND);
    EXPECT_EQ(api.get_string(number, &text), FLOE_WRONG_KIND);
    EXPECT_EQ(api.get_boolean(number, &boolean), FLOE_WRONG_KIND);
    EXPECT_EQ(api.get_mesh(number, &mesh), FLOE_WRONG_KIND);
    EXPECT_EQ(api.add_attribute(number, "x", FLOE_FLOAT32, 1, &data), FLOE_WRONG_KIND);
    EXPECT_EQ(api.set_field(number, "x", number), FLOE_WRONG_KIND);
    EXPECT_EQ(api.field(number, "x"), nullptr);
}

TEST(ValueInterface, TruncatedStructsAreRefused)
{
    floe_mesh mesh = triangle(kPoints, kIndices);
    const Held value(api.make_mesh(&mesh));
    ASSERT_NE(value.value, nullptr);
    mesh.struct_size = 8;
    EXPECT_EQ(api.make_mesh(&mesh), nullptr);
    floe_mesh got{};
    got.struct_size = 4;
    EXPECT_EQ(api.get_mesh(value, &got), FLOE_BAD_ARGUMENT);
}

// Plugins of before meshes had colours: what lies behind their struct is neither read nor written.
TEST(ValueInterface, MeshesOfTheFirstVersionHaveNoColours)
{
    floe_mesh mesh = triangle(kPoints, kIndices);
    mesh.struct_size = offsetof(floe_mesh, colours);
    mesh.colours = reinterpret_cast<const float*>(std::uintptr_t{1});
    const Held value(api.make_mesh(&mesh));
    ASSERT_NE(value.value, nullptr);
    floe_mesh got{};
    got.struct_size = offsetof(floe_mesh, colours);
    got.colours = kPoints;
    EXPECT_EQ(api.get_mesh(value, &got), FLOE_OK);
    EXPECT_EQ(got.colours, kPoints);
    got.struct_size = sizeof got;
    EXPECT_EQ(api.get_mesh(value, &got), FLOE_OK);
    EXPECT_EQ(got.colours, nullptr);
}

// A caller built against a later version has a longer struct: what this host does not know stays.
TEST(ValueInterface, LongerStructsAreFilledAsFarAsKnown)
{
    const floe_mesh mesh = triangle(kPoints, kIndices);
    const Held value(api.make_mesh(&mesh));
    struct {
        floe_mesh known;
        std::uint64_t future;
    } later{};
    later.known.struct_size = sizeof later;
    later.future = 0x1234;
    EXPECT_EQ(api.get_mesh(value, &later.known), FLOE_OK);
    EXPECT_EQ(later.known.point_count, 3u);
    EXPECT_EQ(later.known.struct_size, sizeof later);
    EXPECT_EQ(later.future, 0x1234u);
}

TEST(ValueInterface, UnusableContentsGiveNull)
{
    EXPECT_EQ(api.make_number(kNan), nullptr);
    const double vector[3] = {0, INFINITY, 0};
    EXPECT_EQ(api.make_vector(vector), nullptr);

    const std::uint32_t outside[3] = {0, 1, 3};
    floe_mesh mesh = triangle(kPoints, outside);
    EXPECT_EQ(api.make_mesh(&mesh), nullptr);
    const float notFinite[9] = {0, kNan};
    mesh = triangle(notFinite, kIndices);
    EXPECT_EQ(api.make_mesh(&mesh), nullptr);
    const float tooBright[9] = {0, 2};
    mesh = triangle(kPoints, kIndices);
    mesh.colours = tooBright;
    EXPECT_EQ(api.make_mesh(&mesh), nullptr);
    mesh = triangle(nullptr, kIndices);
    EXPECT_EQ(api.make_mesh(&mesh), nullptr);

    floe_transform_key keys[2] = {{1, {0, 0, 0}, {0, 0, 0, 1}, 1}, {1, {0, 0, 0}, {0, 0, 0, 1}, 1}};
    EXPECT_EQ(api.make_transform(keys, 2), nullptr) << "keys of one frame";
    EXPECT_EQ(api.make_transform(keys, 0), nullptr);
    keys[0].rotation[3] = 0;
    EXPECT_EQ(api.make_transform(keys, 1), nullptr) << "no rotation";
    keys[0].rotation[3] = 1;
    keys[0].scale = 0;
    EXPECT_EQ(api.make_transform(keys, 1), nullptr) << "no size";

    const float points[4] = {1, 0, 0, 0};
    EXPECT_EQ(api.make_curve(points, 2), nullptr) << "x goes back";

    floe_image image{sizeof(floe_image), 0xffffffff, 0xffffffff, 4, points};
    EXPECT_EQ(api.make_image(&image), nullptr) << "a size that overflows";
    image = {sizeof(floe_image), 2, 2, 5, points};
    EXPECT_EQ(api.make_image(&image), nullptr);

    const char bytes[64] = "not a grid at all";
    EXPECT_EQ(api.make_volume(bytes, sizeof bytes), nullptr);
    EXPECT_EQ(api.make_record(""), nullptr);
}

TEST(ValueInterface, HugeCountsRunOutOfMemoryInsteadOfWrappingAround)
{
    void* data = nullptr;
    // 2^62 particles of 4 components of 4 bytes are 0 bytes modulo 2^64.
    for (const std::uint64_t count : {1ull << 62, 1ull << 60, ~0ull, 1ull << 50}) {
        const Held particles(api.make_particles(count, nullptr));
        ASSERT_NE(particles.value, nullptr);
        EXPECT_EQ(api.add_attribute(particles, "x", FLOE_FLOAT32, 4, &data), FLOE_OUT_OF_MEMORY);
    }
}

TEST(ValueInterface, AttributesAreChecked)
{
    const Held particles(api.make_particles(4, nullptr));
    void* data = nullptr;
    EXPECT_EQ(api.add_attribute(particles, "x", 99, 3, &data), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(api.add_attribute(particles, "x", FLOE_FLOAT32, 0, &data), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(api.add_attribute(particles, "x", FLOE_FLOAT32, ~0u, &data), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(api.add_attribute(particles, "", FLOE_FLOAT32, 3, &data), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(api.add_attribute(particles, "x", FLOE_FLOAT32, 3, &data), FLOE_OK);
    EXPECT_EQ(api.add_attribute(particles, "x", FLOE_FLOAT32, 3, &data), FLOE_BAD_ARGUMENT)
        << "the name is taken";
    floe_attribute attribute{};
    attribute.struct_size = sizeof attribute;
    EXPECT_EQ(api.get_attribute(particles, "v", &attribute), FLOE_NOT_FOUND);
    attribute.struct_size = 0;
    EXPECT_EQ(api.get_attribute(particles, "x", &attribute), FLOE_BAD_ARGUMENT);
}

TEST(ValueInterface, WhatHasBeenHandedOnCannotChange)
{
    const Held particles(api.make_particles(1, nullptr));
    const Held record(api.make_record("solver"));
    const Held number(api.make_number(1));
    ASSERT_EQ(api.set_field(record, "particles", particles), FLOE_OK);
    void* data = nullptr;
    EXPECT_EQ(api.add_attribute(particles, "x", FLOE_FLOAT32, 1, &data), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(api.set_field(particles, "n", number), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(api.set_field(record, "n", number), FLOE_OK) << "the owner is still its maker's";
}

TEST(ValueInterface, RecordsCannotContainThemselves)
{
    const Held a(api.make_record("a"));
    const Held b(api.make_record("b"));
    EXPECT_EQ(api.set_field(a, "self", a), FLOE_BAD_ARGUMENT);
    EXPECT_EQ(api.set_field(a, "b", b), FLOE_OK);
    EXPECT_EQ(api.set_field(b, "a", a), FLOE_BAD_ARGUMENT);
}

TEST(ValueInterface, NestingIsBounded)
{
    std::vector<floe_value*> chain{api.make_record("r")};
    floe_status status = FLOE_OK;
    while (status == FLOE_OK && chain.size() < 100000) {
        floe_value* outer = api.make_record("r");
        status = api.set_field(outer, "inner", chain.back());
        chain.push_back(outer);
    }
    EXPECT_EQ(status, FLOE_BAD_ARGUMENT);
    EXPECT_LT(chain.size(), 100u);
    for (floe_value* value : chain)
        api.release(value);
}

TEST(ValueInterface, OnlyTheHostsDevicesAreTaken)
{
    floe_device forged{};
    forged.struct_size = sizeof forged;
    EXPECT_EQ(api.make_particles(1, &forged), nullptr);
    forged.struct_size = 4;
    EXPECT_EQ(api.make_particles(1, &forged), nullptr);
    const floe_device real = deviceInterface(*compute::cpuDevice());
    const Held particles(api.make_particles(1, &real));
    EXPECT_NE(particles.value, nullptr);
}

} // namespace floe::plugin
