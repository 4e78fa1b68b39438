/// The steps of a scene's rigid bodies by another solver (floe/sdk/coupling.h).
#pragma once

#include "bodies/body_field.hpp"
#include "solver.hpp"

#include "floe/sdk/coupling.h"

#include <map>
#include <memory>
#include <span>
#include <vector>

namespace floe::pbd {

/// Bodies as a solver of matter sees them. One thread at a time, apart from distances().
class CoupledStep {
public:
    /// The rigid bodies for a step of `dt` [s] that begins now.
    /// @throws std::invalid_argument  as BodyField
    std::span<const floe_coupling_body> begin(const Scene& scene, const SolverSettings& settings,
                                              double dt, sdk::parallel::Executor& executor);
    /// As floe_coupling_interface::distances.
    void distances(const Scene& scene, std::uint32_t body, std::uint32_t count, const float* x,
                   float* distance, float* normal) const;
    /// Takes the step that begin() prepared, in as many substeps of the solver as needed.
    /// @param longest  of a substep [s]
    /// @throws std::runtime_error  as Solver::step()
    void end(Solver& solver, const World& world, std::span<const floe_coupling_push> pushes,
             double time, double longest, sdk::parallel::Executor& executor);

    double length() const { return dt_; } ///< of the step that begin() prepared [s]

private:
    std::map<const RestBody*, std::shared_ptr<const BodyField>> fields_;
    std::vector<const BodyField*> fieldOf_; ///< of each body
    std::vector<std::uint32_t> number_;     ///< of each body in the scene
    std::vector<floe_coupling_body> bodies_;
    double dt_ = 0;
};

} // namespace floe::pbd
