#include "nodes.hpp"
#include "set_value.hpp"

#include "floe/sdk/level_set.hpp"

#include <algorithm>
#include <cmath>

namespace floe::gaussians {

namespace {

/// Says which places are selected.
std::function<bool(const float*)> regionOf(const sdk::Context& context, const sdk::Value& shape)
{
    if (context.string("region") == "everywhere")
        return [](const float*) {
            return true;
        };
    if (shape) {
        const sdk::LevelSet levelSet(shape.volume());
        if (!levelSet.valid())
            throw sdk::Failure("input 'shape' is not a grid of distances", FLOE_WRONG_KIND);
        const double margin = context.number("margin");
        return [sampler = levelSet.sampler(), margin](const float* x) {
            return sampler.distance({x[0], x[1], x[2]}) < margin;
        };
    }
    const sdk::Vector center = context.vector("center"), size = context.vector("size");
    return [center, size](const float* x) {
        bool inside = true;
        for (std::size_t axis = 0; axis < 3; ++axis)
            inside = inside && std::abs(x[axis] - center[axis]) <= 0.5 * size[axis];
        return inside;
    };
}

/// The numbers of the property that the selection asks for; null when it asks for none.
const std::vector<float>* askedProperty(const sdk::Context& context, const GaussianSet& set)
{
    const std::string name = context.string("attribute");
    if (name.empty())
        return nullptr;
    if (const Property* property = set.property(name))
        return &property->values;
    std::string there;
    for (const Property& property : set.properties)
        there += (there.empty() ? "" : ", ") + property.name;
    throw sdk::Failure("parameter 'attribute' is '" + name +
                           "', which these Gaussians do not have; " +
                           (there.empty() ? "they have no attribute besides their own: read a file "
                                            "with one, or link Attribute expression before"
                                          : "they have " + there),
                       FLOE_BAD_ARGUMENT);
}

} // namespace

void SelectGaussians::cook(sdk::Context& context)
{
    const GaussianSet set = setOf(context.input("gaussians"), "gaussians");
    const sdk::Value shape = context.input("shape");
    const auto region = regionOf(context, shape);
    const auto faintest = static_cast<float>(context.number("minOpacity"));
    const auto largest = static_cast<float>(context.number("maxScale"));
    const std::vector<float>* const asked = askedProperty(context, set);
    const double lowest = context.number("lowest"), highest = context.number("highest");
    std::vector<bool> chosen(set.count());
    for (std::size_t i = 0; i < set.count(); ++i) {
        const float* scale = &set.scale[3 * i];
        chosen[i] = region(&set.x[3 * i]) && set.opacity[i] >= faintest &&
                    (!asked || ((*asked)[i] >= lowest && (*asked)[i] <= highest)) &&
                    (largest <= 0 || std::max({scale[0], scale[1], scale[2]}) <= largest);
    }
    context.throwIfCancelled();
    GaussianSet selected = set, rest = set;
    keepOnly(selected, [&](std::size_t i) { return chosen[i]; });
    keepOnly(rest, [&](std::size_t i) { return !chosen[i]; });
    context.statistic("selected", static_cast<double>(selected.count()));
    context.setOutput("selected", valueOf(selected));
    context.setOutput("rest", valueOf(rest));
}

} // namespace floe::gaussians
