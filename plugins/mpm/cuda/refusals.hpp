/// Limitations of the CUDA backend, in one place.
#pragma once

#include "settings.hpp"
#include "surroundings.hpp"

#include <floe/sdk/world/coupled_bodies.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

namespace floe::mpm::cuda {

inline constexpr std::size_t kMaxMaterials = 64; ///< bounds the shared memory of countBins
/// Of two densities. Sums of a block are whole numbers of 22 bits for its heaviest particle: of one
/// so much lighter, 8 bits remain.
inline constexpr float kMaxDensityRatio = 1e4f;

inline std::optional<std::string> refusalOf(const SolverSettings& settings)
{
    if (settings.integrator != Integrator::explicitEuler)
        return "the semi-implicit integrator runs on the CPU alone; choose the explicit one or run "
               "on the CPU";
    return {};
}

inline std::optional<std::string> refusalOf(std::span<const SolverMaterial> materials)
{
    if (materials.size() > kMaxMaterials)
        return "the CUDA solver takes at most " + std::to_string(kMaxMaterials) + " materials";
    for (const SolverMaterial& material : materials)
        if (material.staysWhole)
            return "material '" + material.name +
                   "' stays whole, which the CPU alone computes; choose --device cpu, or let it "
                   "tear";
    const auto [light, heavy] = std::minmax_element(
        materials.begin(), materials.end(), [](const SolverMaterial& a, const SolverMaterial& b) {
            return a.law.density < b.law.density;
        });
    if (!materials.empty() && heavy->law.density > kMaxDensityRatio * light->law.density) {
        char times[32];
        std::snprintf(times, sizeof times, "%.0f", heavy->law.density / light->law.density);
        return "material '" + heavy->name + "' is " + times + " times as dense as '" + light->name +
               "', and a CUDA device can sum at most 10000 times beside each other; bring their "
               "densities closer or choose --device cpu";
    }
    return {};
}

inline std::optional<std::string> refusalOf(const Collider& collider)
{
    if (dynamic_cast<const sdk::world::CoupledBodies*>(&collider))
        return "bodies that matter pushes run on the CPU alone; choose --device cpu";
    if (collider.isThin())
        return "a Mesh collider stops MPM on the CPU alone; choose --device cpu or link a Collider";
    const auto* source = dynamic_cast<const LevelSetSource*>(&collider);
    if (!source)
        return "a collider without level sets cannot run on a CUDA device; choose --device cpu";
    if (!source->shape().shape.data)
        return "a collider's level set is missing";
    return {};
}

} // namespace floe::mpm::cuda
