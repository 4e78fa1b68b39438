#include "activation.hpp"
#include "implicit.hpp"
#include "stepping.hpp"
#include "stopwatch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace floe::mpm {

namespace {

constexpr std::size_t kArenaFloats = kArenaNodes * kNodeFloats;
constexpr std::size_t kBlockFloats = kBlockNodes * kNodeFloats;

/// At least `floats` floats, 64-byte aligned. @param kept  how many keep their contents
float* ensure(std::unique_ptr<float[]>& memory, std::size_t& capacity, float* base,
              std::size_t floats, std::size_t kept)
{
    if (floats <= capacity)
        return base;
    if (kept == 0)
        memory.reset();
    const std::size_t grown = floats + floats / 4;
    std::unique_ptr<float[]> larger(new float[grown + 16]);
    const auto address = reinterpret_cast<std::uintptr_t>(larger.get());
    float* const aligned = larger.get() + (64 - address % 64) % 64 / sizeof(float);
    if (kept > 0)
        std::memcpy(aligned, base, kept * sizeof(float));
    memory = std::move(larger);
    capacity = grown;
    return aligned;
}

bool positive(double a)
{
    return std::isfinite(a) && a > 0;
}

/// Largest over a list, in parallel; the order does not matter for a maximum.
template <class T>
T largestOf(const std::vector<T>& all)
{
    T most = 0;
    for (const T a : all)
        most = std::max(most, a);
    return most;
}

} // namespace

Solver::Solver(const SolverSettings& settings, Executor& executor)
    : executor_(&executor), kernels_(&chooseKernels())
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

Layout Solver::layoutOf(std::uint16_t material) const
{
    const SolverMaterial& m = materials_[material];
    return m.custom ? Layout::custom : m.law.isLiquid() ? Layout::liquid : Layout::solid;
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

float* Solver::arena(std::size_t slot) const
{
    return arenaBase_ + arenasEach() * slot * kArenaFloats;
}

/// The second arena of a block, behind the first; null where the transfer needs none.
float* Solver::arenaBefore(std::size_t slot) const
{
    return arenasEach() == 2 ? arena(slot) + kArenaFloats : nullptr;
}

ScatterTask Solver::scatterTask(const Block& block, double dt, float* to, float* before) const
{
    return {block.bins.data(),
            static_cast<std::uint32_t>(block.bins.size()),
            block.state == BlockState::boundary,
            settings_.transfer == Transfer::apic,
            static_cast<float>(settings_.cellSize),
            static_cast<float>(dt),
            static_cast<float>(strainStep_),
            kernelMaterials_.data(),
            to,
            before};
}

ScatterResult Solver::scatterBlock(std::size_t slot, double dt)
{
    Block& block = blocks_[scatterList_[slot]];
    if (block.state == BlockState::boundary)
        return scatterFrozen(block, dt, arena(slot), arenaBefore(slot));
    ScatterResult result;
    kernels().scatter(scatterTask(block, dt, arena(slot), arenaBefore(slot)), result);
    return result;
}

void Solver::takeSignalSpeed(std::span<const ScatterResult> results)
{
    strainStep_ = 0;
    for (const ScatterResult& r : results) {
        if (r.failed)
            throw std::runtime_error("material '" + materials_[r.material].name +
                                     "': its plugin's model failed");
        if (r.signalSpeed > signalSpeed_) {
            signalSpeed_ = r.signalSpeed;
            signalMaterial_ = r.material;
        }
    }
}

void Solver::scatter(double dt)
{
    Stopwatch watch(statistics_.transferSeconds);
    arenaBase_ = ensure(arenas_, arenaCapacity_, arenaBase_,
                        arenasEach() * scatterList_.size() * kArenaFloats, 0);
    std::vector<ScatterResult> results(scatterList_.size());
    executor_->parallelFor(scatterList_.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            results[i] = scatterBlock(i, dt);
    });
    signalSpeed_ = 0;
    takeSignalSpeed(results);
}

/// Scatters the blocks at the end of the list too; those before `scattered` are done already.
void Solver::scatterMore(std::size_t scattered, double dt)
{
    arenaBase_ = ensure(arenas_, arenaCapacity_, arenaBase_,
                        arenasEach() * scatterList_.size() * kArenaFloats,
                        arenasEach() * scattered * kArenaFloats);
    std::vector<ScatterResult> results(scatterList_.size() - scattered);
    executor_->parallelFor(results.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            results[i] = scatterBlock(scattered + i, dt);
    });
    takeSignalSpeed(results);
}

PointBatch Solver::nodesOf(const Block& block, const float* nodes) const
{
    PointBatch batch;
    batch.count = kBlockNodes;
    batch.corner = cornerOf(block);
    for (int n = 0; n < kBlockNodes; ++n) {
        const int index[3] = {n / 16, n / 4 % 4, n % 4};
        for (int axis = 0; axis < 3; ++axis) {
            batch.x[axis][n] = static_cast<float>(index[axis] * settings_.cellSize);
            batch.v[axis][n] = nodes[4 * n + axis];
        }
        batch.mass[n] = nodes[4 * n + 3];
    }
    return batch;
}

void Solver::applyHooks(Block& block, float* nodes, double dt) const
{
    const double h = settings_.cellSize;
    const Vec3d corner = cornerOf(block);
    const Vec3d center = corner + (1.5 * h) * Vec3d{1, 1, 1};
    const double radius = 1.5 * std::sqrt(3.0) * h * 1.001;

    PointBatch batch;
    batch.count = 0;
    const auto fill = [&] {
        if (batch.count == 0)
            batch = nodesOf(block, nodes);
    };
    if (!forces_.empty())
        fill();
    for (const auto& force : forces_)
        force->apply(batch, time_, static_cast<float>(dt));
    for (const auto& collider : colliders_) {
        ColliderSample moving;
        const ColliderSample* sample = &moving;
        if (collider->rests()) {
            const auto known =
                std::find_if(block.contacts.begin(), block.contacts.end(),
                             [&](const RestingContact& c) { return c.collider == collider->id; });
            if (known != block.contacts.end()) {
                sample = known->nodes.get();
            } else {
                if (collider->mayTouch(center, radius))
                    fill();
                sample = remember(block, *collider, batch);
            }
            if (!sample)
                continue;
            fill();
        } else {
            if (!collider->mayTouch(center, radius))
                continue;
            fill();
            collider->sample(batch, moving);
        }
        applyContact(*sample, collider->contact, collider->friction, batch);
    }
    if (domain_.nearWall(center, radius)) {
        fill();
        domain_.applyWalls(batch);
    }
    for (int n = 0; n < batch.count; ++n)
        if (batch.mass[n] > 0)
            for (int axis = 0; axis < 3; ++axis)
                nodes[4 * n + axis] = batch.v[axis][n];
}

/// Asks a resting collider about a block's nodes, once and for all.
/// @param nodes  where they are; empty when none can be inside
/// @return null when none is
const ColliderSample* Solver::remember(Block& block, const Collider& collider,
                                       PointBatch& nodes) const
{
    std::erase_if(block.contacts, [&](const RestingContact& known) {
        return std::none_of(colliders_.begin(), colliders_.end(),
                            [&](const auto& c) { return c->id == known.collider; });
    });
    std::unique_ptr<ColliderSample> sample;
    if (nodes.count > 0) {
        float mass[kBlockNodes];
        std::copy_n(nodes.mass, kBlockNodes, mass);
        std::fill_n(nodes.mass, kBlockNodes, 1.0f); // nodes that are empty now may not be later
        sample = std::make_unique<ColliderSample>();
        collider.sample(nodes, *sample);
        std::copy_n(mass, kBlockNodes, nodes.mass);
        if (std::none_of(sample->distance, sample->distance + kBlockNodes,
                         [](float d) { return d <= 0; }))
            sample.reset();
    }
    block.contacts.push_back({collider.id, std::move(sample)});
    return block.contacts.back().nodes.get();
}

void Solver::updateGrid(double dt)
{
    Stopwatch watch(statistics_.gridSeconds);
    for (const auto& collider : colliders_)
        collider->moveTo(time_, dt);
    makeNodes(0);
    executor_->parallelFor(gridList_.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t slot = begin; slot < end; ++slot)
            updateNodes(slot, dt);
    });
    summariseNodes();
}

/// Room for the nodes of all blocks of the list; the first `kept` keep theirs.
void Solver::makeNodes(std::size_t kept)
{
    const std::size_t floats = gridList_.size() * kBlockFloats;
    nodeBase_ = ensure(nodes_, nodeCapacity_, nodeBase_, floats, kept * kBlockFloats);
    if (settings_.transfer == Transfer::picFlip)
        beforeBase_ = ensure(before_, beforeCapacity_, beforeBase_, floats, kept * kBlockFloats);
    nodeComponent_.resize(gridList_.size());
    nodeFinite_.resize(gridList_.size());
}

void Solver::updateNodes(std::size_t slot, double dt)
{
    Block& block = blocks_[gridList_[slot]];
    GridTask task{};
    for (int o = 0; o < 27; ++o) {
        const std::int32_t n = block.neighbour[o];
        const std::int32_t from = n < 0 ? -1 : blocks_[n].arena;
        task.arenas[o] = from < 0 ? nullptr : arena(static_cast<std::size_t>(from));
        task.arenasBefore[o] = from < 0 ? nullptr : arenaBefore(static_cast<std::size_t>(from));
    }
    task.nodes = nodeBase_ + slot * kBlockFloats;
    task.before =
        settings_.transfer == Transfer::picFlip ? beforeBase_ + slot * kBlockFloats : nullptr;
    task.velocityChange[0] = static_cast<float>(settings_.gravity.x * dt);
    task.velocityChange[1] = static_cast<float>(settings_.gravity.y * dt);
    task.velocityChange[2] = static_cast<float>(settings_.gravity.z * dt);
    kernels().grid(task);
    applyHooks(block, task.nodes, dt);
    measureNodes(slot);
}

/// The fastest node of a block.
void Solver::measureNodes(std::size_t slot)
{
    const float* nodes = nodeBase_ + slot * kBlockFloats;
    float most = 0;
    bool good = true;
    for (int n = 0; n < kBlockNodes; ++n) {
        const float* v = nodes + 4 * n;
        const float c = std::max(std::abs(v[0]), std::max(std::abs(v[1]), std::abs(v[2])));
        good = good && std::abs(v[0]) + std::abs(v[1]) + std::abs(v[2]) < 1e30f;
        most = std::max(most, c);
    }
    nodeComponent_[slot] = most;
    nodeFinite_[slot] = good;
}

void Solver::summariseNodes()
{
    gridComponent_ = largestOf(nodeComponent_);
    gridFinite_ = std::find(nodeFinite_.begin(), nodeFinite_.end(), 0) == nodeFinite_.end();
}

/// @param scatterStep  length of the next step, if its scatter is to follow; 0: it is not
void Solver::gather(double dt, double scatterStep)
{
    Stopwatch watch(statistics_.transferSeconds);
    std::vector<GatherResult> results(scatterList_.size());
    std::vector<ScatterResult> scattered(scatterStep > 0 ? scatterList_.size() : 0);
    bool particleContact = domain_.bounded;
    for (const auto& collider : colliders_)
        particleContact = particleContact || collider->particles != ParticleContact::none;
    std::vector<std::uint32_t> left(scatterList_.size()), eaten(scatterList_.size());
    if (scatterStep > 0)
        strainStep_ = dt;
    const std::int32_t chance = physics::chanceOfStep(time_);
    executor_->parallelFor(scatterList_.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            Block& block = blocks_[scatterList_[i]];
            if (block.state == BlockState::active) {
                GatherTask task{};
                task.bins = block.bins.data();
                task.binCount = static_cast<std::uint32_t>(block.bins.size());
                task.cellSize = static_cast<float>(settings_.cellSize);
                task.timeStep = static_cast<float>(dt);
                task.chance = chance;
                const bool blends = settings_.transfer == Transfer::picFlip;
                task.flip = blends ? static_cast<float>(settings_.flip) : -1.0f;
                for (int o = 0; o < 27; ++o) {
                    const std::int32_t n = block.neighbour[o];
                    const std::int32_t slot = n < 0 ? -1 : blocks_[n].nodes;
                    task.nodes[o] = slot < 0 ? nullptr : nodeBase_ + slot * kBlockFloats;
                    task.before[o] =
                        slot < 0 || !blends ? nullptr : beforeBase_ + slot * kBlockFloats;
                }
                kernels().gather(task, results[i]);
                if (particleContact)
                    contactParticles(block, left[i], eaten[i]);
                block.speed = results[i].speed;
                block.restTime =
                    block.speed < settings_.restSpeed ? block.restTime + static_cast<float>(dt) : 0;
            }
            if (scatterStep > 0)
                scattered[i] = scatterBlock(i, scatterStep);
        }
    });
    GatherResult most{0, 0, 0};
    for (const GatherResult& r : results) {
        most.speed = std::max(most.speed, r.speed);
        most.component = std::max(most.component, r.component);
        most.gradient = std::max(most.gradient, r.gradient);
    }
    std::uint64_t leftNow = 0, eatenNow = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
        leftNow += left[i];
        eatenNow += eaten[i];
    }
    counts_.leftDomain += leftNow;
    counts_.deletedByCollider += eatenNow;
    counts_.alive -= leftNow + eatenNow;
    needsRegroup_ = needsRegroup_ || leftNow + eatenNow > counts_.alive / 64;
    topSpeed_ = most.speed;
    topComponent_ = most.component;
    topGradient_ = most.gradient;
    strainStep_ = dt;
    scatteredStep_ = scatterStep;
    if (scatterStep > 0) {
        signalSpeed_ = 0;
        takeSignalSpeed(scattered);
    }
}

void Solver::contactParticles(Block& block, std::uint32_t& left, std::uint32_t& eaten) const
{
    const double h = settings_.cellSize;
    const Vec3d corner = cornerOf(block);
    const Vec3d center = corner + (2.5 * h) * Vec3d{1, 1, 1};
    const double radius = 3.01 * std::sqrt(3.0) * h;
    const bool open = domain_.nearOpenFace(center, radius);
    bool any = open;
    for (const auto& c : colliders_)
        any = any || (c->particles != ParticleContact::none && c->mayTouch(center, radius));
    if (!any)
        return;
    for (const BinRef& bin : block.bins) {
        PointBatch batch;
        batch.count = bin.count;
        batch.corner = corner;
        for (int lane = 0; lane < bin.count; ++lane) {
            for (int axis = 0; axis < 3; ++axis) {
                batch.x[axis][lane] = static_cast<float>(bin.rowAt(row::x + axis)[lane] * h);
                batch.v[axis][lane] = bin.rowAt(row::v + axis)[lane];
            }
            batch.mass[lane] = bin.rowAt(row::mass)[lane];
        }
        bool outside[kLanes] = {}, inside[kLanes] = {};
        if (open)
            domain_.findOutside(batch, outside);
        for (const auto& c : colliders_) {
            if (c->particles == ParticleContact::none || !c->mayTouch(center, radius))
                continue;
            ColliderSample sample;
            c->sample(batch, sample);
            for (int lane = 0; lane < bin.count; ++lane) {
                if (sample.distance[lane] > 0)
                    continue;
                if (c->particles == ParticleContact::remove) {
                    inside[lane] = true;
                    continue;
                }
                float vn = 0;
                for (int axis = 0; axis < 3; ++axis)
                    vn += (batch.v[axis][lane] - sample.v[axis][lane]) * sample.normal[axis][lane];
                for (int axis = 0; axis < 3 && vn < 0; ++axis)
                    bin.rowAt(row::v + axis)[lane] = batch.v[axis][lane] -=
                        2 * vn * sample.normal[axis][lane];
            }
        }
        for (int lane = 0; lane < bin.count; ++lane) {
            if (batch.mass[lane] == 0 || !(outside[lane] || inside[lane]))
                continue;
            ++(outside[lane] ? left : eaten);
            const float keep[3] = {bin.rowAt(row::x)[lane], bin.rowAt(row::x + 1)[lane],
                                   bin.rowAt(row::x + 2)[lane]};
            clearLane(bin, lane, initialStateOf(bin.material));
            for (int axis = 0; axis < 3; ++axis)
                bin.rowAt(row::x + axis)[lane] = keep[axis];
        }
    }
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
    gather(dt, next);
    needsRegroup_ = needsRegroup_ || regroupNext;
    finishStep(dt);
    return dt;
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
