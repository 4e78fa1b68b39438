#include "nodes.hpp"

#include "attributes.hpp"
#include "lattice_mean.hpp"

#include <cstring>
#include <limits>
#include <string_view>

namespace floe::particles {

namespace {

/// The attribute of this name. @throws Failure  there is none, with the names of those there are
const floe_attribute& attributeNamed(const std::vector<floe_attribute>& attributes,
                                     const std::string& name)
{
    std::string known;
    for (const floe_attribute& attribute : attributes) {
        if (name == attribute.name)
            return attribute;
        known += (known.empty() ? "" : ", ") + std::string(attribute.name);
    }
    throw sdk::Failure("the particles have no attribute '" + name + "', only " + known,
                       FLOE_BAD_ARGUMENT);
}

} // namespace

void BlurNode::cook(sdk::Context& context)
{
    const sdk::Value particles = context.input("particles");
    const std::string name = context.string("attribute");
    const std::vector<floe_attribute> attributes = attributesOf(particles);
    const uint64_t count = particles.particleCount();
    if (count == 0) {
        context.setOutput("particles", particles);
        return;
    }
    if (count > std::numeric_limits<uint32_t>::max())
        throw sdk::Failure("more than 2^32 particles cannot be blurred", FLOE_OUT_OF_MEMORY);
    const floe_attribute& blurred = attributeNamed(attributes, name);
    if (blurred.element != FLOE_FLOAT32)
        throw sdk::Failure("attribute '" + name +
                               "' holds whole numbers, which have no mean; copy it with Attribute "
                               "expression to one of another name",
                           FLOE_BAD_ARGUMENT);
    const float* x = nullptr;
    const float* mass = nullptr;
    for (const floe_attribute& attribute : attributes) {
        const std::string_view own = attribute.name;
        const auto* data = static_cast<const float*>(attribute.data);
        if (own == "x" && attribute.components == 3 && attribute.element == FLOE_FLOAT32)
            x = data;
        if (own == "mass" && attribute.components == 1 && attribute.element == FLOE_FLOAT32)
            mass = data;
    }
    if (!x)
        throw sdk::Failure("the particles have no positions 'x'", FLOE_BAD_ARGUMENT);
    const auto parallel = [&](std::size_t items, const LatticeMean::Range& work) {
        context.parallelFor(items, 1024, [&](uint64_t begin, uint64_t end) { work(begin, end); });
    };
    const std::optional<LatticeMean> mean =
        LatticeMean::over({x, 3 * count}, mass, context.number("radius"), parallel);
    if (!mean)
        throw sdk::Failure("the particles spread over more than a million times Radius; enlarge "
                           "it, or take away those that have flown off",
                           FLOE_BAD_ARGUMENT);
    sdk::Value changed = without(particles, name);
    auto* to = reinterpret_cast<float*>(addLike(changed, blurred));
    const std::size_t numbers = count * blurred.components;
    std::memcpy(to, blurred.data, numbers * sizeof(float));
    for (int64_t pass = 0; pass < context.integer("passes"); ++pass) {
        context.throwIfCancelled();
        mean->apply({to, numbers}, blurred.components, parallel);
    }
    context.setOutput("particles", changed);
}

} // namespace floe::particles
