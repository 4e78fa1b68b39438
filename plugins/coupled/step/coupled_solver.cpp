#include "coupled_solver.hpp"

#include "matter.hpp"
#include "solid/push_out.hpp"
#include "solid/solid_rows.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/parallel/stopwatch.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace floe::coupled {

using namespace sdk::grid;
using namespace sdk::world;
using sdk::parallel::Stopwatch;

namespace {

/// Adds the processor time from its construction to its end, of all threads of the process.
class ProcessorWatch {
public:
    explicit ProcessorWatch(double& seconds) : seconds_(seconds) {}
    ProcessorWatch(const ProcessorWatch&) = delete;
    ProcessorWatch& operator=(const ProcessorWatch&) = delete;
    ~ProcessorWatch()
    {
        seconds_ += static_cast<double>(std::clock() - start_) / double{CLOCKS_PER_SEC};
    }

private:
    double& seconds_;
    std::clock_t start_ = std::clock();
};

template <class Matter>
double topSpeedOf(const Matter& matter)
{
    double top = 0;
    for (std::size_t b = 0; b < matter.size(); ++b)
        for (const auto& p : matter[b].particles) {
            const double speed = physics::length(p.v);
            if (!std::isfinite(speed))
                return speed;
            top = std::max(top, speed);
        }
    return top;
}

/// A request and what it refers to. Each wall pressure is alone on its face, so that the others
/// decide it: in the request's start, and along the way to a guess, they do.
struct ModelRequest {
    floe_pressure_request request{};
    std::vector<double> diagonal, residual, start;
    std::vector<std::int32_t> cell;
    std::vector<std::uint8_t> axis;
    std::vector<floe_pressure_field> fields;
    double norm = 0; ///< 2-norm of the residual of the solve's own start

    void fill(const PressureSystem& system, const std::vector<double>& right,
              const std::vector<double>& x, const std::vector<PressureField>& past,
              Executor& executor)
    {
        const std::size_t rows = system.size();
        start = x;
        diagonal = system.wholeDiagonal();
        const auto findResidual = [&] {
            residual.resize(rows);
            system.multiply(start, residual, executor);
            for (std::size_t row = 0; row < rows; ++row)
                residual[row] = right[row] - residual[row];
        };
        findResidual();
        norm = std::sqrt(dot(residual, residual, executor));
        const auto walls = system.rows(Unknown::wallPressure);
        for (std::size_t row = walls.first; row < walls.last; ++row)
            start[row] += residual[row] / diagonal[row];
        findResidual();
        for (std::size_t row = 0; row < rows; ++row) {
            for (const std::int32_t at : system.cell(row))
                cell.push_back(at);
            axis.push_back(static_cast<std::uint8_t>(system.axis(row)));
        }
        for (const PressureField& field : past)
            fields.push_back({static_cast<std::uint32_t>(field.blocks().size()),
                              field.blocks().empty() ? nullptr : field.blocks()[0].data(),
                              field.values().data()});
        request.struct_size = sizeof request;
        request.rows = static_cast<std::uint32_t>(rows);
        for (std::size_t k = 0; k < kUnknowns; ++k)
            request.first[k] =
                static_cast<std::uint32_t>(system.rows(static_cast<Unknown>(k)).first);
        request.first[kUnknowns] = request.rows;
        request.past_count = static_cast<std::uint32_t>(fields.size());
        request.cell = cell.data();
        request.axis = axis.data();
        request.right = right.data();
        request.diagonal = diagonal.data();
        request.start = start.data();
        request.residual = residual.data();
        request.past = fields.data();
    }
};

} // namespace

void CoupledSolver::setSettings(const CoupledSettings& settings)
{
    if (settings.solver != settings_.solver)
        solver_.reset();
    settings_ = settings;
}

double CoupledSolver::topSpeed() const
{
    const double fluid = topSpeedOf(fluid_), solid = topSpeedOf(solid_);
    return std::isfinite(fluid) && fluid < solid ? solid : fluid;
}

double CoupledSolver::shearSpeed() const
{
    double top = 0; // squared
    for (std::size_t b = 0; b < solid_.size(); ++b)
        for (const SolidParticle& p : solid_[b].particles)
            top = std::max<double>(top, materials_[p.material].mu * p.volume / p.mass);
    return std::sqrt(top);
}

void CoupledSolver::step(const Surroundings& surroundings, double time, double dt,
                         Executor& executor)
{
    const ProcessorWatch processors(statistics_.processorSeconds);
    ++statistics_.steps;
    for (const auto& collider : surroundings.colliders)
        collider->moveTo(time, dt);
    scatterAll(surroundings, time, dt, executor);
    if (solid_.size() > 0)
        touchWalls(surroundings, true, executor);
    {
        const Stopwatch watch(statistics_.assemblySeconds);
        assemble(dt);
    }
    velocity_ = scattered_.velocity;
    if (solid_.size() > 0)
        deformSolids(surroundings, dt, executor);
    solvePressures(time, dt, executor);
    correctDensity(executor);
    gatherAll(surroundings, dt, executor);
    lastStep_ = dt;
    ++stepNumber_;
    for (std::size_t k = 0; k < kUnknowns; ++k)
        statistics_.pressures[k] = system_.rows(static_cast<Unknown>(k)).size();
    statistics_.blocks = fluid_.size() + solid_.size();
}

void CoupledSolver::scatterAll(const Surroundings& surroundings, double time, double dt,
                               Executor& executor)
{
    const Stopwatch watch(statistics_.transferSeconds);
    applyForces(fluid_, surroundings, time, dt, executor);
    applyForces(solid_, surroundings, time, dt, executor);
    std::vector<BlockCoordinate> occupied;
    for (std::size_t b = 0; b < fluid_.size(); ++b)
        occupied.push_back(fluid_[b].block);
    for (std::size_t b = 0; b < solid_.size(); ++b)
        occupied.push_back(solid_[b].block);
    lattice_.make(occupied);
    walls_.sample(lattice_, surroundings, settings_.cellSize, executor);
    scatter(fluid_, lattice_, scattered_, executor);
    nodes_ = {};
    if (solid_.size() > 0)
        scatter(solid_, lattice_, nodes_, executor);
    fluidRows_.find();
}

/// Applies the contact of walls and colliders to solid nodes.
/// @param find  note the components that it holds, which neither stress nor pressures move: those
///              that it changes now, and those that it lets go neither way
void CoupledSolver::touchWalls(const Surroundings& surroundings, bool find, Executor& executor)
{
    if (find)
        held_.assign(lattice_.faces(), 0);
    const double cell = settings_.cellSize, edge = kBlockEdge * cell;
    const Domain& domain = surroundings.domain;
    executor.parallelFor(lattice_.size(), 8, [&](std::size_t begin, std::size_t end) {
        PointBatch batch;
        ColliderSample sample;
        for (std::size_t b = begin; b < end; ++b) {
            if (!walls_.near(b))
                continue;
            const BlockCoordinate& block = lattice_.block(b);
            batch.corner = {block[0] * edge, block[1] * edge, block[2] * edge};
            batch.count = kBlockNodes;
            const auto componentOf = [&](int axis, int c) {
                return (3 * b + static_cast<std::size_t>(axis)) * kBlockNodes +
                       static_cast<std::size_t>(c);
            };
            for (int c = 0; c < kBlockNodes; ++c) {
                const int at[3] = {c >> 4, c >> 2 & 3, c & 3};
                batch.mass[c] = nodes_.mass[b * kBlockNodes + static_cast<std::size_t>(c)];
                for (int axis = 0; axis < 3; ++axis) {
                    batch.x[axis][c] = static_cast<float>((at[axis] + 0.5) * cell);
                    batch.v[axis][c] = static_cast<float>(nodes_.velocity[componentOf(axis, c)]);
                }
            }
            const Vec3d center = batch.corner + Vec3d{0.5 * edge, 0.5 * edge, 0.5 * edge};
            const auto touch = [&](PointBatch& nodes) {
                for (const auto& collider : surroundings.colliders)
                    if (collider->mayTouch(center, 0.87 * edge + cell)) {
                        domain.sampleWithin(*collider, nodes, cell, sample);
                        applyContact(sample, collider->contact, collider->friction, nodes);
                    }
                domain.applyWalls(nodes);
            };
            const auto moved = [&](float by) {
                PointBatch nodes = batch;
                for (int axis = 0; axis < 3; ++axis)
                    for (int c = 0; c < kBlockNodes; ++c)
                        nodes.v[axis][c] += by;
                return nodes;
            };
            PointBatch now = batch, up = moved(1), down = moved(-1);
            const PointBatch upBefore = up, downBefore = down;
            touch(now);
            if (find) {
                touch(up);
                touch(down);
            }
            for (int axis = 0; axis < 3; ++axis)
                for (int c = 0; c < kBlockNodes; ++c) {
                    if (!(batch.mass[c] > 0))
                        continue;
                    const bool changed = now.v[axis][c] != batch.v[axis][c];
                    if (changed)
                        nodes_.velocity[componentOf(axis, c)] = now.v[axis][c];
                    if (changed || (up.v[axis][c] != upBefore.v[axis][c] &&
                                    down.v[axis][c] != downBefore.v[axis][c]))
                        held_[componentOf(axis, c)] = 1;
                }
        }
    });
}

/// dt/m of faces and then of the nodes of solids. m of a face is what its open part holds at the
/// density of its particles, half of that between fluid and air. It is not the sum of its
/// particles: that differs from face to face with their places, and gravity would set water that
/// stands in motion.
std::vector<double> CoupledSolver::mobilities(double dt) const
{
    const double whole = std::pow(settings_.cellSize, 3);
    const std::size_t faces = lattice_.faces();
    std::vector<double> mobility(solid_.size() > 0 ? 2 * faces : faces, 0.0);
    const auto isAir = [&](std::int64_t cell) {
        return cell < 0 ||
               (scattered_.count[static_cast<std::size_t>(cell)] == 0 && !fluidRows_.isFluid(cell));
    };
    for (std::size_t b = 0; b < lattice_.size(); ++b)
        for (int c = 0; c < kBlockNodes; ++c)
            for (int axis = 0; axis < 3; ++axis) {
                const std::size_t cell = b * kBlockNodes + static_cast<std::size_t>(c);
                const std::size_t face = Lattice::faceOf(cell, axis);
                if (!(scattered_.mass[face] > 0))
                    continue;
                const std::int64_t below = lattice_.cellAt(
                    b, (c >> 4) - (axis == 0), (c >> 2 & 3) - (axis == 1), (c & 3) - (axis == 2));
                double share = 1;
                if (!walls_.closed(face)) {
                    share = fluidRows_.open(face);
                    if (isAir(below) != isAir(static_cast<std::int64_t>(cell)))
                        share *= 0.5;
                }
                if (share > 0)
                    mobility[face] = dt / (share * whole * scattered_.density[face]);
            }
    for (std::size_t i = 0; faces + i < mobility.size(); ++i) {
        const float mass = nodes_.mass[i / (3 * kBlockNodes) * kBlockNodes + i % kBlockNodes];
        if (mass > 0 && !held_[i])
            mobility[faces + i] = dt / mass;
    }
    return mobility;
}

void CoupledSolver::assemble(double dt)
{
    system_.begin(mobilities(dt));
    flux_.clear();
    lastSolid_.clear();
    if (solid_.size() > 0) {
        addSolidRows(solid_, materials_, lattice_, dt, system_, lastSolid_);
        flux_.assign(system_.size(), 0.0);
    }
    fluidRows_.add(settings_.cellSize, system_, flux_);
    flux_.resize(system_.size(), 0.0);
    lastSolid_.resize(system_.size(), 0.0);
    system_.end();
}

/// Appends the velocities of solids, changed by their stress, to those of the fluid.
void CoupledSolver::deformSolids(const Surroundings& surroundings, double dt, Executor& executor)
{
    const Stopwatch watch(statistics_.elasticSeconds);
    const std::size_t faces = lattice_.faces();
    // That of the fluid is not in it: a push of the last step, on solids lighter than the fluid
    // that they move, would swing them ever more.
    std::vector<double> push(faces);
    for (std::size_t i = 0; i < faces; ++i)
        push[i] = -system_.transpose().times(faces + i, lastSolid_.data());
    statistics_.elasticIterations += static_cast<std::uint64_t>(
        applyElasticity(solid_, materials_, lattice_, held_, push, nodes_, dt, executor)
            .iterations);
    touchWalls(surroundings, false, executor);
    velocity_.resize(2 * faces);
    for (std::size_t i = 0; i < faces; ++i) // the pressures of the system replace the last ones
        velocity_[faces + i] = nodes_.velocity[i] - system_.mobility()[faces + i] * push[i];
}

void CoupledSolver::solvePressures(double time, double dt, Executor& executor)
{
    const Stopwatch watch(statistics_.pressureSeconds);
    const ProcessorWatch processors(statistics_.pressureProcessorSeconds);
    if (!solver_)
        solver_ = settings_.solver == SolverKind::multigrid  ? makeMultigridSolver()
                  : settings_.solver == SolverKind::diagonal ? makeDiagonalSolver()
                                                             : makeGaussSeidelSolver();
    {
        const Stopwatch setup(statistics_.setupSeconds);
        const ProcessorWatch setupProcessors(statistics_.setupProcessorSeconds);
        solver_->prepare(system_, executor);
    }
    const std::vector<double> right = system_.rightSide(velocity_, flux_, lastSolid_, executor);
    const double ratio = lastStep_ > 0 ? std::min(dt / lastStep_, 2.0) : 1;
    const PressureField none;
    pressures_ = startOf(system_, settings_.start, past_.empty() ? none : past_[0],
                         past_.size() < 2 ? none : past_[1], ratio, executor);
    ModelRequest asked;
    std::size_t memory = 2; // what extrapolation needs
    if (!models_.empty()) {
        for (const PressureModel& model : models_)
            memory = std::max<std::size_t>(memory, model.table->past);
        asked.fill(system_, right, pressures_, past_, executor);
        asked.request.cell_size = settings_.cellSize;
        asked.request.time = time;
        asked.request.dt = dt;
        asked.request.step = stepNumber_;
        if (context_)
            asked.request.frame = context_->frame;
        askModels(asked.request, asked.residual, asked.norm, std::sqrt(dot(right, right, executor)),
                  executor);
    }
    const SolveReport report = solver_->solve(right, pressures_, settings_.limits, executor);
    statistics_.iterations += static_cast<std::uint64_t>(report.iterations);
    statistics_.unconverged += !report.converged;
    statistics_.droppedStarts += report.dropped;
    statistics_.firstResidual = std::max(statistics_.firstResidual, report.firstResidual);
    statistics_.residual = std::max(statistics_.residual, report.residual);
    for (const PressureModel& model : models_)
        if (FLOE_HAS(model.table, solved) && model.table->solved)
            sdk::Context::require(
                model.table->solved(model.self, context_, &asked.request, pressures_.data()));
    system_.applyPressures(pressures_, velocity_, executor);
    past_.insert(past_.begin(), PressureField());
    past_[0].store(system_, pressures_);
    past_.resize(std::min(past_.size(), std::min<std::size_t>(memory, FLOE_PRESSURE_MAX_PAST)));
}

/// Replaces the start by the best of what models guess, if its residual is smaller. From a guess
/// only the direction d is taken, as far as the energy of the error falls: x + a d with
/// a = d r / d A d.
/// @param norm   2-norm of the residual of the solve's own start
/// @param scale  2-norm of the right side
void CoupledSolver::askModels(const floe_pressure_request& request,
                              const std::vector<double>& residual, double norm, double scale,
                              Executor& executor)
{
    const Stopwatch watch(statistics_.guessSeconds);
    const ProcessorWatch processors(statistics_.guessProcessorSeconds);
    const auto walls = system_.rows(Unknown::wallPressure);
    std::vector<double> direction, product(residual.size()), left(residual.size());
    for (const PressureModel& model : models_) {
        if (!FLOE_HAS(model.table, guess) || !model.table->guess ||
            request.past_count < model.table->past || !(norm > 0) || !(scale > 0))
            continue;
        direction.assign(request.start, request.start + request.rows);
        sdk::Context::require(model.table->guess(model.self, context_, &request, direction.data()));
        for (std::size_t row = 0; row < direction.size(); ++row)
            direction[row] =
                row >= walls.first && row < walls.last ? 0 : direction[row] - request.start[row];
        system_.multiply(direction, product, executor);
        for (std::size_t row = walls.first; row < walls.last; ++row)
            direction[row] = -product[row] / request.diagonal[row];
        system_.multiply(direction, product, executor);
        const double curvature = dot(direction, product, executor);
        const double length = dot(direction, residual, executor) / curvature;
        for (std::size_t row = 0; row < left.size(); ++row)
            left[row] = residual[row] - length * product[row];
        const double then = std::sqrt(dot(left, left, executor));
        ++statistics_.guesses;
        statistics_.startResidual += norm / scale;
        if (curvature > 0 && then < norm) { // not for what is not a number
            for (std::size_t row = 0; row < left.size(); ++row)
                pressures_[row] = request.start[row] + length * direction[row];
            norm = then;
        } else {
            ++statistics_.droppedGuesses;
        }
        statistics_.guessResidual += norm / scale;
    }
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
                double volume = scattered_.volume[cell];
                if (solid_.size() > 0)
                    volume += nodes_.volume[cell];
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
    if (solid_.size() > 0) {
        std::copy(velocity_.begin() + static_cast<std::ptrdiff_t>(lattice_.faces()),
                  velocity_.end(), nodes_.velocity.begin());
        touchWalls(surroundings, false, executor);
        gather(solid_, lattice_, nodes_.velocity, dt, executor);
    }
    fluidRows_.extend(velocity_, true);
    fluidRows_.extend(displacement_, false);
    gather(fluid_, lattice_, velocity_, displacement_, static_cast<float>(0.5 * settings_.cellSize),
           dt, executor);
    if (solid_.size() > 0)
        pushOut(fluid_, lattice_, nodes_.volume, executor);
    const Removed fluid = collide(fluid_, surroundings, dt, executor);
    const Removed solid = collide(solid_, surroundings, dt, executor);
    statistics_.leftDomain += fluid.leftDomain + solid.leftDomain;
    statistics_.deletedByCollider += fluid.deletedByCollider + solid.deletedByCollider;
    fluid_.rebin();
    solid_.rebin();
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
    const double cell = solver.fluid().cellSize(), shear = solver.shearSpeed();
    const double way = cell * (solver.solid().size() > 0 ? std::min(cells, 0.5) : cells);
    const double g = physics::length(surroundings.gravity);
    // top dt + g dt^2 = way
    const double step = 2 * way / (top + std::sqrt(top * top + 4 * g * way) + 1e-30);
    return shear > 0 && !std::isnan(step) ? std::min(step, cell / shear) : step;
}

} // namespace floe::coupled
