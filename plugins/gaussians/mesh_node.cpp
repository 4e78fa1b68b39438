#include "nodes.hpp"
#include "set_value.hpp"
#include "surface/covering.hpp"

#include "floe/sdk/io.h"
#include "floe/sdk/sampling.hpp"

#include <cmath>

namespace floe::gaussians {

namespace {

using Colour = std::array<double, 3>;

sdk::Value meshOf(const sdk::Context& context)
{
    if (sdk::Value linked = context.input("mesh"))
        return linked;
    const std::string path = context.string("path");
    if (path.empty())
        throw sdk::Failure("'path' is empty and nothing is linked to 'mesh'; name an OBJ, PLY or "
                           "STL file or link a mesh",
                           FLOE_BAD_ARGUMENT);
    const auto& io = context.extension<floe_io>(FLOE_IO_EXTENSION);
    floe_value* loaded = nullptr;
    sdk::Context::require(io.read_mesh(context.raw(), path.c_str(), &loaded));
    return sdk::Value::own(loaded);
}

/// Colours are linear light; those of captures are as on a screen (sRGB).
Colour onScreen(const sdk::Vector& linear)
{
    Colour encoded;
    for (std::size_t i = 0; i < 3; ++i)
        encoded[i] = linear[i] <= 0.0031308 ? 12.92 * linear[i]
                                            : 1.055 * std::pow(linear[i], 1 / 2.4) - 0.055;
    return encoded;
}

/// A pattern through space: shares of the second colour.
std::function<double(const Vec3&)> patternOf(const sdk::Context& context)
{
    const std::string pattern = context.string("pattern");
    const double size = context.number("patternSize");
    const auto seed = static_cast<uint64_t>(context.integer("seed"));
    return [=](const Vec3& x) -> double {
        const auto cell = [&](double place) {
            return static_cast<int64_t>(std::floor(place / size));
        };
        if (pattern == "stripes")
            return cell(x.y) & 1 ? 1 : 0;
        if (pattern == "checks")
            return (cell(x.x) + cell(x.y) + cell(x.z)) & 1 ? 1 : 0;
        if (pattern == "clouds")
            return 0.5 + 0.5 * sdk::fractalNoise(x.x / size, x.y / size, x.z / size, seed, 3);
        return 0;
    };
}

/// Two colours in that pattern.
std::function<Colour(const Vec3&)> colourOf(const sdk::Context& context,
                                            const std::function<double(const Vec3&)>& pattern)
{
    const Colour first = onScreen(context.vector("color")),
                 second = onScreen(context.vector("secondColor"));
    return [=](const Vec3& x) -> Colour {
        const double share = pattern(x);
        Colour mixed;
        for (std::size_t i = 0; i < 3; ++i)
            mixed[i] = first[i] + share * (second[i] - first[i]);
        return mixed;
    };
}

} // namespace

void GaussiansFromMesh::cook(sdk::Context& context)
{
    const sdk::Value value = meshOf(context);
    const floe_mesh mesh = value.mesh();
    Covering covering;
    covering.count = static_cast<std::size_t>(context.integer("count"));
    covering.overlap = context.number("overlap");
    covering.flatness = context.number("flatness");
    covering.opacity = context.number("opacity");
    covering.seed = static_cast<uint64_t>(context.integer("seed"));
    const auto pattern = patternOf(context);
    covering.colour = colourOf(context, pattern);
    if (context.string("pattern") != "none")
        covering.paint = pattern;
    const sdk::Vector light = context.vector("light");
    const double far = std::hypot(light[0], light[1], light[2]);
    if (!(far > 0))
        throw sdk::Failure("parameter 'light' has no direction", FLOE_BAD_ARGUMENT);
    covering.toLight = {-light[0] / far, -light[1] / far, -light[2] / far};
    covering.ambient = context.number("ambient");
    covering.gloss = context.number("gloss");
    covering.sheen = context.number("sheen");
    covering.degree = static_cast<int>(context.integer("degree"));
    const sdk::Value rest = context.input("rest");
    if (rest)
        covering.painted = {rest.mesh().points, 3 * std::size_t{rest.mesh().point_count}};
    const GaussianSet set = cover({mesh.points, 3 * std::size_t{mesh.point_count}},
                                  {mesh.triangles, 3 * std::size_t{mesh.triangle_count}}, covering);
    context.setOutput("gaussians", valueOf(set));
}

} // namespace floe::gaussians
