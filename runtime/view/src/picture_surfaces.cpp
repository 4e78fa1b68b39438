#include "picture_surfaces.hpp"

#include "floe/compute/array.hpp"
#include "floe/data/scalars.hpp"
#include "floe/io/smooth_surface.hpp"
#include "floe/view/preview.hpp"
#include "picture_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

namespace floe::view {

namespace {

/// A lattice of 8 particles a cell.
constexpr double kSpacingOfCell = 0.5;

template <class T>
std::span<const T> optional(const ParticlesValue& particles, const char* name,
                            std::uint32_t components)
{
    const Attribute* found = particles.find(name);
    if (!found || found->element != elementOf<T>() || found->components != components)
        return {};
    return particles.get<T>(name, components);
}

constexpr double kCoarseVoxel = 0.7; ///< [edges of the cells of merged particles]
constexpr double kLeast = 0.6;       ///< spacing of merged particles [edges], so that voxels see it

/// Merges the particles of each cell of a lattice into one, at their centre of mass. Unlike every
/// n-th of the particles, these lie evenly, and stay as they are while the particles do.
/// @param edge  of the cells [m]
io::Matter merged(const io::Matter& matter, double edge)
{
    const auto cellOf = [edge](float x) { // 21 bits are 2 million cells along an axis
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(x / edge))) &
               0x1fffffu;
    };
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order(matter.positions.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        const auto& at = matter.positions[i];
        order[i] = {cellOf(at[0]) << 42 | cellOf(at[1]) << 21 | cellOf(at[2]), i};
    }
    std::ranges::sort(order);
    io::Matter result;
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        double volume = 0;
        std::array<double, 3> at{};
        for (; end < order.size() && order[end].first == order[begin].first; ++end) {
            const std::uint32_t i = order[end].second;
            const double spacing =
                matter.spacing.size() == 1 ? matter.spacing[0] : matter.spacing[i];
            const double share = spacing * spacing * spacing;
            volume += share;
            for (std::size_t k = 0; k < 3; ++k)
                at[k] += share * matter.positions[i][k];
        }
        result.positions.push_back({static_cast<float>(at[0] / volume),
                                    static_cast<float>(at[1] / volume),
                                    static_cast<float>(at[2] / volume)});
        result.spacing.push_back(static_cast<float>(std::max(std::cbrt(volume), kLeast * edge)));
    }
    return result;
}

} // namespace

bool hasSurface(const RecordValue& material)
{
    static constexpr std::array<std::string_view, 7> kLaws = {
        "liquid", "positionLiquid", "fixedCorotated", "neoHookean",
        "hencky", "vonMises",       "herschelBulkley"};
    return std::ranges::find(kLaws, material.string("law", "")) != kLaws.end();
}

double strideOf(const ParticlesValue& particles)
{
    const auto* thinning = as<NumberValue>(particles.fields().find(kThinning));
    return thinning ? std::cbrt(thinning->number()) : 1;
}

Ref<const MeshValue> surfaceOfMaterial(const ParticlesValue& particles, std::uint32_t material,
                                       const std::optional<render::Cut>& cut,
                                       const SurfaceDetail& detail,
                                       const std::function<bool()>& cancelled)
{
    const auto x = optional<float>(particles, "x", 3), v = optional<float>(particles, "v", 3),
               volumes = optional<float>(particles, "volume", 1);
    const auto* cell = as<NumberValue>(particles.fields().find("cellSize"));
    if (volumes.empty() && !cell)
        return nullptr;
    const float timeScale = timeScaleOf(particles);
    const double stride = strideOf(particles);
    compute::Array<std::uint8_t> materials(particles.count());
    particles.device()->narrow(particles.find("material")->view(), materials.data());
    io::Matter matter;
    for (std::size_t i = 0; i < materials.size(); ++i) {
        const std::array<float, 3> at = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
        const float volume = volumes.empty() ? 1 : volumes[i];
        if (materials[i] != material || !std::isfinite(at[0] + at[1] + at[2]) || !(volume > 0) ||
            !std::isfinite(volume) || (cut && isCut(*cut, at)))
            continue;
        matter.positions.push_back(at);
        if (!volumes.empty())
            matter.spacing.push_back(static_cast<float>(stride * std::cbrt(volume)));
        if (!v.empty() && detail.cell <= 0)
            matter.velocities.push_back(
                {timeScale * v[3 * i], timeScale * v[3 * i + 1], timeScale * v[3 * i + 2]});
    }
    if (volumes.empty())
        matter.spacing.assign(1, static_cast<float>(stride * kSpacingOfCell * cell->number()));
    if (detail.cell > 0 && !matter.positions.empty()) {
        const double edge = detail.cell * *std::ranges::min_element(matter.spacing);
        return io::smoothSurface(merged(matter, edge),
                                 {.voxelSize = kCoarseVoxel * edge,
                                  .even = false, // it would take much off small bodies
                                  .cancelled = cancelled});
    }
    return io::smoothSurface(matter, {.cancelled = cancelled});
}

} // namespace floe::view
