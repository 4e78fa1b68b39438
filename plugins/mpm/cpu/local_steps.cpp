// Blocks that take one long step while others take several (held_nodes.hpp).

#include "particle_rules.hpp"
#include "transfer.hpp"

#include <floe/sdk/physics/rounding.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace floe::mpm {

namespace {

/// Returns the largest signal speed among results. @param slots  of these
ScatterResult fastestOf(const std::vector<ScatterResult>& results,
                        const std::vector<std::int32_t>& slots)
{
    ScatterResult fastest{};
    for (const std::int32_t slot : slots) {
        const ScatterResult& r = results[static_cast<std::size_t>(slot)];
        if (r.failed)
            return r;
        if (r.signalSpeed > fastest.signalSpeed)
            fastest = r;
    }
    return fastest;
}

/// Where stiff particles of a block lie [cells], from the block's first node.
struct Extent {
    std::array<float, 3> low{kFar, kFar, kFar}, high{-kFar, -kFar, -kFar};

    bool any() const { return low[0] <= high[0]; }
    void add(const BinRef& bin)
    {
        for (int lane = 0; lane < bin.count; ++lane)
            for (int axis = 0; axis < 3 && bin.rowAt(row::mass)[lane] > 0; ++axis) {
                const auto a = static_cast<std::size_t>(axis);
                low[a] = std::min(low[a], bin.rowAt(row::x + axis)[lane]);
                high[a] = std::max(high[a], bin.rowAt(row::x + axis)[lane]);
            }
    }
    /// Returns whether they are so near to the block's neighbour that it must take their steps.
    bool isNear(int offset) const
    {
        const BlockCoordinate beside = neighbourOf({0, 0, 0}, offset);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const float first = static_cast<float>(kBlockEdge * beside[axis]) + 0.5f;
            if (low[axis] > first + kBlockEdge + kBuffer || high[axis] < first - kBuffer)
                return false;
        }
        return true;
    }

private:
    static constexpr float kFar = 1e9f;
    /// Between stiff particles and slow blocks [cells]. The nodes that these share are then those
    /// of soft matter: a vibration of stiff matter is over too soon for the long step to see.
    static constexpr float kBuffer = 2;
};

/// Lets walls mirror the nodes that are shared, or those that slow blocks alone reach.
/// @param mirrored  by grid slot: 0 where no wall is near, 1 where it mirrors, else 2
void chooseMirrored(const HeldNodes& held, std::vector<std::uint8_t>& mirrored, bool shared)
{
    for (std::size_t slot = 0; slot < mirrored.size(); ++slot)
        if (mirrored[slot])
            mirrored[slot] = (held.placeOf[slot] >= 0) == shared ? 1 : 2;
}

} // namespace

std::vector<double> Transfers::signalSpeeds() const
{
    std::vector<double> speeds(state_->materials.size(), 0);
    std::vector<std::uint8_t> present(speeds.size());
    for (const Block& block : grid_->blocks)
        for (const BinRef& bin : block.bins)
            present[bin.material] = 1;
    for (std::size_t m = 0; m < speeds.size(); ++m) {
        const double measured = m < measured_.size() ? measured_[m] : 0;
        if (present[m])
            speeds[m] = measured > 0 ? measured : state_->materials.soundSpeed(m);
    }
    return speeds;
}

std::uint64_t Transfers::split(double speed)
{
    const std::vector<double> speeds = signalSpeeds();
    std::vector<Block>& blocks = grid_->blocks;
    std::vector<Extent> stiff(blocks.size());
    state_->executor->parallelFor(blocks.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (const BinRef& bin : blocks[i].bins)
                if (speeds[bin.material] > speed)
                    stiff[i].add(bin);
    });
    for (Block& block : blocks)
        block.slow = block.particles > 0;
    for (std::size_t i = 0; i < stiff.size(); ++i)
        for (int o = 0; o < kOffsets && stiff[i].any(); ++o)
            if (const std::int32_t n = blocks[i].neighbour[static_cast<std::size_t>(o)];
                n >= 0 && stiff[i].isNear(o))
                blocks[static_cast<std::size_t>(n)].slow = false;
    std::uint64_t particles = 0;
    for (const Block& block : blocks)
        particles += block.slow ? block.particles : 0;
    return particles;
}

/// Finds who shares nodes with whom. Walls that mirror relate nodes along their normals: all of
/// these take the same steps.
void Transfers::findShared()
{
    findMirrored();
    const std::vector<std::int32_t>& list = grid_->gridList;
    const auto isFast = [&](std::int32_t n) {
        return n >= 0 && grid_->blocks[n].arena >= 0 && !grid_->blocks[n].slow;
    };
    std::vector<std::uint8_t> shared(list.size());
    for (std::size_t slot = 0; slot < list.size(); ++slot) {
        const auto& around = grid_->blocks[list[slot]].neighbour;
        shared[slot] = std::any_of(around.begin(), around.end(), isFast);
    }
    const auto isRelated = [&](const Block& block, int offset) {
        const BlockCoordinate beside = neighbourOf({0, 0, 0}, offset);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double first = kBlockEdge * static_cast<double>(block.coordinate[axis]);
            if (beside[axis] != 0 &&
                !mirror_.axis(static_cast<int>(axis)).concerns(first, first + kBlockEdge - 1))
                return false;
        }
        const std::int32_t n = block.neighbour[static_cast<std::size_t>(offset)];
        const std::int32_t slot = n < 0 ? -1 : grid_->blocks[n].nodes;
        return slot >= 0 && mirrored_[static_cast<std::size_t>(slot)] &&
               shared[static_cast<std::size_t>(slot)];
    };
    for (bool more = mirror_.any(); more;) {
        more = false;
        for (std::size_t slot = 0; slot < list.size(); ++slot)
            for (int o = 0; o < kOffsets && mirrored_[slot] && !shared[slot]; ++o)
                if (isRelated(grid_->blocks[list[slot]], o)) {
                    shared[slot] = 1;
                    more = true;
                }
    }
    held_.fast.clear();
    held_.slow.clear();
    held_.shared.clear();
    held_.slowOnly.clear();
    held_.placeOf.assign(list.size(), -1);
    for (std::size_t slot = 0; slot < list.size(); ++slot) {
        if (shared[slot])
            held_.placeOf[slot] = static_cast<std::int32_t>(held_.shared.size());
        (shared[slot] ? held_.shared : held_.slowOnly).push_back(static_cast<std::int32_t>(slot));
    }
    held_.momentaOf.assign(grid_->scatterList.size(), -1);
    std::int32_t momenta = 0;
    for (std::size_t slot = 0; slot < grid_->scatterList.size(); ++slot) {
        const Block& block = grid_->blocks[grid_->scatterList[slot]];
        (block.slow ? held_.slow : held_.fast).push_back(static_cast<std::int32_t>(slot));
        const auto sharesNodes = [&](std::int32_t n) {
            return n >= 0 && grid_->blocks[n].nodes >= 0 &&
                   held_.placeOf[static_cast<std::size_t>(grid_->blocks[n].nodes)] >= 0;
        };
        if (block.slow && std::any_of(block.neighbour.begin(), block.neighbour.end(), sharesNodes))
            held_.momentaOf[slot] = momenta++;
    }
    held_.momenta.reserve(static_cast<std::size_t>(momenta) * kArenaFloats, 0);
    const std::size_t floats = held_.shared.size() * kBlockFloats;
    for (FloatBuffer* buffer : {&held_.start, &held_.force, &held_.last})
        buffer->reserve(floats, 0);
}

template <class Work>
void Transfers::forSlots(const std::vector<std::int32_t>& slots, std::size_t grain,
                         const Work& work) const
{
    state_->executor->parallelFor(slots.size(), grain, [&](std::size_t begin, std::size_t end) {
        AffineScratch affine;
        for (std::size_t i = begin; i < end; ++i)
            work(static_cast<std::size_t>(slots[i]), affine);
    });
}

ScatterResult Transfers::scatterSlow(std::size_t slot, double dt)
{
    const std::int32_t own = held_.momentaOf[slot];
    float* const momenta =
        own < 0 ? nullptr : held_.momenta.data() + static_cast<std::size_t>(own) * kArenaFloats;
    const Block& block = grid_->blocks[grid_->scatterList[slot]];
    ScatterResult result;
    // Every block keeps C where blocks take steps of their own.
    state_->kernels().scatter(scatterTask(block, dt, nullptr, arena(slot), momenta), result);
    return result;
}

void Transfers::scatterSplit(double dt, double whole)
{
    findShared();
    const std::size_t count = grid_->scatterList.size();
    arenas_.reserve(count * kArenaFloats, 0);
    std::vector<ScatterResult> results(count);
    state_->executor->parallelFor(count, 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t slot = begin; slot < end; ++slot) {
            const bool slow = grid_->blocks[grid_->scatterList[slot]].slow;
            results[slot] = slow ? scatterSlow(slot, whole) : scatterBlock(slot, dt, nullptr);
        }
    });
    beginSignals();
    takeSignalSpeed(results);
    takeSplitSignals(results);
    makeNodes(0);
    contact_->record().begin(nodesCount());
    std::fill(nodeComponent_.begin(), nodeComponent_.end(), 0.0f);
    std::fill(nodeFinite_.begin(), nodeFinite_.end(), std::uint8_t{1});
    holdNodes(whole);
    held_.on = held_.first = true;
}

/// Stores the fastest waves of fast and of slow blocks. @param results  of the scatter list
void Transfers::takeSplitSignals(const std::vector<ScatterResult>& results)
{
    const ScatterResult fast = fastestOf(results, held_.fast);
    state_->bounds.signalSpeed = fast.signalSpeed;
    state_->bounds.signalMaterial = fast.material;
    state_->bounds.slowSignalSpeed = fastestOf(results, held_.slow).signalSpeed;
}

/// Sums what slow blocks put to nodes that they share.
void Transfers::holdNodes(double whole)
{
    state_->executor->parallelFor(held_.shared.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Block& block = grid_->blocks[grid_->gridList[held_.shared[i]]];
            const float *moved[27], *before[27];
            for (int o = 0; o < 27; ++o) {
                const std::int32_t n = block.neighbour[o];
                const std::int32_t slot = n < 0 ? -1 : grid_->blocks[n].arena;
                const bool slow = slot >= 0 && grid_->blocks[n].slow;
                moved[o] = slow ? arena(static_cast<std::size_t>(slot)) : nullptr;
                before[o] = slow
                                ? held_.momenta.data() +
                                      static_cast<std::size_t>(held_.momentaOf[slot]) * kArenaFloats
                                : nullptr;
            }
            float* const start = held_.start.data() + i * kBlockFloats;
            float* const force = held_.force.data() + i * kBlockFloats;
            state_->kernels().implicit->sum(moved, force);
            state_->kernels().implicit->sum(before, start);
            const auto rate = static_cast<float>(1 / whole);
            for (int n = 0; n < kBlockNodes; ++n)
                for (int axis = 0; axis < 3; ++axis)
                    force[4 * n + axis] = rate * (force[4 * n + axis] - start[4 * n + axis]);
        }
    });
}

/// Fills what slow blocks have at the nodes of a shared grid block in the present step.
/// @param place  in HeldNodes::shared
void Transfers::fillHeld(std::size_t place, double dt, float* held) const
{
    const float* const force = held_.force.data() + place * kBlockFloats;
    const float* const start = held_.start.data() + place * kBlockFloats;
    const float* const last = held_.last.data() + place * kBlockFloats;
    const auto step = static_cast<float>(dt);
    for (int n = 0; n < kBlockNodes; ++n) {
        const float mass = force[4 * n + 3];
        for (int axis = 0; axis < 3; ++axis)
            held[4 * n + axis] = (held_.first ? start[4 * n + axis] : mass * last[4 * n + axis]) +
                                 step * force[4 * n + axis];
        held[4 * n + 3] = mass;
    }
}

/// Sums fast blocks' arenas, and what slow blocks have.
void Transfers::sumSharedOf(std::size_t slot, double dt)
{
    GridTask task = gridTask(grid_->blocks[grid_->gridList[slot]]);
    for (int o = 0; o < 27; ++o) {
        const std::int32_t n = grid_->blocks[grid_->gridList[slot]].neighbour[o];
        if (n >= 0 && grid_->blocks[n].slow)
            task.arenas[o] = nullptr;
    }
    alignas(64) float held[kBlockFloats];
    fillHeld(static_cast<std::size_t>(held_.placeOf[slot]), dt, held);
    task.held = held;
    sumNodesOf(task, slot, dt);
}

void Transfers::updateSlowOnly(double time, double whole)
{
    chooseMirrored(held_, mirrored_, false);
    forSlots(held_.slowOnly, 16,
             [&](std::size_t slot, AffineScratch&) { updateNodesOf(slot, time, whole); });
    if (mirror_.any())
        updateMirrored(time, whole);
    summariseNodes();
}

void Transfers::updateShared(double time, double dt)
{
    chooseMirrored(held_, mirrored_, true);
    forSlots(held_.shared, 16,
             [&](std::size_t slot, AffineScratch&) { updateNodesOf(slot, time, dt); });
    if (mirror_.any())
        updateMirrored(time, dt);
    summariseNodes();
}

void Transfers::copyShared(bool back)
{
    state_->executor->parallelFor(held_.shared.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            float* const nodes =
                nodes_.data() + static_cast<std::size_t>(held_.shared[i]) * kBlockFloats;
            float* const last = held_.last.data() + i * kBlockFloats;
            std::copy_n(back ? last : nodes, kBlockFloats, back ? nodes : last);
        }
    });
}

/// Gathers one block and moves its particles.
GatherResult Transfers::gatherLocal(Block& block, double time, double dt, AffineScratch& affine,
                                    Deleted& deleted)
{
    GatherTask task{};
    fillGatherTask(task, block, dt, nodes_, &Block::nodes, affine);
    task.roundingSeed = physics::roundingSeed(time);
    task.flip = -1;
    GatherResult result;
    state_->kernels().gather(task, result);
    if (contact_->touchesParticles())
        contact_->applyToParticles(block, deleted);
    block.speed = result.speed;
    block.restTime = rules::restTimeAfter(block.restTime, block.speed,
                                          static_cast<float>(state_->settings.restSpeed),
                                          static_cast<float>(dt));
    block.strainStep = static_cast<float>(dt);
    return result;
}

/// Stores the largest motion among results.
/// @param more  beside what the bounds hold
void Transfers::takeMotion(std::span<const GatherResult> results, std::span<const Deleted> deleted,
                           bool more)
{
    Bounds& bounds = state_->bounds;
    if (!more)
        bounds.speed = bounds.component = bounds.gradient = 0;
    for (const GatherResult& r : results) {
        bounds.speed = std::max(bounds.speed, static_cast<double>(r.speed));
        bounds.component = std::max(bounds.component, static_cast<double>(r.component));
        bounds.gradient = std::max(bounds.gradient, static_cast<double>(r.gradient));
    }
    for (const Deleted& d : deleted) {
        state_->deleted.leftDomain += d.leftDomain;
        state_->deleted.byCollider += d.byCollider;
    }
}

void Transfers::scatterFast(double dt)
{
    std::vector<ScatterResult> results(grid_->scatterList.size());
    forSlots(held_.fast, 4, [&](std::size_t slot, AffineScratch&) {
        results[slot] = scatterBlock(slot, dt, nullptr);
    });
    takeFastSignals(results);
}

void Transfers::takeFastSignals(const std::vector<ScatterResult>& results)
{
    const ScatterResult fast = fastestOf(results, held_.fast);
    if (fast.failed)
        takeSignalSpeed(std::span(&fast, 1)); // which reports it
    state_->bounds.signalSpeed = fast.signalSpeed;
    state_->bounds.signalMaterial = fast.material;
    state_->strainStep = 0;
}

void Transfers::gatherFast(const GatherRequest& request)
{
    const std::size_t count = grid_->scatterList.size();
    std::vector<GatherResult> results(count, GatherResult{0, 0, 0});
    std::vector<ScatterResult> scattered(request.next > 0 ? count : 0);
    std::vector<Deleted> deleted(count);
    state_->strainStep = request.dt;
    forSlots(held_.fast, 4, [&](std::size_t slot, AffineScratch& affine) {
        Block& block = grid_->blocks[grid_->scatterList[slot]];
        results[slot] = gatherLocal(block, request.time, request.dt, affine, deleted[slot]);
        if (request.next > 0) {
            scattered[slot] = scatterBlock(slot, request.next, nullptr);
            block.strainStep = 0;
        }
    });
    takeMotion(results, deleted, false);
    copyShared(false);
    held_.first = false;
    if (request.next > 0)
        takeFastSignals(scattered);
}

double Transfers::gatherSlow(double time, double whole)
{
    const std::size_t count = grid_->scatterList.size();
    std::vector<GatherResult> results(count, GatherResult{0, 0, 0});
    std::vector<Deleted> deleted(count);
    forSlots(held_.slow, 4, [&](std::size_t slot, AffineScratch& affine) {
        Block& block = grid_->blocks[grid_->scatterList[slot]];
        results[slot] = gatherLocal(block, time, whole, affine, deleted[slot]);
    });
    takeMotion(results, deleted, true);
    float fastest = 0;
    for (const GatherResult& r : results)
        fastest = std::max(fastest, r.component);
    state_->newFrom = state_->nextId;
    held_.on = false;
    state_->strainByBlock = true;
    return fastest;
}

void Transfers::shortenSlow(double whole)
{
    forSlots(held_.slow, 4, [&](std::size_t slot, AffineScratch&) { scatterSlow(slot, whole); });
}

} // namespace floe::mpm
