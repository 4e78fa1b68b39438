#include "stepper.hpp"

#include "liquid_volume.hpp"

#include <floe/sdk/world/coupled_bodies.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace floe::mpm {

namespace {

/// Returns the longest step, at most dt, that divides `whole` evenly.
double dividing(double whole, double dt)
{
    return whole / std::ceil(whole / dt * (1 - 1e-9));
}

void refuse(const std::optional<std::string>& why)
{
    if (why)
        throw std::invalid_argument(*why);
}

} // namespace

Stepper::Stepper(const SolverSettings& settings, std::unique_ptr<Backend> backend,
                 Executor& executor)
    : settings_(settings), backend_(std::move(backend)), executor_(&executor)
{
    setSettings(settings);
}

void Stepper::setSettings(const SolverSettings& settings)
{
    check(settings);
    if (counts_.alive > 0 &&
        (settings.cellSize != settings_.cellSize || settings.kernel != settings_.kernel))
        throw std::invalid_argument(
            "the cell size and the kernel cannot change while there are particles");
    refuse(backend_->refusal(settings));
    backend_->setSettings(settings);
    const bool differs = settings.bodiesMeet != settings_.bodiesMeet ||
                         settings.volumeByPosition != settings_.volumeByPosition;
    settings_ = settings;
    if (differs)
        passMaterials();
}

void Stepper::setMaterials(std::vector<SolverMaterial> materials)
{
    check(materials, materials_);
    refuse(backend_->refusal(materials));
    materials_ = std::move(materials);
    passMaterials();
}

/// Hands the materials to the backend. Mass tells a liquid's volume where all is of one density.
/// What has surface tension holds together until a bubble of a cell can open in it; else its
/// surface would shed particle after particle.
void Stepper::passMaterials()
{
    std::vector<SolverMaterial> materials = materials_;
    const auto alike = [&](const SolverMaterial& a, const SolverMaterial& b) {
        return settings_.bodiesMeet ||
               std::abs(a.law.density / b.law.density - 1) < rules::kSameDensity;
    };
    keepsVolume_ = false;
    soundTime_ = 0;
    for (SolverMaterial& material : materials)
        if (settings_.volumeByPosition && !material.custom && material.law.isLiquid() &&
            std::all_of(materials_.begin(), materials_.end(),
                        [&](const SolverMaterial& other) { return alike(material, other); })) {
            material.law.liquid.matterDensity = material.law.density;
            const double time = settings_.cellSize *
                                std::sqrt(material.law.density / material.law.liquid.restModulus());
            soundTime_ = keepsVolume_ ? std::min(soundTime_, time) : time;
            keepsVolume_ = true;
        }
    for (SolverMaterial& material : materials)
        if (isTense(material)) {
            physics::Liquid& liquid = material.law.liquid;
            const auto cell = static_cast<float>(settings_.cellSize);
            liquid.holdTogether(std::max(liquid.tensileStrength, 4 * liquid.surfaceTension / cell));
        }
    backend_->setMaterials(materials);
}

void Stepper::setDomain(const Domain& domain)
{
    backend_->setDomain(domain);
    surroundings_.domain = domain;
}

void Stepper::setForces(Forces forces)
{
    backend_->setForces(forces);
    surroundings_.forces = std::move(forces);
}

void Stepper::setColliders(Colliders colliders)
{
    for (const auto& collider : colliders)
        refuse(backend_->refusal(*collider));
    Colliders bodies;
    for (const auto& collider : colliders)
        if (std::dynamic_pointer_cast<sdk::world::CoupledBodies>(collider))
            bodies.push_back(collider);
    if (!bodies.empty() && settings_.integrator == Integrator::semiImplicit)
        throw std::invalid_argument("the semi-implicit integrator moves no bodies; choose the "
                                    "explicit one, or unlink the bodies from the colliders");
    const bool thin = std::any_of(colliders.begin(), colliders.end(),
                                  [](const auto& collider) { return collider->isThin(); });
    if (thin && settings_.integrator == Integrator::semiImplicit)
        throw std::invalid_argument("the semi-implicit integrator knows no Mesh collider; choose "
                                    "the explicit one, or link a Collider");
    if (thin && settings_.bodiesMeet)
        throw std::invalid_argument("'bodies' that meet know no Mesh collider; let them move "
                                    "together, or link a Collider");
    bodies_ = std::move(bodies);
    backend_->setColliders(colliders);
    surroundings_.colliders = std::move(colliders);
    collidersFree_ = bodiesFree_ = 0;
}

void Stepper::recordContacts(const std::optional<sdk::ContactCells>& cells)
{
    if (cells && settings_.integrator == Integrator::semiImplicit)
        throw std::invalid_argument("the semi-implicit integrator records no contacts; choose the "
                                    "explicit one, or switch 'contactLog' off");
    if (!backend_->recordContacts(cells))
        throw std::invalid_argument("contacts are recorded by one processor alone; choose --device "
                                    "cpu and one rank, or switch 'contactLog' off");
}

/// Returns what the backend has found out about the particles since the last call.
const Bounds& Stepper::receive()
{
    const Bounds& bounds = backend_->bounds();
    const Deleted deleted = backend_->takeDeleted();
    counts_.leftDomain += deleted.leftDomain;
    counts_.deletedByCollider += deleted.byCollider;
    counts_.alive -= deleted.leftDomain + deleted.byCollider;
    deleted_ += deleted.leftDomain + deleted.byCollider;
    if (!bounds.finite)
        failNotANumber();
    return bounds;
}

bool Stepper::needsRebin() const
{
    return deleted_ > counts_.alive / 64;
}

void Stepper::rebin()
{
    Stopwatch watch(statistics_.rebinSeconds);
    backend_->rebin();
    receive();
    deleted_ = 0;
    ++statistics_.rebins;
}

/// @param elapsed  time since time() [s]
void Stepper::moveColliders(double dt, double elapsed)
{
    for (const auto& collider : surroundings_.colliders)
        collider->moveTo(time_ + elapsed, dt);
}

double Stepper::advectionLimit() const
{
    return std::min(settings_.advectionLimit, backend_->maxDrift());
}

/// Chooses a step a tenth below the limits of the last one, so that steps are seldom repeated.
/// @param component  largest velocity component of any particle [m/s]
double Stepper::chooseStep(double longest, double component)
{
    const Bounds& bounds = backend_->bounds();
    const double h = settings_.cellSize;
    double dt = longest;
    component += physics::length(settings_.gravity) * lastStep_;
    for (const auto& collider : surroundings_.colliders)
        if (collider->isThin())
            component = std::max(component, collider->topSpeed());
    if (component > 0)
        dt = std::min(dt, 0.9 * advectionLimit() * h / component);
    const double reach =
        settings_.integrator == Integrator::semiImplicit ? settings_.implicitReach : 1;
    if (bounds.signalSpeed > 0)
        dt = std::min(dt, 0.95 * reach * settings_.materialLimit * h / bounds.signalSpeed);
    // Nothing may lose more than half of its length in one step.
    if (bounds.gradient > 0)
        dt = std::min(dt, 0.5 / bounds.gradient);
    return dividing(longest, dt);
}

/// Returns the step that the last one has scattered for, if it may be taken; else 0.
double Stepper::standingStep(double longest)
{
    const double scattered = backend_->scatteredStep(), dt = std::min(scattered, longest);
    // Rounding of the caller's clock must not cost a second scatter.
    return dt > 0 && dt >= scattered * (1 - 1e-9) ? dt : 0;
}

/// Shortens a step in which the fastest wave would travel too far. @return whether it did
bool Stepper::breaksMaterialLimit(double longest, double& dt)
{
    const double speed = backend_->bounds().signalSpeed;
    if (!(speed * dt > settings_.materialLimit * settings_.cellSize))
        return false;
    ++statistics_.redone;
    if (!std::isfinite(speed))
        failNotANumber();
    dt = dividing(longest, 0.95 * settings_.materialLimit * settings_.cellSize / speed);
    return true;
}

/// Shortens a step in which a node would move too far. @return whether it did
bool Stepper::breaksAdvectionLimit(double longest, double& dt)
{
    const double h = settings_.cellSize, component = backend_->bounds().nodeComponent;
    if (!(component * dt > advectionLimit() * h))
        return false;
    ++statistics_.redone;
    dt = std::min(0.5 * dt, 0.9 * advectionLimit() * h / component);
    dt = dividing(longest, dt);
    return true;
}

/// Returns GatherRequest::volumeTime. Looking at the mass around particles costs more than a tenth
/// of a step, and differences go slowly: it is done in one of several steps, by the clock alone, so
/// that a restart makes no difference.
double Stepper::volumeTime(double dt) const
{
    constexpr double kCells = 8; // that sound crosses from one look to the next
    const double period = kCells * soundTime_;
    if (!(period > 0) || std::floor((time_ + dt) / period) == std::floor(time_ / period))
        return 0;
    return std::max(period, dt);
}

double Stepper::advance(double longest)
{
    if (!(std::isfinite(longest) && longest > 0))
        throw std::invalid_argument("a step must be longer than zero");
    const double whole = longest;
    longest = std::min(longest, settings_.longestStep);
    if (needsRebin())
        rebin();
    if (counts_.alive == 0) {
        if (movesBodies()) {
            moveColliders(longest);
            backend_->endBodies();
        }
        time_ += longest;
        ++statistics_.steps;
        return longest;
    }
    return settings_.integrator == Integrator::semiImplicit ? advanceImplicit(longest)
                                                            : advanceExplicit(longest, whole);
}

/// @param whole  total time that the caller wants [s]
double Stepper::advanceExplicit(double longest, double whole)
{
    const double h = settings_.cellSize;
    if (backend_->scatteredWhole() > 0)
        if (const double taken = advanceLocal(whole); taken > 0)
            return taken;
    if (!bodies_.empty())
        wakeUnderBodies(longest);
    longest = wakeBeforeColliders(longest);
    double dt = standingStep(longest);
    bool scattered = dt > 0;
    if (!scattered) {
        const double component = receive().component;
        dt = chooseStep(longest, component);
        // Rebinning now avoids a wasted scatter.
        if (backend_->drift() + (component + physics::length(settings_.gravity) * dt) * dt / h >
            backend_->maxDrift())
            rebin();
    }
    for (;;) {
        if (!(dt >= settings_.shortestStep) && dt < longest)
            failStep(dt);
        if (!scattered) {
            Stopwatch watch(statistics_.transferSeconds);
            backend_->scatter(dt);
        }
        scattered = false;
        if (backend_->boundsKnown() && breaksMaterialLimit(longest, dt))
            continue;
        {
            // Unfinished work on a device is the transfer.
            Stopwatch watch(backend_->boundsKnown() ? statistics_.gridSeconds
                                                    : statistics_.transferSeconds);
            moveColliders(dt);
            backend_->updateGrid(time_, dt);
            receive();
        }
        if (breaksMaterialLimit(longest, dt))
            continue;
        if (backend_->bounds().nodesExact) {
            if (!backend_->bounds().nodesFinite)
                failNotANumber();
            guard(dt);
            if (breaksMaterialLimit(longest, dt))
                continue;
        }
        if (!backend_->bounds().nodesExact) {
            ++statistics_.redone;
            continue;
        }
        if (breaksAdvectionLimit(longest, dt))
            continue;
        if (backend_->drift() + backend_->bounds().nodeComponent * dt / h > backend_->maxDrift()) {
            rebin();
            continue;
        }
        break;
    }
    if (movesBodies()) {
        Stopwatch watch(statistics_.gridSeconds);
        backend_->endBodies();
    }
    backend_->endContacts();

    // The next step is scattered at once, unless particles are rebinned first.
    lastStep_ = dt;
    const double rest = whole - dt;
    double next = 0;
    bool rebins = false;
    if (rest > 1e-9 * whole) {
        const double component = backend_->bounds().nodeComponent;
        if (const LocalPlan plan = planLocal(rest, component); plan.whole > 0) {
            beginLocal(dt, plan);
            return dt;
        }
        next = chooseStep(std::min(rest, settings_.longestStep), component);
        if (next < settings_.shortestStep)
            next = 0;
        rebins = backend_->drift() + component * (dt + next) / h > backend_->maxDrift();
        if (rebins)
            next = 0;
    }
    {
        Stopwatch watch(statistics_.transferSeconds);
        backend_->gather({time_, dt, next, rebins, volumeTime(dt)});
    }
    finishStep(dt);
    if (rebins) {
        rebin();
        next = std::max(
            chooseStep(std::min(rest, settings_.longestStep), backend_->bounds().component),
            settings_.shortestStep);
        Stopwatch watch(statistics_.transferSeconds);
        backend_->scatter(next);
    }
    return dt;
}

double Stepper::advanceImplicit(double longest)
{
    const double h = settings_.cellSize;
    if (backend_->sleepingBlocks() > 0)
        throw std::invalid_argument("the semi-implicit integrator knows no sleep; unlink the "
                                    "activation, or use the explicit integrator");
    const auto scatter = [this] {
        Stopwatch watch(statistics_.transferSeconds);
        backend_->scatter(0);
        if (!std::isfinite(receive().signalSpeed))
            failNotANumber();
        backend_->prepareSolve();
    };
    scatter();
    const double signalSpeed = backend_->bounds().signalSpeed;
    double dt = chooseStep(longest, backend_->bounds().component);
    if (lastStep_ > 0) // what was too hard in the last step probably still is
        dt = dividing(longest, std::min(dt, 2 * lastStep_));
    const double explicitStep = settings_.materialLimit * h / std::max(signalSpeed, 1e-30);
    for (;;) {
        if (dt < settings_.shortestStep && dt < longest)
            failStep(dt);
        {
            Stopwatch watch(statistics_.gridSeconds);
            moveColliders(dt);
            if (!backend_->solve(time_, dt)) {
                ++statistics_.redone;
                if (dt < 0.5 * explicitStep)
                    failSolve(dt);
                dt = dividing(longest, 0.5 * dt);
                continue;
            }
        }
        if (!receive().nodesFinite)
            failNotANumber();
        if (breaksAdvectionLimit(longest, dt))
            continue;
        if (backend_->drift() + backend_->bounds().nodeComponent * dt / h > backend_->maxDrift()) {
            rebin();
            scatter();
            continue;
        }
        break;
    }
    lastStep_ = dt;
    {
        Stopwatch watch(statistics_.transferSeconds);
        backend_->gather({time_, dt, 0, false});
    }
    finishStep(dt);
    return dt;
}

/// Completes a step after the gather: clock and statistics.
void Stepper::finishStep(double dt)
{
    if (backend_->boundsKnown())
        receive();
    time_ += dt;
    countStep(dt, counts_.alive);
}

/// @param particles  that have taken it
void Stepper::countStep(double dt, std::uint64_t particles)
{
    statistics_.particleSteps += particles;
    if (statistics_.steps == 0)
        statistics_.shortest = statistics_.longest = dt;
    ++statistics_.steps;
    statistics_.shortest = std::min(statistics_.shortest, dt);
    statistics_.longest = std::max(statistics_.longest, dt);
}

std::size_t Stepper::particleCount()
{
    receive();
    return counts_.alive;
}

Counts Stepper::counts()
{
    const BlockView& blocks = backend_->blocks();
    receive();
    Counts counts = counts_;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const std::uint32_t particles = blocks.particles(b);
        if (particles == 0)
            continue;
        const BlockState state = blocks.state(b);
        ++counts.blocks;
        counts.activeBlocks += state == BlockState::active;
        counts.boundaryBlocks += state == BlockState::boundary;
        counts.activeParticles += state == BlockState::active ? particles : 0;
    }
    if (const Ranks* ranks = backend_->ranks()) {
        std::uint64_t* const numbers[] = {&counts.blocks, &counts.activeBlocks,
                                          &counts.boundaryBlocks, &counts.activeParticles};
        std::int64_t sums[std::size(numbers)];
        for (std::size_t i = 0; i < std::size(numbers); ++i)
            sums[i] = static_cast<std::int64_t>(*numbers[i]);
        ranks->reduce(FLOE_RANKS_SUM, std::span<std::int64_t>(sums));
        for (std::size_t i = 0; i < std::size(numbers); ++i)
            *numbers[i] = static_cast<std::uint64_t>(sums[i]);
    }
    return counts;
}

StepStatistics Stepper::takeStatistics()
{
    StepStatistics taken = statistics_;
    taken.topSpeed = topSpeed();
    taken.solveIterations = backend_->takeSolveIterations();
    taken.leaked = backend_->takeLeaked();
    if (const Ranks* ranks = backend_->ranks()) {
        std::int64_t wakes[] = {static_cast<std::int64_t>(taken.guardWakes)};
        ranks->reduce(FLOE_RANKS_SUM, std::span<std::int64_t>(wakes));
        taken.guardWakes = static_cast<std::uint64_t>(wakes[0]);
    }
    statistics_ = {};
    return taken;
}

void Stepper::snapshot(const Snapshot& to)
{
    backend_->bringUpToDate();
    receive();
    backend_->snapshot(to);
}

void Stepper::snapshotPart(const Snapshot& to)
{
    backend_->bringUpToDate();
    receive();
    backend_->snapshotPart(to);
}

void Stepper::snapshotOnDevice(const Snapshot& to)
{
    backend_->bringUpToDate();
    receive();
    backend_->snapshotOnDevice(to);
}

std::vector<unsigned char> Stepper::save()
{
    backend_->bringUpToDate();
    receive();
    return backend_->save({time_, lastStep_, nextId_, deleted_, counts_});
}

void Stepper::load(std::span<const unsigned char> bytes)
{
    counts_ = {}; // the counts of an empty solver, if loading fails
    deleted_ = 0;
    resume(backend_->load(bytes));
}

void Stepper::loadOwn(const saved::OwnState& own)
{
    counts_ = {};
    deleted_ = 0;
    resume(backend_->loadOwn(own));
}

void Stepper::resume(const Clock& clock)
{
    time_ = clock.time;
    lastStep_ = clock.lastStep;
    nextId_ = clock.nextId;
    deleted_ = clock.deleted;
    counts_ = clock.counts;
    collidersFree_ = bodiesFree_ = 0;
}

std::unique_ptr<Stepper> Stepper::fork()
{
    auto other = std::make_unique<Stepper>(settings_, backend_->makeEmpty(settings_), *executor_);
    other->setMaterials(materials_);
    other->setDomain(surroundings_.domain);
    other->setForces(surroundings_.forces);
    other->setColliders(surroundings_.colliders);
    other->looksAhead_ = true;
    other->load(save());
    return other;
}

} // namespace floe::mpm
