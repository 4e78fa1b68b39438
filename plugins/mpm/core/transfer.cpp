// The passes of a step over the blocks: particles to arenas, arenas to nodes, nodes to particles.

#include "solver.hpp"

#include <algorithm>
#include <cmath>

namespace floe::mpm {

namespace {

constexpr std::size_t kArenaFloats = kArenaNodes * kNodeFloats;
constexpr std::size_t kBlockFloats = kBlockNodes * kNodeFloats;

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

float* Solver::arena(std::size_t slot) const
{
    return arenas_.data() + arenasEach() * slot * kArenaFloats;
}

/// The second arena of a block, behind the first; null where the transfer needs none.
float* Solver::arenaBefore(std::size_t slot) const
{
    return arenasEach() == 2 ? arena(slot) + kArenaFloats : nullptr;
}

ScatterTask Solver::scatterTask(const Block& block, double dt, const AffineRows* affine, float* to,
                                float* before) const
{
    return {block.bins.data(),
            static_cast<std::uint32_t>(block.bins.size()),
            block.state == BlockState::boundary,
            settings_.transfer == Transfer::apic,
            static_cast<float>(settings_.cellSize),
            static_cast<float>(dt),
            static_cast<float>(strainStep_),
            kernelMaterials_.data(),
            affine,
            to,
            before};
}

/// @param affine  what the bins that keep none have as C
ScatterResult Solver::scatterBlock(std::size_t slot, double dt, const AffineRows* affine)
{
    Block& block = blocks_[scatterList_[slot]];
    if (block.state == BlockState::boundary)
        return scatterFrozen(block, dt, arena(slot), arenaBefore(slot));
    ScatterResult result;
    kernels().scatter(scatterTask(block, dt, affine, arena(slot), arenaBefore(slot)), result);
    return result;
}

/// @param slot  of a block's nodes among `nodes`
void Solver::fillGatherTask(GatherTask& task, const Block& block, double dt,
                            const FloatBuffer& nodes, std::int32_t Block::*slot,
                            AffineScratch& affine) const
{
    task.bins = block.bins.data();
    task.binCount = static_cast<std::uint32_t>(block.bins.size());
    task.cellSize = static_cast<float>(settings_.cellSize);
    task.timeStep = static_cast<float>(dt);
    task.materials = kernelMaterials_.data();
    for (int o = 0; o < 27; ++o) {
        const std::int32_t n = block.neighbour[o];
        const std::int32_t at = n < 0 ? -1 : blocks_[n].*slot;
        task.nodes[o] = at < 0 ? nullptr : nodes.data() + at * kBlockFloats;
    }
    if (liquids_)
        affine.resize(block.bins.size());
    task.affineRows = affine.data();
}

/// C of the bins that keep none, as the last step left it.
void Solver::gatherAffine(const Block& block, AffineScratch& affine) const
{
    if (!liquids_ || std::all_of(block.bins.begin(), block.bins.end(),
                                 [](const BinRef& bin) { return keepsAffine(bin.layout); }))
        return;
    GatherTask task{};
    fillGatherTask(task, block, lastStep_, keptNodes_, &Block::keptNodes, affine);
    task.newFrom = newFrom_;
    kernels().gatherAffine(task);
}

/// Whether liquids keep no C. Its gather can be repeated where velocities are the grid's.
bool Solver::dropsAffine(const SolverSettings& settings)
{
    return settings.transfer == Transfer::apic && settings.integrator == Integrator::symplectic;
}

/// From now on.
void Solver::keepAffine()
{
    AffineScratch affine;
    for (Block& block : blocks_) {
        gatherAffine(block, affine);
        const std::vector<BinRef> before = std::move(block.bins);
        block.bins.clear();
        std::copy_if(before.begin(), before.end(), std::back_inserter(block.bins),
                     [](const BinRef& bin) { return keepsAffine(bin.layout); });
        for (std::size_t b = 0; b < before.size(); ++b) {
            const BinRef& from = before[b];
            if (keepsAffine(from.layout))
                continue;
            for (int lane = 0; lane < from.count; ++lane) {
                const auto [bin, to] = freeLane(block, pool_, from.material, Layout::fullLiquid,
                                                initialStateOf(from.material));
                for (int r = 0; r < rowsOf(from.layout); ++r)
                    bin->rowAt(r)[to] = from.rowAt(r)[lane];
                bin->rowAt(row::stiffness)[to] = 1;
                for (int i = 0; i < 9; ++i)
                    bin->rowAt(row::C + i)[to] = affine.data()[b].C[i * kLanes + lane];
            }
            pool_.give(from.layout, from.data);
        }
    }
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

/// @param arrivals  what other blocks' outboxes hold for each
void Solver::scatter(double dt, const std::vector<Outbox>& arrivals)
{
    Stopwatch watch(statistics_.transferSeconds);
    arenas_.reserve(arenasEach() * scatterList_.size() * kArenaFloats, 0);
    std::vector<ScatterResult> results(scatterList_.size());
    executor_->parallelFor(scatterList_.size(), 4, [&](std::size_t begin, std::size_t end) {
        AffineScratch affine;
        for (std::size_t i = begin; i < end; ++i) {
            Block& block = blocks_[scatterList_[i]];
            if (!arrivals.empty())
                takeArrivals(block, arrivals);
            gatherAffine(block, affine);
            results[i] = scatterBlock(i, dt, affine.data());
        }
    });
    signalSpeed_ = 0;
    takeSignalSpeed(results);
}

/// Scatters the blocks at the end of the list too; those before `scattered` are done already.
void Solver::scatterMore(std::size_t scattered, double dt)
{
    const std::size_t each = arenasEach() * kArenaFloats;
    arenas_.reserve(each * scatterList_.size(), each * scattered, each * blocks_.size());
    std::vector<ScatterResult> results(scatterList_.size() - scattered);
    executor_->parallelFor(results.size(), 4, [&](std::size_t begin, std::size_t end) {
        AffineScratch affine;
        for (std::size_t i = begin; i < end; ++i) {
            gatherAffine(blocks_[scatterList_[scattered + i]], affine);
            results[i] = scatterBlock(scattered + i, dt, affine.data());
        }
    });
    takeSignalSpeed(results);
}

void Solver::updateGrid(double dt)
{
    Stopwatch watch(statistics_.gridSeconds);
    for (const auto& collider : colliders_)
        collider->moveTo(time_, dt);
    makeNodes(0);
    const auto contactsOf = [&](std::size_t slot) -> const std::vector<RestingContact>& {
        return blocks_[gridList_[slot]].contacts;
    };
    executor_->parallelFor(gridList_.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t slot = begin; slot < end; ++slot) {
            // They lie in the order in which blocks came into being or woke.
            if (slot + 2 < end)
                __builtin_prefetch(contactsOf(slot + 2).data());
            if (slot + 1 < end)
                for (const RestingContact& contact : contactsOf(slot + 1))
                    for (int i = 0; contact.nodes && i < kBlockNodes; i += kLanes)
                        __builtin_prefetch(contact.nodes->distance + i);
            updateNodes(slot, dt);
        }
    });
    summariseNodes();
}

/// Room for the nodes of all blocks of the list; the first `kept` keep theirs.
void Solver::makeNodes(std::size_t kept)
{
    const std::size_t floats = gridList_.size() * kBlockFloats;
    const std::size_t most = blocks_.size() * kBlockFloats;
    nodes_.reserve(floats, kept * kBlockFloats, most);
    if (settings_.transfer == Transfer::picFlip)
        before_.reserve(floats, kept * kBlockFloats, most);
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
    task.nodes = nodes_.data() + slot * kBlockFloats;
    task.before =
        settings_.transfer == Transfer::picFlip ? before_.data() + slot * kBlockFloats : nullptr;
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
    const float* nodes = nodes_.data() + slot * kBlockFloats;
    // Four numbers at once, the last of which is the mass.
    float most[kNodeFloats] = {};
    std::int32_t bad[kNodeFloats] = {};
    for (int n = 0; n < kBlockNodes; ++n)
        for (int k = 0; k < kNodeFloats; ++k) {
            const float a = std::abs(nodes[kNodeFloats * n + k]);
            most[k] = a > most[k] ? a : most[k];
            bad[k] |= !(a < 1e30f);
        }
    nodeComponent_[slot] = std::max({most[0], most[1], most[2]});
    nodeFinite_[slot] = !(bad[0] | bad[1] | bad[2]);
}

void Solver::summariseNodes()
{
    gridComponent_ = largestOf(nodeComponent_);
    gridFinite_ = std::find(nodeFinite_.begin(), nodeFinite_.end(), 0) == nodeFinite_.end();
}

/// @param scatterStep  length of the next step, if its scatter is to follow; 0: it is not
/// @param leaving      if not null: takes the particles that have left their blocks
void Solver::gather(double dt, double scatterStep, std::vector<Outbox>* leaving)
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
        AffineScratch affine;
        for (std::size_t i = begin; i < end; ++i) {
            Block& block = blocks_[scatterList_[i]];
            if (block.state == BlockState::active) {
                GatherTask task{};
                fillGatherTask(task, block, dt, nodes_, &Block::nodes, affine);
                task.chance = chance;
                const bool blends = settings_.transfer == Transfer::picFlip;
                task.flip = blends ? static_cast<float>(settings_.flip) : -1.0f;
                for (int o = 0; blends && o < 27; ++o)
                    if (task.nodes[o])
                        task.before[o] = before_.data() + (task.nodes[o] - nodes_.data());
                kernels().gather(task, results[i]);
                if (particleContact)
                    contactParticles(block, left[i], eaten[i]);
                block.speed = results[i].speed;
                block.restTime =
                    block.speed < settings_.restSpeed ? block.restTime + static_cast<float>(dt) : 0;
                if (leaving)
                    (*leaving)[static_cast<std::size_t>(block.outbox)].take(block, pool_,
                                                                            materials_);
            }
            if (scatterStep > 0)
                scattered[i] = scatterBlock(i, scatterStep, affine.data());
        }
    });
    newFrom_ = nextId_;
    if (liquids_ && dropsAffine(settings_)) {
        std::swap(nodes_, keptNodes_);
        for (Block& block : blocks_)
            block.keptNodes = block.nodes;
    }
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

} // namespace floe::mpm
