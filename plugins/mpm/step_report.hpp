/// What a person hears about steps, and about particles that have no place.
#pragma once

#include "settings.hpp"
#include "statistics.hpp"

#include "floe/sdk/node.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace floe::mpm {

/// The longest explicit step that each material allows at rest [s]; of materials with one name, the
/// shorter.
std::map<std::string, double> stableSteps(std::span<const SolverMaterial> materials,
                                          const SolverSettings& settings);

/// Warnings that are given once.
class StepReport {
public:
    /// What local time steps do.
    /// @param whyNot  why they do nothing
    void local(sdk::Context& context, const StepStatistics& steps,
               const std::optional<std::string>& whyNot);
    /// Warns when a material shortens every explicit step much, and names it.
    void explainMany(sdk::Context& context, const StepStatistics& steps,
                     std::span<const SolverMaterial> materials, const SolverSettings& settings);

    /// Warns of particles that were left out as they would have begun behind walls.
    void beyondWalls(sdk::Context& context, std::uint64_t count, const std::string& material);

private:
    bool explained_ = false, saidBeyond_ = false;
    std::string whyNotLocal_; ///< as it was said
};

} // namespace floe::mpm
