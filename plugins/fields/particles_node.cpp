#include "lattice.hpp"
#include "nodes.hpp"
#include "splat.hpp"

#include "floe/sdk/grid_from_function.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace floe::fields {

namespace {

/// Density of each material of some particles [kg/m^3]; `otherwise` where none is given.
std::vector<double> densitiesOf(const sdk::Value& particles, std::span<const uint32_t> material,
                                double otherwise)
{
    constexpr uint32_t kMaximumMaterials = 1 << 16;
    uint32_t highest = 0;
    for (const uint32_t m : material)
        highest = std::max(highest, m);
    if (highest >= kMaximumMaterials)
        throw sdk::Failure("the particles have a material " + std::to_string(highest) +
                               ", beyond all that a solver makes",
                           FLOE_BAD_ARGUMENT);
    std::vector<double> densities(highest + 1, otherwise);
    const sdk::Value records = particles.field("materials");
    for (uint32_t m = 0; records && m < densities.size(); ++m)
        if (const sdk::Value record = records.field(std::to_string(m).c_str()))
            if (const sdk::Value density = record.field("density"))
                densities[m] = density.number();
    return densities;
}

Cloud cloudOf(const sdk::Value& particles, double otherwise)
{
    Cloud cloud;
    cloud.x = particles.attribute<float>("x", 3);
    cloud.v = particles.attribute<float>("v", 3);
    const auto volume = particles.attribute<float>("volume", 1);
    const auto material = particles.attribute<uint32_t>("material", 1);
    const auto scale = particles.attribute<float>("densityScale", 1);
    const uint64_t count = particles.particleCount();
    if (count > 0 && (cloud.x.empty() || cloud.v.empty() || volume.empty()))
        throw sdk::Failure("input 'particles' has no x, v or volume: link a solver",
                           FLOE_WRONG_KIND);
    const std::vector<double> density = densitiesOf(particles, material, otherwise);
    cloud.mass.resize(count);
    for (uint64_t i = 0; i < count; ++i) {
        const double mass = static_cast<double>(volume[i]) *
                            density[material.empty() ? 0 : material[i]] *
                            (scale.empty() ? 1 : static_cast<double>(scale[i]));
        cloud.mass[i] = std::isfinite(mass) && mass > 0 ? static_cast<float>(mass) : 0.0f;
    }
    return cloud;
}

template <class Number, class ValueAt>
sdk::Value gridOf(const sdk::Context& context, const SplatBlocks& blocks, double voxelSize,
                  const ValueAt& valueAt)
{
    nanovdb::GridBuilder<Number> builder(Number(0.0f));
    auto accessor = builder.getAccessor();
    for (std::size_t b = 0; b < blocks.origin.size(); ++b) {
        context.throwIfCancelled();
        const auto& origin = blocks.origin[b];
        for (int n = 0; n < SplatBlocks::kVoxels; ++n)
            if (blocks.density[b][static_cast<std::size_t>(n)] > 0)
                accessor.setValue(
                    nanovdb::Coord(origin[0] + n / 64, origin[1] + n / 8 % 8, origin[2] + n % 8),
                    valueAt(b, static_cast<std::size_t>(n)));
    }
    const auto handle = builder.getHandle(voxelSize, nanovdb::Vec3d(0), "");
    return sdk::makeVolume(handle.data(), handle.size());
}

} // namespace

void ParticlesNode::cook(sdk::Context& context)
{
    const double voxelSize = context.number("voxelSize");
    const std::vector<sdk::Value> inputs = context.inputs("particles");
    std::vector<Cloud> clouds;
    for (const sdk::Value& particles : inputs)
        clouds.push_back(cloudOf(particles, context.number("density")));
    uint64_t left = 0;
    const SplatBlocks blocks =
        splat(context, clouds, voxelSize, static_cast<int>(context.integer("spread")), left);
    if (left > 0)
        context.warn(std::to_string(left) + " particles are left out: their position or velocity "
                                            "is not finite, or too far away");
    context.progress(0.7);
    context.setOutput(
        "velocity",
        gridOf<nanovdb::Vec3f>(context, blocks, voxelSize, [&](std::size_t b, std::size_t n) {
            const float* v = &blocks.velocity[b][3 * n];
            return nanovdb::Vec3f(v[0], v[1], v[2]);
        }));
    context.setOutput("density",
                      gridOf<float>(context, blocks, voxelSize, [&](std::size_t b, std::size_t n) {
                          return blocks.density[b][n];
                      }));
}

} // namespace floe::fields
