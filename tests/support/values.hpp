#pragma once

#include "floe/data/curve.hpp"
#include "floe/data/image.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"
#include "floe/data/transform.hpp"
#include "floe/data/volume.hpp"
#include "grids.hpp"

#include <cmath>
#include <limits>

namespace floe::test {

/// A record that holds one value of every kind that can be stored, one of them twice, and numbers
/// that survive only a lossless copy.
inline Ref<const RecordValue> oneOfEach()
{
    const auto record = make<RecordValue>("test");
    const float points[] = {0, -0.0f, std::nextafter(1.0f, 2.0f), 1, 0, 0, 0, 1, 0};
    const std::uint32_t triangle[] = {0, 1, 2};
    const TransformKey keys[] = {{0, {1, 2, 3}, {0, 0, 0, 1}, 1}, {1.5, {}, {1, 0, 0, 0}, 2}};
    const float pixels[] = {0, 0.5f, INFINITY, std::numeric_limits<float>::quiet_NaN()};
    const auto particles = make<ParticlesValue>(5u);
    for (const char* name : {"x", "v"})
        for (float& number : particles->add<float>(name, 3))
            number = static_cast<float>(&number - particles->get<float>(name, 3).data()) / 3;
    for (std::uint64_t& id : particles->add<std::uint64_t>("id", 1))
        id = ~0ull;
    for (std::uint8_t& state : particles->add<std::uint8_t>("state", 1))
        state = 2;
    const ValueRef shared = make<NumberValue>(0.1);
    particles->setField("cellSize", shared);

    record->setField("number", shared);
    record->setField("vector", make<VectorValue>(std::array{0.1, -0.0, 5e-324}));
    record->setField("string", make<StringValue>("gr\xc3\xbc\xc3\x9f\x65"));
    record->setField("empty", make<StringValue>(""));
    record->setField("boolean", make<BooleanValue>(true));
    record->setField("transform", make<TransformValue>(keys));
    record->setField("curve", make<CurveValue>(std::span(points).first(2)));
    const float colours[] = {0, 0.5f, 1, 1, 0, 0, 0, 1, 0};
    record->setField("mesh", make<MeshValue>(points, triangle, points, colours));
    record->setField("volume", make<VolumeValue>(sphereGrid(0.3, 0.1, 2)));
    record->setField("image", make<ImageValue>(2u, 2u, 1u, pixels));
    record->setField("particles", particles);
    record->setField("none", make<ParticlesValue>(0u));
    record->setField("record", make<RecordValue>("inner"));
    record->seal();
    return record;
}

} // namespace floe::test
