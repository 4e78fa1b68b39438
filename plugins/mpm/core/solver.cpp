#include "activation.hpp"
#include "implicit.hpp"
#include "stepping.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace floe::mpm {

namespace {

bool positive(double a)
{
    return std::isfinite(a) && a > 0;
}

} // namespace

Solver::Solver(const SolverSettings& settings, Executor& executor, MemorySource& memory)
    : executor_(&executor), kernels_(&chooseKernels()), pool_(memory),
      frozenPool_(kFloatsOf<Frozen>, memory), contactPool_(kFloatsOf<ColliderSample>, memory),
      arenas_(memory), nodes_(memory), keptNodes_(memory), before_(memory)
{
    settings_.cellSize = settings.cellSize;
    setSettings(settings);
}

void Solver::setSettings(const SolverSettings& s)
{
    if (!positive(s.cellSize) || !positive(s.advectionLimit) || s.advectionLimit > 1 ||
        !positive(s.materialLimit) || s.materialLimit > 1 || !positive(s.longestStep) ||
        !positive(s.shortestStep) || !positive(s.guardMemory) ||
        !std::isfinite(s.gravity.x + s.gravity.y + s.gravity.z) || !(s.flip >= 0 && s.flip <= 1) ||
        !(s.implicitReach >= 1) || !positive(s.solveTolerance) || s.solveTolerance >= 1 ||
        s.solveIterations < 1)
        throw std::invalid_argument(
            "the solver's cell size, gravity, FLIP share or step limits are out of range");
    if (counts_.alive > 0 && (s.cellSize != settings_.cellSize || s.spline != settings_.spline))
        throw std::invalid_argument(
            "the cell size and the splines cannot change while there are particles");
    if (s.transfer != settings_.transfer || s.integrator != settings_.integrator)
        scatteredStep_ = 0;
    if (!dropsAffine(s))
        keepAffine();
    settings_ = s;
}

void Solver::setMaterials(std::vector<SolverMaterial> materials)
{
    if (materials.size() < materials_.size() || materials.size() > 65535)
        throw std::invalid_argument("materials cannot be taken away from a running solver");
    for (std::size_t i = 0; i < materials.size(); ++i) {
        if (!positive(materials[i].law.density))
            throw std::invalid_argument("material '" + materials[i].name +
                                        "': density must be above zero");
        if (i < materials_.size() && (materials[i].law.kind != materials_[i].law.kind ||
                                      !materials[i].custom != !materials_[i].custom))
            throw std::invalid_argument("material '" + materials[i].name +
                                        "': the law cannot change while there are particles");
    }
    materials_ = std::move(materials);
    liquids_ = std::any_of(materials_.begin(), materials_.end(),
                           [](const SolverMaterial& m) { return !m.custom && m.law.isLiquid(); });
    scatteredStep_ = 0;
    forgetFrozen();
    kernelMaterials_.resize(materials_.size());
    materialSound_.resize(materials_.size());
    for (std::size_t i = 0; i < materials_.size(); ++i) {
        SolverMaterial& m = materials_[i];
        std::memcpy(kernelMaterials_[i].law, &m.law, sizeof m.law);
        kernelMaterials_[i].custom = m.custom.get();
        if (!m.custom)
            m.initialState[0] =
                physics::visitLaw(m.law, [](const auto& law) { return law.initialState(); });
        // A first guess of the time step; the first scatter measures.
        const double speed = materialSound_[i] = soundSpeed(m);
        if (speed > signalSpeed_ && counts_.emitted == 0) {
            signalSpeed_ = speed;
            signalMaterial_ = static_cast<std::uint32_t>(i);
        }
    }
}

void Solver::setColliders(std::vector<std::shared_ptr<Collider>> colliders)
{
    colliders_ = std::move(colliders);
    collidersFree_ = 0;
}

Layout Solver::layoutOf(std::uint16_t material, float stiffness) const
{
    const SolverMaterial& m = materials_[material];
    if (m.custom || !m.law.isLiquid())
        return m.custom ? Layout::custom : Layout::solid;
    return stiffness == 1 && dropsAffine(settings_) ? Layout::liquid : Layout::fullLiquid;
}

const float* Solver::initialStateOf(std::uint16_t material) const
{
    return materials_[material].initialState;
}

Vec3d Solver::cornerOf(const Block& block) const
{
    const double edge = settings_.cellSize * kBlockEdge;
    return {block.coordinate[0] * edge, block.coordinate[1] * edge, block.coordinate[2] * edge};
}

/// A tenth below what the last step allows, so that steps are seldom redone.
/// @param component  largest velocity component of any particle [m/s]
double Solver::chooseStep(double longest, double component) const
{
    const double h = settings_.cellSize;
    double dt = longest;
    component += physics::length(settings_.gravity) * lastStep_;
    if (component > 0)
        dt = std::min(dt, 0.9 * advectionLimit() * h / component);
    const double reach =
        settings_.integrator == Integrator::semiImplicit ? settings_.implicitReach : 1;
    if (signalSpeed_ > 0)
        dt = std::min(dt, 0.95 * reach * settings_.materialLimit * h / signalSpeed_);
    // Nothing may lose more than half of its length in one step.
    if (topGradient_ > 0)
        dt = std::min(dt, 0.5 / topGradient_);
    return dividing(longest, dt);
}

double Solver::advance(double longest)
{
    if (!positive(longest))
        throw std::invalid_argument("a step must be longer than zero");
    const double h = settings_.cellSize;
    const double whole = longest;
    longest = std::min(longest, settings_.longestStep);
    if (counts_.alive == 0) {
        time_ += longest;
        ++statistics_.steps;
        return longest;
    }
    if (settings_.integrator == Integrator::semiImplicit)
        return advanceImplicit(longest);
    if (needsRegroup_)
        regroup();

    longest = wakeBeforeColliders(longest);
    // Rounding of the caller's clock must not cost a second scatter.
    double dt = std::min(scatteredStep_, longest);
    if (dt > 0 && dt >= scatteredStep_ * (1 - 1e-9) && !listsStale_) {
        scatteredStep_ = dt;
    } else {
        scatteredStep_ = 0;
        dt = chooseStep(longest, topComponent_);
        // Better now than after a scatter in vain.
        if (drift_ + (topComponent_ + physics::length(settings_.gravity) * dt) * dt / h >
            mostDrift())
            regroup();
    }
    for (;;) {
        if (!(dt >= settings_.shortestStep) && dt < longest)
            failStep(dt, std::max(topComponent_, gridComponent_) / advectionLimit() >
                             signalSpeed_ / settings_.materialLimit);
        if (listsStale_)
            rebuildLists();
        if (scatteredStep_ != dt)
            scatter(dt);
        scatteredStep_ = 0;
        if (brokeMaterialLimit(longest, dt))
            continue;
        updateGrid(dt);
        if (!gridFinite_)
            failNotANumber();
        guard(dt);
        if (brokeMaterialLimit(longest, dt))
            continue;
        if (gridComponent_ * dt > advectionLimit() * h) {
            ++statistics_.redone;
            dt = std::min(0.5 * dt, 0.9 * advectionLimit() * h / gridComponent_);
            dt = dividing(longest, dt);
            continue;
        }
        if (drift_ + gridComponent_ * dt / h > mostDrift()) {
            regroup();
            continue;
        }
        break;
    }

    // What may follow at once: the scatter of the next step, unless something comes between.
    lastStep_ = dt;
    double next = 0;
    bool regroupNext = false;
    if (whole - dt > 1e-9 * whole) {
        next = chooseStep(std::min(whole - dt, settings_.longestStep), gridComponent_);
        if (next < settings_.shortestStep)
            next = 0;
        if (drift_ + gridComponent_ * (dt + next) / h > mostDrift()) {
            next = 0;
            regroupNext = true;
        }
    }
    if (regroupNext) {
        gatherRegrouping(dt, whole - dt);
    } else {
        gather(dt, next);
        finishStep(dt);
    }
    return dt;
}

/// The last gather before particles change their blocks, and the first scatter after it. They leave
/// and arrive while their blocks are in the cache anyhow.
/// @param rest  what is left of the caller's time [s]
void Solver::gatherRegrouping(double dt, double rest)
{
    std::vector<Outbox> outboxes = openOutboxes();
    gather(dt, 0, &outboxes);
    finishStep(dt);
    {
        Stopwatch watch(statistics_.regroupSeconds);
        expectArrivals(outboxes);
    }
    const double next = std::max(chooseStep(std::min(rest, settings_.longestStep), topComponent_),
                                 settings_.shortestStep);
    scatter(next, outboxes);
    scatteredStep_ = next;
    closeOutboxes();
}

/// What follows the gather: the clock, and the numbers for people.
void Solver::finishStep(double dt)
{
    drift_ += topComponent_ * dt / settings_.cellSize;
    time_ += dt;

    if (statistics_.steps == 0)
        statistics_.shortest = statistics_.longest = dt;
    ++statistics_.steps;
    statistics_.shortest = std::min(statistics_.shortest, dt);
    statistics_.longest = std::max(statistics_.longest, dt);
    statistics_.topSpeed = topSpeed_;
}

/// Shortens a step in which the fastest wave would run too far. @return whether it did
bool Solver::brokeMaterialLimit(double longest, double& dt)
{
    if (!(signalSpeed_ * dt > settings_.materialLimit * settings_.cellSize))
        return false;
    ++statistics_.redone;
    if (!std::isfinite(signalSpeed_))
        failNotANumber();
    dt = dividing(longest, 0.95 * settings_.materialLimit * settings_.cellSize / signalSpeed_);
    return true;
}

void Solver::failNotANumber() const
{
    for (const Block& block : blocks_)
        for (const BinRef& bin : block.bins)
            for (int lane = 0; lane < bin.count; ++lane)
                for (int r = 0; r < rowsOf(bin.layout); ++r)
                    if (r != row::id && !std::isfinite(bin.rowAt(r)[lane]))
                        throw Diverged("material '" + materials_[bin.material].name +
                                       "' produced a value that is not a number at " +
                                       number(time_) +
                                       " s; lower the solver's material limit or its stiffness");
    const std::string name =
        signalMaterial_ < materials_.size() ? materials_[signalMaterial_].name : "";
    throw Diverged("velocities became infinite at " + number(time_) + " s (stiffest material: '" +
                   name + "'); lower the solver's material limit or the stiffness");
}

void Solver::failStep(double dt, bool bySpeed) const
{
    if (!bySpeed) {
        throw Diverged(
            "material '" + materials_[signalMaterial_].name + "' needs a time step of " +
            number(dt) + " s at " + number(time_) + " s (its waves run at " + number(signalSpeed_) +
            " m/s); lower its stiffness or hardening, raise its density, or use larger cells");
    }
    float fastest = -1;
    std::uint16_t material = 0;
    for (const Block& block : blocks_)
        for (const BinRef& bin : block.bins)
            for (int lane = 0; lane < bin.count; ++lane) {
                float speed2 = 0;
                for (int axis = 0; axis < 3; ++axis)
                    speed2 += bin.rowAt(row::v + axis)[lane] * bin.rowAt(row::v + axis)[lane];
                if (speed2 > fastest) {
                    fastest = speed2;
                    material = bin.material;
                }
            }
    throw Diverged("material '" + materials_[material].name + "' reached an absurd speed of " +
                   number(std::max(gridComponent_, std::sqrt(static_cast<double>(fastest)))) +
                   " m/s at " + number(time_) +
                   " s; lower the initial speed, the stiffness or the solver's material limit");
}

StepStatistics Solver::takeStatistics()
{
    const StepStatistics taken = statistics_;
    statistics_ = {};
    statistics_.topSpeed = topSpeed_;
    return taken;
}

} // namespace floe::mpm
