#include "attributes.hpp"

#include <cstring>

namespace floe::particles {

std::vector<floe_attribute> attributesOf(const sdk::Value& particles)
{
    const floe_value_api& values = *sdk::host().values;
    uint64_t count = 0;
    uint32_t attributes = 0;
    if (values.get_particles(particles.get(), &count, &attributes) != FLOE_OK)
        throw sdk::Failure("expected particles", FLOE_WRONG_KIND);
    std::vector<floe_attribute> all(attributes);
    for (uint32_t i = 0; i < attributes; ++i) {
        all[i].struct_size = sizeof(floe_attribute);
        if (values.get_attribute_at(particles.get(), i, &all[i]) != FLOE_OK)
            throw sdk::Failure("the particles' attributes cannot be read");
        if (all[i].space != FLOE_SPACE_HOST)
            throw sdk::Failure(std::string("particle attribute '") + all[i].name +
                                   "' is in a device's memory",
                               FLOE_UNSUPPORTED);
    }
    return all;
}

std::size_t entryBytes(const floe_attribute& attribute)
{
    switch (attribute.element) {
    case FLOE_UINT8:
        return attribute.components;
    case FLOE_FLOAT32:
    case FLOE_INT32:
    case FLOE_UINT32:
        return std::size_t{4} * attribute.components;
    case FLOE_UINT64:
        return std::size_t{8} * attribute.components;
    default:
        throw sdk::Failure(std::string("particle attribute '") + attribute.name +
                               "' is of a type that this plugin does not know",
                           FLOE_UNSUPPORTED);
    }
}

std::byte* addLike(sdk::Value& particles, const floe_attribute& attribute)
{
    void* data = nullptr;
    const floe_status status = sdk::host().values->add_attribute(
        particles.writable(), attribute.name, attribute.element, attribute.components, &data);
    if (status == FLOE_OUT_OF_MEMORY)
        throw std::bad_alloc();
    if (status != FLOE_OK)
        throw sdk::Failure(std::string("cannot add particle attribute '") + attribute.name + "'",
                           status);
    return static_cast<std::byte*>(data);
}

void copyFields(const sdk::Value& from, sdk::Value& to)
{
    const floe_value_api& values = *sdk::host().values;
    for (uint32_t i = 0; i < values.field_count(from.get()); ++i) {
        const char* name = values.field_name(from.get(), i);
        to.set(name, from.field(name));
    }
}

namespace {

/// Of a size that the compiler knows, so that it copies without a call for each.
template <std::size_t kBytes>
void copyEntries(std::byte* to, const std::byte* from, std::span<const uint32_t> indices)
{
    for (const uint32_t index : indices) {
        std::memcpy(to, from + index * kBytes, kBytes);
        to += kBytes;
    }
}

void copyEntries(std::byte* to, const std::byte* from, std::span<const uint32_t> indices,
                 std::size_t bytes)
{
    switch (bytes) {
    case 1:
        return copyEntries<1>(to, from, indices);
    case 4:
        return copyEntries<4>(to, from, indices);
    case 8:
        return copyEntries<8>(to, from, indices);
    case 12:
        return copyEntries<12>(to, from, indices);
    case 36:
        return copyEntries<36>(to, from, indices);
    default:
        for (std::size_t i = 0; i < indices.size(); ++i)
            std::memcpy(to + i * bytes, from + indices[i] * bytes, bytes);
    }
}

} // namespace

sdk::Value pick(const sdk::Context& context, const sdk::Value& particles,
                std::span<const uint32_t> indices)
{
    sdk::Value picked = sdk::makeParticles(indices.size());
    for (const floe_attribute& attribute : attributesOf(particles)) {
        const std::size_t bytes = entryBytes(attribute);
        const auto* from = static_cast<const std::byte*>(attribute.data);
        std::byte* to = addLike(picked, attribute);
        context.parallelFor(indices.size(), 16384, [&](uint64_t begin, uint64_t end) {
            copyEntries(to + begin * bytes, from, indices.subspan(begin, end - begin), bytes);
        });
    }
    copyFields(particles, picked);
    return picked;
}

sdk::Value without(const sdk::Value& particles, const std::string& name)
{
    const uint64_t count = particles.particleCount();
    sdk::Value copy = sdk::makeParticles(count);
    for (const floe_attribute& attribute : attributesOf(particles)) {
        if (attribute.name == name)
            continue;
        std::byte* to = addLike(copy, attribute);
        if (count > 0)
            std::memcpy(to, attribute.data, count * entryBytes(attribute));
    }
    copyFields(particles, copy);
    return copy;
}

double numberAt(const void* data, floe_element element, std::size_t i)
{
    switch (element) {
    case FLOE_FLOAT32:
        return static_cast<const float*>(data)[i];
    case FLOE_INT32:
        return static_cast<const int32_t*>(data)[i];
    case FLOE_UINT32:
        return static_cast<const uint32_t*>(data)[i];
    case FLOE_UINT8:
        return static_cast<const uint8_t*>(data)[i];
    case FLOE_UINT64:
        return static_cast<double>(static_cast<const uint64_t*>(data)[i]);
    default:
        return 0;
    }
}

} // namespace floe::particles
