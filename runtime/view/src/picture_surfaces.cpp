#include "picture_surfaces.hpp"

#include "floe/compute/array.hpp"
#include "floe/data/scalars.hpp"
#include "floe/io/smooth_surface.hpp"
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

} // namespace

bool hasSurface(const RecordValue& material)
{
    static constexpr std::array<std::string_view, 7> kLaws = {
        "liquid", "positionLiquid", "fixedCorotated", "neoHookean",
        "hencky", "vonMises",       "herschelBulkley"};
    return std::ranges::find(kLaws, material.string("law", "")) != kLaws.end();
}

Ref<const MeshValue> surfaceOfMaterial(const ParticlesValue& particles, std::uint32_t material,
                                       const std::optional<render::Cut>& cut,
                                       const std::function<bool()>& cancelled)
{
    const auto x = optional<float>(particles, "x", 3), v = optional<float>(particles, "v", 3),
               volumes = optional<float>(particles, "volume", 1);
    const auto* cell = as<NumberValue>(particles.fields().find("cellSize"));
    if (volumes.empty() && !cell)
        return nullptr;
    const float timeScale = timeScaleOf(particles);
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
            matter.spacing.push_back(std::cbrt(volume));
        if (!v.empty())
            matter.velocities.push_back(
                {timeScale * v[3 * i], timeScale * v[3 * i + 1], timeScale * v[3 * i + 2]});
    }
    if (volumes.empty())
        matter.spacing.assign(1, static_cast<float>(kSpacingOfCell * cell->number()));
    return io::smoothSurface(matter, {.cancelled = cancelled});
}

} // namespace floe::view
