#include "floe/view/preview.hpp"

#include "floe/data/particles.hpp"
#include "floe/data/scalars.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace floe::view {

namespace {

constexpr std::string_view kKept[] = {"x", "v", "material", "state", "volume", "J"};

std::uint64_t particleCount(const FrameValues& values)
{
    std::uint64_t count = 0;
    for (const auto& [node, outputs] : values)
        for (const auto& [socket, value] : outputs)
            if (const auto* particles = as<ParticlesValue>(value))
                count += particles->count();
    return count;
}

ValueRef thinned(const ValueRef& value, std::uint64_t step)
{
    const Ref<const ParticlesValue> all =
        inHostMemory(Ref<const ParticlesValue>::share(as<ParticlesValue>(value)));
    const std::uint64_t count = (all->count() + step - 1) / step;
    const auto result = make<ParticlesValue>(count);
    for (const Attribute& attribute : all->attributes()) {
        if (!inPreview(attribute.name))
            continue;
        const std::size_t bytes = elementBytes(attribute.element) * attribute.components;
        auto* to = static_cast<char*>(
            result->add(attribute.name, attribute.element, attribute.components));
        const auto* from = static_cast<const char*>(attribute.data.data());
        for (std::uint64_t i = 0; i < count; ++i)
            std::memcpy(to + i * bytes, from + i * step * bytes, bytes);
    }
    for (const Field& field : all->fields().list())
        result->setField(field.name, field.value);
    result->setField(kThinning, make<NumberValue>(static_cast<double>(step)));
    result->seal();
    return result;
}

} // namespace

bool worthPreview(const FrameValues& values)
{
    return particleCount(values) > 2 * kPreviewParticles;
}

bool inPreview(std::string_view attribute)
{
    return attribute == "speed" ||
           std::find(std::begin(kKept), std::end(kKept), attribute) != std::end(kKept);
}

FrameValues previewOf(const FrameValues& values)
{
    const std::uint64_t step = (particleCount(values) + kPreviewParticles - 1) / kPreviewParticles;
    FrameValues result = values;
    for (auto& [node, outputs] : result)
        for (auto& [socket, value] : outputs)
            if (const auto* particles = as<ParticlesValue>(value); particles && step > 1)
                value = thinned(value, step);
    return result;
}

} // namespace floe::view
