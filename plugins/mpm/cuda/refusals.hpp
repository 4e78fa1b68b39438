/// Limitations of the CUDA backend, in one place.
#pragma once

#include "settings.hpp"
#include "surroundings.hpp"

#include <floe/sdk/world/coupled_bodies.hpp>

#include <optional>
#include <span>
#include <string>

namespace floe::mpm::cuda {

inline constexpr std::size_t kMaxMaterials = 64; ///< bounds the shared memory of countBins

inline std::optional<std::string> refusalOf(const SolverSettings& settings)
{
    if (settings.transfer != Transfer::apic)
        return "the transfer 'PIC and FLIP' runs on the CPU alone; choose APIC or run on the CPU";
    if (settings.integrator != Integrator::explicitEuler)
        return "the semi-implicit integrator runs on the CPU alone; choose the explicit one or run "
               "on the CPU";
    if (settings.bodiesMeet)
        return "bodies that meet by contact run on the CPU alone; let 'bodies' move together or "
               "run on "
               "the CPU";
    if (settings.kernel != Kernel::quadratic)
        return "cubic kernels run on the CPU alone; choose quadratic ones or run on the CPU";
    return {};
}

inline std::optional<std::string> refusalOf(std::span<const SolverMaterial> materials)
{
    if (materials.size() > kMaxMaterials)
        return "the CUDA solver takes at most " + std::to_string(kMaxMaterials) + " materials";
    for (const SolverMaterial& material : materials)
        if (material.custom)
            return "material '" + material.name +
                   "': custom models run on the CPU only; choose --device cpu";
    return {};
}

inline std::optional<std::string> refusalOf(const Collider& collider)
{
    if (dynamic_cast<const sdk::world::CoupledBodies*>(&collider))
        return "bodies that matter pushes run on the CPU alone; choose --device cpu";
    const auto* source = dynamic_cast<const LevelSetSource*>(&collider);
    if (!source)
        return "a collider without level sets cannot run on a CUDA device; choose --device cpu";
    if (!source->shape().shape.data)
        return "a collider's level set is missing";
    return {};
}

} // namespace floe::mpm::cuda
