#include "motion/lattice.hpp"
#include "nodes.hpp"

#include <vector>

namespace floe::gaussians {

namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;

Lattice latticeOf(const sdk::Context& context)
{
    LatticeSettings settings;
    settings.center = context.vector("center");
    settings.size = context.vector("size");
    const std::string axis = context.string("axis");
    settings.axis = axis == "x" ? 0 : axis == "y" ? 1 : 2;
    settings.sections = static_cast<int>(context.integer("sections"));
    settings.bend = kDegree * context.number("bend");
    settings.bendDirection = kDegree * context.number("bendDirection");
    settings.twist = kDegree * context.number("twist");
    return Lattice(settings);
}

void put(std::span<float> to, std::size_t i, const Vec3& x)
{
    for (int axis = 0; axis < 3; ++axis)
        to[3 * i + static_cast<std::size_t>(axis)] = static_cast<float>(x[axis]);
}

Vec3 pointAt(std::span<const float> x, std::size_t i)
{
    return {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
}

} // namespace

void LatticeNode::cook(sdk::Context& context)
{
    const Lattice lattice = latticeOf(context);
    const sdk::Value points = context.input("points"), meshValue = context.input("mesh");
    if (!points && !meshValue)
        context.warn("nothing is linked to 'points' or 'mesh'");
    const auto X = points ? points.attribute<float>("x", 3) : std::span<const float>{};
    const std::size_t count = X.size() / 3;
    sdk::Value moved = sdk::makeParticles(count);
    const auto x = moved.addAttribute<float>("x", 3), F = moved.addAttribute<float>("F", 9);
    const auto id = moved.addAttribute<uint64_t>("id", 1);
    context.parallelFor(count, 4096, [&](uint64_t begin, uint64_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Lattice::Moved now = lattice.at(pointAt(X, i));
            put(x, i, now.x);
            for (int k = 0; k < 9; ++k)
                F[9 * i + static_cast<std::size_t>(k)] = static_cast<float>(now.F[k / 3][k % 3]);
            id[i] = i;
        }
    });
    context.setOutput("particles", moved);
    context.throwIfCancelled();
    const floe_mesh mesh = meshValue ? meshValue.mesh() : floe_mesh{};
    const std::size_t numbers = 3 * std::size_t{mesh.point_count};
    std::vector<float> there(numbers);
    for (std::size_t i = 0; 3 * i < numbers; ++i)
        put(there, i, lattice.at(pointAt({mesh.points, numbers}, i)).x);
    context.setOutput("mesh",
                      sdk::makeMesh(there, {mesh.triangles, 3 * std::size_t{mesh.triangle_count}}));
}

} // namespace floe::gaussians
