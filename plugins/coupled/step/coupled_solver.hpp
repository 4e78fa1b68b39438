/// Incompressible fluid and elastic solids as one system: one step.
#pragma once

#include "fluid/fluid.hpp"
#include "fluid/fluid_rows.hpp"
#include "fluid/lattice.hpp"
#include "fluid/transfer.hpp"
#include "fluid/walls.hpp"
#include "model/pressure_interface.h"
#include "solid/solid_grid.hpp"
#include "system/linear_solver.hpp"
#include "system/pressure_field.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace floe::coupled {

enum class SolverKind { multigrid, diagonal, gaussSeidel };

struct CoupledSettings {
    double cellSize = 0.05; ///< [m]
    SolverKind solver = SolverKind::multigrid;
    StartVector start = StartVector::last;
    SolveLimits limits;
    /// Share of the deviation from the density at rest that a step removes by moving particles of
    /// the fluid (Kugelstadt et al. 2019); 0: none.
    double densityCorrection = 0.5;
};

/// Sums over steps.
struct CoupledStatistics {
    std::uint64_t steps = 0, iterations = 0, correctionIterations = 0, elasticIterations = 0,
                  unconverged = 0;
    std::uint64_t droppedStarts = 0; ///< start vectors that were worse than none
    /// Of models, and how many of these had no smaller residual than the start without them.
    std::uint64_t guesses = 0, droppedGuesses = 0;
    double startResidual = 0, guessResidual = 0; ///< sums over guesses: before, and of what is used
    double setupSeconds = 0, guessSeconds = 0;   ///< parts of pressureSeconds
    /// Of all threads, without the time that they wait for a processor: of steps, and of parts.
    double processorSeconds = 0, pressureProcessorSeconds = 0, setupProcessorSeconds = 0,
           guessProcessorSeconds = 0;
    double firstResidual = 0, residual = 0; ///< of pressure, largest
    double transferSeconds = 0, elasticSeconds = 0, assemblySeconds = 0, pressureSeconds = 0,
           correctionSeconds = 0;
    std::size_t pressures[kUnknowns] = {}, blocks = 0; ///< of the last step, by kind
    std::uint64_t leftDomain = 0, deletedByCollider = 0;
};

/// Guesses the pressures of a step, or learns what they are (pressure_interface.h).
struct PressureModel {
    const floe_pressure_interface* table = nullptr;
    void* self = nullptr;
};

/// Particles in cells of one size. A step: forces; particles to faces (fluid) and nodes (solids);
/// the stress of solids; pressures that remove the divergence of every fluid cell, push the solids
/// in it and resist their compression, with those of the free surface at 0 and walls impenetrable;
/// back to particles, which move. Results do not depend on the number of threads.
class CoupledSolver {
public:
    explicit CoupledSolver(const CoupledSettings& settings)
        : settings_(settings), fluid_(settings.cellSize), solid_(settings.cellSize)
    {}
    CoupledSolver(const CoupledSolver&) = delete;
    CoupledSolver& operator=(const CoupledSolver&) = delete;

    /// @param settings  with the same cell size
    void setSettings(const CoupledSettings& settings);
    /// Sets the laws that solid particles refer to.
    void setMaterials(std::vector<SolidMaterial> materials) { materials_ = std::move(materials); }
    /// Sets the models of the coming steps, and the call of the node in which they are asked.
    void setModels(std::vector<PressureModel> models, const floe_context* context)
    {
        models_ = std::move(models);
        context_ = context;
    }
    Fluid& fluid() { return fluid_; }
    const Fluid& fluid() const { return fluid_; }
    Solid& solid() { return solid_; }
    const Solid& solid() const { return solid_; }
    /// Returns the largest speed of a particle [m/s]; infinity or not a number after a fault.
    double topSpeed() const;

    /// Returns the speed of the fastest shear waves of a solid [m/s]; 0: no solids.
    double shearSpeed() const;

    /// @throws sdk::Failure  a model failed
    void step(const Surroundings& surroundings, double time, double dt, Executor& executor);

    /// Returns the sums since the last call.
    CoupledStatistics takeStatistics() { return std::exchange(statistics_, {}); }

    // Of the last step, for tests and statistics.
    const PressureSystem& system() const { return system_; }
    const std::vector<double>& pressures() const { return pressures_; } ///< [Pa], by row
    /// Returns the largest divergence of a fluid cell [1/s], walls included.
    double largestDivergence() const;

    template <class Writer>
    void save(Writer& writer) const
    {
        writer.value(lastStep_);
        writer.value(stepNumber_);
        fluid_.save(writer);
        solid_.save(writer);
        writer.value(static_cast<std::uint64_t>(past_.size()));
        for (const PressureField& field : past_)
            field.save(writer);
    }
    /// @return false: what was saved is damaged
    template <class Reader>
    bool load(Reader& reader)
    {
        lastStep_ = reader.template value<double>();
        stepNumber_ = reader.template value<std::uint64_t>();
        fluid_ = Fluid::load(reader);
        solid_ = Solid::load(reader);
        const auto kept = reader.template value<std::uint64_t>();
        if (kept > FLOE_PRESSURE_MAX_PAST)
            return false;
        past_.assign(kept, {});
        for (PressureField& field : past_)
            if (!field.load(reader))
                return false;
        return solid_.cellSize() == fluid_.cellSize();
    }

private:
    void scatterAll(const Surroundings& surroundings, double time, double dt, Executor& executor);
    void touchWalls(const Surroundings& surroundings, bool find, Executor& executor);
    std::vector<double> mobilities(double dt) const;
    void assemble(double dt);
    void deformSolids(const Surroundings& surroundings, double dt, Executor& executor);
    void solvePressures(double time, double dt, Executor& executor);
    void askModels(const floe_pressure_request& request, const std::vector<double>& residual,
                   double norm, double scale, Executor& executor);
    void correctDensity(Executor& executor);
    void gatherAll(const Surroundings& surroundings, double dt, Executor& executor);

    CoupledSettings settings_;
    Fluid fluid_;
    Solid solid_;
    std::vector<SolidMaterial> materials_;
    Lattice lattice_;
    Walls walls_;
    Scattered scattered_;
    SolidNodes nodes_;
    FluidRows fluidRows_{lattice_, walls_, scattered_, nodes_};
    std::vector<std::uint8_t> held_; ///< components of solid nodes that walls hold
    PressureSystem system_;
    std::unique_ptr<LinearSolver> solver_;
    /// Of fluid faces, then, where there are solids, of their nodes [m/s], [m].
    std::vector<double> velocity_, displacement_;
    std::vector<double> pressures_, flux_, lastSolid_; ///< by row
    std::vector<PressureField> past_;                  ///< of the last steps, newest first
    double lastStep_ = 0;                              ///< [s]
    std::uint64_t stepNumber_ = 0;
    std::vector<PressureModel> models_;
    const floe_context* context_ = nullptr;
    CoupledStatistics statistics_;
};

/// Returns the length of a step in which the fastest particle or collider, in free fall, crosses
/// `cells` cells [s]; not a number after a fault. With solids it is half a cell at most, and one
/// for their shear waves: the push of the fluid meets their stress a step later, and a longer step
/// would crush what hits water.
double longestStep(const CoupledSolver& solver, const Surroundings& surroundings, double cells);

} // namespace floe::coupled
