#include "nodes.hpp"
#include "set_value.hpp"
#include "surface/opacity_field.hpp"

namespace floe::gaussians {

namespace {

void append(std::vector<float>& to, const std::vector<float>& from)
{
    to.insert(to.end(), from.begin(), from.end());
}

} // namespace

void FillGaussians::cook(sdk::Context& context)
{
    GaussianSet set = setOf(context.input("gaussians"), "gaussians");
    if (set.count() == 0) { // of a sequence, say, that has not begun
        context.warn("there are no Gaussians to fill");
        context.setOutput("gaussians", context.input("gaussians"));
        return;
    }
    FillingSettings settings;
    settings.cell = context.number("cell");
    settings.threshold = context.number("threshold");
    settings.most = static_cast<std::size_t>(context.integer("most"));
    const GaussianSet filling = fillingOf(set, settings, [&] { context.throwIfCancelled(); });
    if (filling.count() == 0)
        context.warn(
            "nothing is inside: the surface has holes larger than a cell, or the threshold "
            "is too high");
    context.statistic("added", static_cast<double>(filling.count()));
    append(set.x, filling.x);
    append(set.scale, filling.scale);
    append(set.rotation, filling.rotation);
    append(set.opacity, filling.opacity);
    append(set.sh, filling.sh);
    for (std::size_t p = 0; p < set.properties.size(); ++p)
        append(set.properties[p].values, filling.properties[p].values);
    context.setOutput("gaussians", valueOf(set));
}

} // namespace floe::gaussians
