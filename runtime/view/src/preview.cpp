#include "floe/view/preview.hpp"

#include "floe/data/particles.hpp"
#include "floe/data/scalars.hpp"
#include "floe/view/gaussians.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

namespace floe::view {

namespace {

constexpr std::string_view kKept[] = {"x", "v", "material", "state", "volume", "J", "piece"};

std::uint64_t particleCount(const FrameValues& values)
{
    std::uint64_t count = 0;
    for (const auto& [node, outputs] : values)
        for (const auto& [socket, value] : outputs)
            if (const auto* particles = as<ParticlesValue>(value))
                count += particles->count();
    return count;
}

/// Every n-th Gaussian, wider so that surfaces stay closed, in the colours that all directions
/// share.
Ref<ParticlesValue> thinnedGaussians(const ParticlesValue& all, std::uint64_t count,
                                     std::uint64_t step)
{
    const auto result = make<ParticlesValue>(count);
    const auto keep = [&](const char* name, std::uint32_t components, float factor) {
        const Attribute& attribute = *all.find(name);
        const auto* from = static_cast<const float*>(attribute.data.data());
        const auto to = result->add<float>(name, components);
        for (std::uint64_t i = 0; i < count; ++i)
            for (std::uint32_t k = 0; k < components; ++k)
                to[components * i + k] = factor * from[attribute.components * i * step + k];
    };
    keep("x", 3, 1);
    keep("scale", 3, std::sqrt(static_cast<float>(step)));
    keep("rotation", 4, 1);
    keep("opacity", 1, 1);
    keep("sh", 3, 1);
    return result;
}

Ref<ParticlesValue> thinnedParticles(const ParticlesValue& all, std::uint64_t count,
                                     std::uint64_t step)
{
    const auto result = make<ParticlesValue>(count);
    for (const Attribute& attribute : all.attributes()) {
        if (!inPreview(attribute.name))
            continue;
        const std::size_t bytes = elementBytes(attribute.element) * attribute.components;
        auto* to = static_cast<char*>(
            result->add(attribute.name, attribute.element, attribute.components));
        const auto* from = static_cast<const char*>(attribute.data.data());
        for (std::uint64_t i = 0; i < count; ++i)
            std::memcpy(to + i * bytes, from + i * step * bytes, bytes);
    }
    return result;
}

ValueRef thinned(const ValueRef& value, std::uint64_t step)
{
    const Ref<const ParticlesValue> all =
        inHostMemory(Ref<const ParticlesValue>::share(as<ParticlesValue>(value)));
    const std::uint64_t count = (all->count() + step - 1) / step;
    const auto result = isGaussians(*all) ? thinnedGaussians(*all, count, step)
                                          : thinnedParticles(*all, count, step);
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
