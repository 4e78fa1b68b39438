#include "coupled_solver.hpp"

#include "matter.hpp"

#include "floe/sdk/parallel/stopwatch.hpp"

#include <algorithm>
#include <cmath>

namespace floe::coupled {

using namespace sdk::grid;
using namespace sdk::world;
using sdk::parallel::Stopwatch;

void CoupledSolver::setSettings(const CoupledSettings& settings)
{
    if (settings.solver != settings_.solver)
        solver_.reset();
    settings_ = settings;
}

double CoupledSolver::topSpeed() const
{
    double top = 0;
    for (std::size_t b = 0; b < fluid_.size(); ++b)
        for (const FluidParticle& p : fluid_[b].particles) {
            const double speed = physics::length(p.v);
            if (!std::isfinite(speed))
                return speed;
            top = std::max(top, speed);
        }
    return top;
}

void CoupledSolver::step(const Surroundings& surroundings, double time, double dt,
                         Executor& executor)
{
    ++statistics_.steps;
    for (const auto& collider : surroundings.colliders)
        collider->moveTo(time, dt);
    scatterAll(surroundings, time, dt, executor);
    {
        const Stopwatch watch(statistics_.assemblySeconds);
        assemble(dt);
    }
    solvePressures(dt, executor);
    correctDensity(executor);
    gatherAll(surroundings, dt, executor);
    lastStep_ = dt;
    for (std::size_t k = 0; k < kUnknowns; ++k)
        statistics_.pressures[k] = system_.rows(static_cast<Unknown>(k)).size();
    statistics_.blocks = fluid_.size();
}

void CoupledSolver::scatterAll(const Surroundings& surroundings, double time, double dt,
                               Executor& executor)
{
    const Stopwatch watch(statistics_.transferSeconds);
    applyForces(fluid_, surroundings, time, dt, executor);
    std::vector<BlockCoordinate> occupied;
    for (std::size_t b = 0; b < fluid_.size(); ++b)
        occupied.push_back(fluid_[b].block);
    lattice_.make(occupied);
    walls_.sample(lattice_, surroundings, settings_.cellSize, executor);
    scatter(fluid_, lattice_, scattered_, executor);
}

/// dt/m of faces. m is what a face's open part holds at the density of its particles, half of that
/// between fluid and air. It is not the sum of its particles: that differs from face to face with
/// their places, and gravity would set water that stands in motion.
std::vector<double> CoupledSolver::mobilities(double dt) const
{
    const double whole = std::pow(settings_.cellSize, 3);
    std::vector<double> mobility(lattice_.faces(), 0.0);
    for (std::size_t b = 0; b < lattice_.size(); ++b)
        for (int c = 0; c < kBlockNodes; ++c)
            for (int axis = 0; axis < 3; ++axis) {
                const std::size_t cell = b * kBlockNodes + static_cast<std::size_t>(c);
                const std::size_t face = Lattice::faceOf(cell, axis);
                if (!(scattered_.mass[face] > 0))
                    continue;
                const std::int64_t below = lattice_.cellAt(
                    b, (c >> 4) - (axis == 0), (c >> 2 & 3) - (axis == 1), (c & 3) - (axis == 2));
                const bool airBelow =
                    below < 0 || scattered_.count[static_cast<std::size_t>(below)] == 0;
                double share = 1;
                if (!walls_.closed(face)) {
                    share = walls_.open(face);
                    if (airBelow != (scattered_.count[cell] == 0))
                        share *= 0.5;
                }
                mobility[face] = dt / (share * whole * scattered_.density[face]);
            }
    return mobility;
}

void CoupledSolver::assemble(double dt)
{
    system_.begin(mobilities(dt));
    velocity_ = scattered_.velocity;
    flux_.clear();
    fluidRows_.add(settings_.cellSize, system_, flux_);
    system_.end();
}

void CoupledSolver::solvePressures(double dt, Executor& executor)
{
    const Stopwatch watch(statistics_.pressureSeconds);
    if (!solver_)
        solver_ = settings_.solver == SolverKind::multigrid  ? makeMultigridSolver()
                  : settings_.solver == SolverKind::diagonal ? makeDiagonalSolver()
                                                             : makeGaussSeidelSolver();
    solver_->prepare(system_, executor);
    const std::vector<double> right = system_.rightSide(velocity_, flux_, {}, executor);
    const double ratio = lastStep_ > 0 ? std::min(dt / lastStep_, 2.0) : 1;
    pressures_ = startOf(system_, settings_.start, last_, before_, ratio, executor);
    const SolveReport report = solver_->solve(right, pressures_, settings_.limits, executor);
    statistics_.iterations += static_cast<std::uint64_t>(report.iterations);
    statistics_.unconverged += !report.converged;
    statistics_.droppedStarts += report.dropped;
    statistics_.firstResidual = std::max(statistics_.firstResidual, report.firstResidual);
    statistics_.residual = std::max(statistics_.residual, report.residual);
    system_.applyPressures(pressures_, velocity_, executor);
    before_ = std::move(last_);
    last_.store(system_, pressures_);
}

/// Moves fluid out of cells that hold too much and into those that hold too little, with the matrix
/// of the pressures.
void CoupledSolver::correctDensity(Executor& executor)
{
    displacement_.assign(velocity_.size(), 0.0);
    if (!(settings_.densityCorrection > 0))
        return;
    const Stopwatch watch(statistics_.correctionSeconds);
    const double whole = std::pow(settings_.cellSize, 3);
    std::vector<double> source(system_.size(), 0.0);
    executor.parallelFor(lattice_.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
            for (int c = 0; c < kBlockNodes; ++c) {
                const std::size_t cell = b * kBlockNodes + static_cast<std::size_t>(c);
                if (!fluidRows_.isFluid(static_cast<std::int64_t>(cell)))
                    continue;
                const double room = fluidRows_.roomOf(b, c);
                const double volume = scattered_.volume[cell];
                double excess = std::clamp(volume / (room * whole) - 1, -0.5, 0.5);
                if (excess < 0 && fluidRows_.atSurface(b, c))
                    excess = 0; // half of what it averages over is air
                source[fluidRows_.rowOf(cell)] =
                    settings_.densityCorrection * excess * room * whole;
            }
    });
    std::vector<double> x(system_.size(), 0.0);
    SolveLimits limits = settings_.limits;
    limits.tolerance = std::max(limits.tolerance, 1e-2);
    statistics_.correctionIterations +=
        static_cast<std::uint64_t>(solver_->solve(source, x, limits, executor).iterations);
    system_.applyPressures(x, displacement_, executor);
}

void CoupledSolver::gatherAll(const Surroundings& surroundings, double dt, Executor& executor)
{
    const Stopwatch watch(statistics_.transferSeconds);
    fluidRows_.extendIntoWalls(velocity_, true);
    fluidRows_.extendIntoWalls(displacement_, false);
    gather(fluid_, lattice_, velocity_, displacement_, static_cast<float>(0.5 * settings_.cellSize),
           dt, executor);
    const Removed removed = collide(fluid_, surroundings, dt, executor);
    statistics_.leftDomain += removed.leftDomain;
    statistics_.deletedByCollider += removed.deletedByCollider;
    fluid_.rebin();
}

double CoupledSolver::largestDivergence() const
{
    double most = 0;
    const auto [first, last] = system_.rows(Unknown::fluidPressure);
    for (std::size_t row = first; row < last; ++row)
        most = std::max(most,
                        std::abs(system_.constraints().times(row, velocity_.data()) - flux_[row]));
    return most / std::pow(settings_.cellSize, 3);
}

double longestStep(const CoupledSolver& solver, const Surroundings& surroundings, double cells)
{
    double top = solver.topSpeed();
    for (const auto& collider : surroundings.colliders)
        if (std::isfinite(collider->topSpeed()))
            top = std::max(top, collider->topSpeed());
    const double way = cells * solver.fluid().cellSize();
    const double g = physics::length(surroundings.gravity);
    // top dt + g dt^2 = way
    return 2 * way / (top + std::sqrt(top * top + 4 * g * way) + 1e-30);
}

} // namespace floe::coupled
