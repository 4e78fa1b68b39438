#include "transfer.hpp"

#include "cost_clock.hpp"
#include "near_walls.hpp"
#include "particle_rules.hpp"

#include <floe/sdk/physics/rounding.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace floe::mpm {

Transfers::Transfers(CpuState& state, BlockGrid& grid, const NodeContact& contact, Halo* halo,
                     RestGrid& rest, ThinWalls& walls, MemorySource& memory)
    : state_(&state), grid_(&grid), contact_(&contact), halo_(halo), rest_(&rest), walls_(&walls),
      bodies_(state, grid, walls, memory), held_(memory), arenas_(memory), nodes_(memory),
      keptNodes_(memory), before_(memory), images_(state, grid, contact)
{}

template <class Work>
void Transfers::forScattered(bool sends, const Work& work)
{
    if (!halo_) {
        state_->executor->parallelFor(grid_->scatterList.size(), 4,
                                      [&](std::size_t begin, std::size_t end) {
                                          AffineScratch affine;
                                          for (std::size_t i = begin; i < end; ++i)
                                              work(i, affine);
                                      });
        return;
    }
    const std::vector<std::int32_t>& order = halo_->order();
    const bool timed = state_->timesPasses();
    const auto run = [&](std::size_t from, std::size_t to) {
        state_->executor->parallelFor(to - from, 4, [&](std::size_t begin, std::size_t end) {
            AffineScratch affine;
            std::optional<CostClock> clock;
            if (timed)
                clock.emplace();
            for (std::size_t i = from + begin; i < from + end; ++i) {
                const auto slot = static_cast<std::size_t>(order[i]);
                work(slot, affine);
                if (from == 0 && sends)
                    halo_->packArenas(slot, arenas_.data(), arenasEach());
                if (clock)
                    grid_->blocks[grid_->scatterList[slot]].spent += clock->lap();
            }
        });
    };
    if (sends)
        halo_->prepareArenas(arenasEach());
    run(0, halo_->firstBlocks());
    if (sends)
        halo_->sendArenas();
    run(halo_->firstBlocks(), order.size());
}

std::size_t Transfers::bytes() const
{
    return arenas_.bytes() + nodes_.bytes() + keptNodes_.bytes() + before_.bytes() +
           bodies_.bytes() + held_.bytes();
}

std::size_t Transfers::arenaCount() const
{
    return bodies_.on() ? bodies_.arenaCount()
                        : grid_->scatterList.size() + grid_->ghostList.size();
}

float* Transfers::arena(std::size_t slot) const
{
    return arenas_.data() + arenasEach() * slot * kArenaFloats;
}

float* Transfers::arenaBefore(std::size_t slot) const
{
    return arenasEach() == 2 ? arena(slot) + kArenaFloats : nullptr;
}

ScatterTask Transfers::scatterTask(const Block& block, double dt, const AffineRows* affine,
                                   float* to, float* before) const
{
    return {block.bins.data(),
            static_cast<std::uint32_t>(block.bins.size()),
            block.state == BlockState::boundary,
            state_->settings.transfer == Transfer::apic,
            static_cast<float>(state_->settings.cellSize),
            static_cast<float>(dt),
            state_->strainByBlock ? block.strainStep : static_cast<float>(state_->strainStep),
            state_->materials.kernels(),
            affine,
            rest_->motion(),
            to,
            before,
            nullptr,
            nullptr,
            nullptr};
}

/// @param affine  C of the bins that do not store it
ScatterResult Transfers::scatterBlock(std::size_t slot, double dt, const AffineRows* affine)
{
    Block& block = grid_->blocks[grid_->scatterList[slot]];
    if (block.state == BlockState::boundary)
        return scatterCached(block, dt, arena(slot), arenaBefore(slot));
    if (walls_->any())
        return scatterDivided(slot, dt, affine);
    if (bodies_.on())
        return scatterBodies(slot, dt, affine);
    ScatterResult result;
    state_->kernels().scatter(scatterTask(block, dt, affine, arena(slot), arenaBefore(slot)),
                              result);
    return result;
}

/// Scatters particles from which walls hide nodes.
ScatterResult Transfers::scatterDivided(std::size_t slot, double dt, const AffineRows* affine)
{
    const Block& block = grid_->blocks[grid_->scatterList[slot]];
    ScatterTask task = scatterTask(block, dt, affine, arena(slot), arenaBefore(slot));
    if (walls_->isNear(slot)) {
        const auto behind = static_cast<std::size_t>(
            bodies_.arenaOf(static_cast<std::int32_t>(slot), ThinWalls::kHidden));
        task.hidden = walls_->hide(slot);
        task.behind = arena(behind);
        task.behindBefore = arenaBefore(behind);
    }
    ScatterResult result;
    state_->kernels().scatter(task, result);
    return result;
}

ScatterResult Transfers::scatterBodies(std::size_t slot, double dt, const AffineRows* affine)
{
    const Block& block = grid_->blocks[grid_->scatterList[slot]];
    ScatterResult fastest{};
    for (const BodyFields::Part& part : bodies_.partsOf(slot)) {
        const auto to = static_cast<std::size_t>(part.arena);
        ScatterTask task =
            scatterTask(block, dt, affine + part.firstBin, arena(to), arenaBefore(to));
        task.bins += part.firstBin;
        task.binCount = part.binCount;
        ScatterResult result;
        state_->kernels().scatter(task, result);
        if (result.failed)
            return result;
        if (result.signalSpeed > fastest.signalSpeed)
            fastest = result;
    }
    return fastest;
}

/// @param slot  index of a block's nodes in `nodes`
void Transfers::fillGatherTask(GatherTask& task, const Block& block, double dt,
                               const FloatBuffer& nodes, std::int32_t Block::*slot,
                               AffineScratch& affine) const
{
    task.bins = block.bins.data();
    task.binCount = static_cast<std::uint32_t>(block.bins.size());
    task.cellSize = static_cast<float>(state_->settings.cellSize);
    task.timeStep = static_cast<float>(dt);
    task.volumeTime = static_cast<float>(state_->volumeTime);
    task.materials = state_->materials.kernels();
    task.walls = NearWalls{};
    if (state_->usesNearMass())
        task.walls = nearWalls(state_->surroundings.domain, mirror_, state_->settings.cellSize,
                               block.coordinate.data());
    for (int o = 0; o < 27; ++o) {
        const std::int32_t n = block.neighbour[o];
        const std::int32_t at = n < 0 ? -1 : grid_->blocks[n].*slot;
        task.nodes[o] = at < 0 ? nullptr : nodes.data() + at * kBlockFloats;
    }
    if (state_->materials.anyLiquid())
        affine.resize(block.bins.size());
    task.affineRows = affine.data();
}

void Transfers::gatherAffine(const Block& block, AffineScratch& affine) const
{
    if (!state_->materials.anyLiquid() ||
        std::all_of(block.bins.begin(), block.bins.end(),
                    [](const BinRef& bin) { return keepsAffine(bin.layout); }))
        return;
    GatherTask task{};
    fillGatherTask(task, block, state_->lastStep, keptNodes_, &Block::keptNodes, affine);
    task.newFrom = state_->newFrom;
    state_->kernels().gatherAffine(task);
}

void Transfers::growLiquids(bool dropsAffine)
{
    const auto wanted = [&](const BinRef& bin) {
        return state_->materials.layoutOf(bin.material, 1, dropsAffine);
    };
    const auto stays = [&](const BinRef& bin) {
        return !isLiquid(bin.layout) || rowsOf(wanted(bin)) <= rowsOf(bin.layout);
    };
    AffineScratch affine;
    for (Block& block : grid_->blocks) {
        if (std::all_of(block.bins.begin(), block.bins.end(), stays))
            continue;
        gatherAffine(block, affine);
        const std::vector<BinRef> before = std::move(block.bins);
        block.bins.clear();
        std::copy_if(before.begin(), before.end(), std::back_inserter(block.bins), stays);
        for (std::size_t b = 0; b < before.size(); ++b) {
            const BinRef& from = before[b];
            if (stays(from))
                continue;
            for (int lane = 0; lane < from.count; ++lane) {
                const auto [bin, to] = freeLane(block, grid_->pool, from.material, wanted(from),
                                                state_->materials.initialState(from.material));
                for (int r = 0; r < rowsOf(from.layout); ++r)
                    bin->rowAt(r)[to] = from.rowAt(r)[lane];
                if (keepsAffine(from.layout))
                    continue;
                bin->rowAt(row::stiffness)[to] = 1;
                for (int i = 0; i < 9; ++i)
                    bin->rowAt(row::C + i)[to] = affine.data()[b].C[i * kLanes + lane];
            }
            grid_->pool.give(from.layout, from.data);
        }
    }
}

void Transfers::beginSignals()
{
    state_->bounds.signalSpeed = 0;
    state_->ownSignal = {};
    measured_.assign(state_->settings.localTimeSteps ? state_->materials.size() : 0, 0);
}

void Transfers::takeSignalSpeed(std::span<const ScatterResult> results, std::size_t first)
{
    state_->strainStep = 0;
    state_->strainByBlock = false;
    CpuState::OwnSignal& own = state_->ownSignal;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const ScatterResult& r = results[i];
        if (r.failed)
            throw std::runtime_error("material '" + state_->materials[r.material].name +
                                     "': its plugin's model failed");
        if (!measured_.empty())
            measured_[r.material] =
                std::max(measured_[r.material], static_cast<double>(r.signalSpeed));
        if (!(r.signalSpeed > 0) || r.signalSpeed < own.speed)
            continue;
        const Block& block = grid_->blocks[grid_->scatterList[first + i]];
        const std::uint64_t place = mortonOrder(block.coordinate);
        if (r.signalSpeed > own.speed || place < own.place)
            own = {r.signalSpeed, place, r.material};
    }
    if (own.speed > 0 && own.speed >= state_->bounds.signalSpeed) {
        state_->bounds.signalSpeed = own.speed;
        state_->bounds.signalMaterial = own.material;
    }
}

void Transfers::scatter(double dt, const std::vector<MigrationBuffer>& arrivals)
{
    const std::vector<std::int32_t>& list = grid_->scatterList;
    held_.on = false;
    if (halo_)
        halo_->dropArenas(); // of a step that is repeated
    const bool arrived = bodies_.on() || rest_->any();
    if (arrived && !arrivals.empty())
        takeArrivals(arrivals);
    if (walls_->any())
        walls_->find();
    if (bodies_.on())
        bodies_.find();
    rest_->update();
    arenas_.reserve(arenasEach() * arenaCount() * kArenaFloats, 0);
    std::vector<ScatterResult> results(list.size());
    forScattered(true, [&](std::size_t i, AffineScratch& affine) {
        Block& block = grid_->blocks[list[i]];
        if (!arrivals.empty() && !arrived)
            grid_->takeArrivals(block, arrivals);
        gatherAffine(block, affine);
        results[i] = scatterBlock(i, dt, affine.data());
    });
    beginSignals();
    takeSignalSpeed(results);
    if (rest_->any() && rest_->signalSpeed() > state_->bounds.signalSpeed) {
        state_->bounds.signalSpeed = rest_->signalSpeed();
        state_->bounds.signalMaterial = rest_->signalMaterial();
    }
}

void Transfers::takeArrivals(const std::vector<MigrationBuffer>& arrivals)
{
    const std::vector<std::int32_t>& list = grid_->scatterList;
    state_->executor->parallelFor(list.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            grid_->takeArrivals(grid_->blocks[list[i]], arrivals);
    });
}

void Transfers::scatterMore(std::size_t scattered, double dt)
{
    const std::vector<std::int32_t>& list = grid_->scatterList;
    const std::size_t each = arenasEach() * kArenaFloats;
    arenas_.reserve(each * (list.size() + grid_->ghostList.size()), each * scattered,
                    each * grid_->blocks.size());
    std::vector<ScatterResult> results(list.size() - scattered);
    state_->executor->parallelFor(results.size(), 4, [&](std::size_t begin, std::size_t end) {
        AffineScratch affine;
        for (std::size_t i = begin; i < end; ++i) {
            gatherAffine(grid_->blocks[list[scattered + i]], affine);
            results[i] = scatterBlock(scattered + i, dt, affine.data());
        }
    });
    takeSignalSpeed(results, scattered);
}

/// Caches what a boundary block scatters: for a step of another length it is scaled.
ScatterResult Transfers::scatterCached(Block& block, double dt, float* to, float* before)
{
    if (!block.cached) {
        block.cached = makePooled<CachedScatter>(grid_->cachePool);
        CachedScatter& c = *block.cached;
        ScatterResult result;
        const std::vector<AffineRows> zeros(block.bins.size());
        state_->kernels().scatter(scatterTask(block, 1, zeros.data(), c.arena, nullptr), result);
        if (result.failed)
            return result;
        c.signalSpeed = result.signalSpeed;
        c.material = result.material;
        for (int n = 0; n < kArenaNodes; ++n)
            c.octantMass[n / 256 * 4 + n / 32 % 2 * 2 + n / 4 % 2] += c.arena[4 * n + 3];
    }
    const CachedScatter& c = *block.cached;
    const auto step = static_cast<float>(dt);
    for (int n = 0; n < kArenaNodes; ++n) {
        for (int axis = 0; axis < 3; ++axis)
            to[4 * n + axis] = step * c.arena[4 * n + axis];
        to[4 * n + 3] = c.arena[4 * n + 3];
    }
    for (int n = 0; before && n < kArenaNodes; ++n) {
        before[4 * n] = before[4 * n + 1] = before[4 * n + 2] = 0;
        before[4 * n + 3] = c.arena[4 * n + 3];
    }
    return {c.signalSpeed, c.material, false};
}

void Transfers::addBefore(GatherTask& task) const
{
    for (int o = 0; state_->blendsFlip() && o < 27; ++o)
        task.before[o] = task.nodes[o] ? before_.data() + (task.nodes[o] - nodes_.data()) : nullptr;
}

/// Lets a task gather from the nodes of one body.
void Transfers::useNodesOf(GatherTask& task, const Block& block, std::uint16_t body) const
{
    for (int o = 0; o < 27; ++o) {
        const std::int32_t n = block.neighbour[o];
        const std::int32_t at = n < 0 ? -1 : nodesOf(grid_->blocks[n], body);
        task.nodes[o] = at < 0 ? nullptr : nodes_.data() + at * kBlockFloats;
    }
    addBefore(task);
}

/// @param task  of a block, some of whose nodes walls may hide
GatherResult Transfers::gatherDivided(const Block& block, GatherTask task)
{
    const auto slot = static_cast<std::size_t>(block.arena);
    if (walls_->isNear(slot)) {
        GatherTask behind{};
        useNodesOf(behind, block, ThinWalls::kHidden);
        std::copy_n(behind.nodes, 27, task.behind);
        std::copy_n(behind.before, 27, task.behindBefore);
        task.hidden = walls_->hidden(slot);
        task.open = walls_->open(slot);
    }
    useNodesOf(task, block, ThinWalls::kSeen);
    GatherResult result;
    state_->kernels().gather(task, result);
    return result;
}

/// @param task  of the whole block
GatherResult Transfers::gatherBodies(const Block& block, const GatherTask& task)
{
    GatherResult largest{0, 0, 0};
    for (const BodyFields::Part& part : bodies_.partsOf(static_cast<std::size_t>(block.arena))) {
        GatherTask own = task;
        own.bins += part.firstBin;
        own.binCount = part.binCount;
        own.affineRows += part.firstBin;
        useNodesOf(own, block, part.body);
        GatherResult r;
        state_->kernels().gather(own, r);
        largest = {std::max(largest.speed, r.speed), std::max(largest.component, r.component),
                   std::max(largest.gradient, r.gradient)};
    }
    return largest;
}

void Transfers::gather(const GatherRequest& request, std::vector<MigrationBuffer>* leaving)
{
    const double dt = request.dt, next = request.next;
    const SolverSettings& settings = state_->settings;
    const std::vector<std::int32_t>& list = grid_->scatterList;
    std::vector<GatherResult> results(list.size());
    std::vector<ScatterResult> scattered(next > 0 ? list.size() : 0);
    const bool touchesParticles = contact_->touchesParticles();
    std::vector<Deleted> deleted(list.size());
    std::vector<std::uint64_t> leaked(walls_->any() ? list.size() : 0);
    if (next > 0)
        state_->strainStep = dt;
    state_->volumeTime = request.volumeTime;
    if (state_->usesNearMass() && mirror_.any())
        completeMasses();
    const std::int32_t roundingSeed = physics::roundingSeed(request.time);
    const float flip = state_->blendsFlip() ? static_cast<float>(settings.flipOver(dt)) : -1.0f;
    forScattered(next > 0, [&](std::size_t i, AffineScratch& affine) {
        Block& block = grid_->blocks[list[i]];
        block.passes += state_->timesPasses();
        if (block.state == BlockState::active) {
            GatherTask task{};
            fillGatherTask(task, block, dt, nodes_, &Block::nodes, affine);
            task.roundingSeed = roundingSeed;
            task.flip = flip;
            if (walls_->any()) {
                walls_->beginMove(i);
                results[i] = gatherDivided(block, task);
                leaked[i] = walls_->endMove(i);
            } else if (bodies_.on()) {
                results[i] = gatherBodies(block, task);
            } else {
                addBefore(task);
                state_->kernels().gather(task, results[i]);
            }
            if (touchesParticles)
                contact_->applyToParticles(block, deleted[i]);
            block.speed = results[i].speed;
            block.restTime = rules::restTimeAfter(block.restTime, block.speed,
                                                  static_cast<float>(settings.restSpeed),
                                                  static_cast<float>(dt));
            if (leaving)
                (*leaving)[static_cast<std::size_t>(block.migration)].take(block, grid_->pool,
                                                                           state_->materials);
        }
        if (next > 0)
            scattered[i] = scatterBlock(i, next, affine.data());
    });
    walls_->endStep();
    state_->leaked += std::accumulate(leaked.begin(), leaked.end(), std::uint64_t{0});
    rest_->particlesMoved();
    state_->newFrom = state_->nextId;
    if (state_->materials.anyLiquid() && state_->dropsAffine()) {
        std::swap(nodes_, keptNodes_);
        for (Block& block : grid_->blocks)
            block.keptNodes = block.nodes;
    }
    GatherResult largest{0, 0, 0};
    for (const GatherResult& r : results) {
        largest.speed = std::max(largest.speed, r.speed);
        largest.component = std::max(largest.component, r.component);
        largest.gradient = std::max(largest.gradient, r.gradient);
    }
    for (const Deleted& d : deleted) {
        state_->deleted.leftDomain += d.leftDomain;
        state_->deleted.byCollider += d.byCollider;
    }
    state_->bounds.speed = largest.speed;
    state_->bounds.component = largest.component;
    state_->bounds.gradient = largest.gradient;
    state_->strainStep = dt;
    state_->lastStep = dt;
    ++state_->stepsSinceBalance;
    if (next > 0) {
        beginSignals();
        takeSignalSpeed(scattered);
    }
}

} // namespace floe::mpm
