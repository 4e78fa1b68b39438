// Boundary blocks: what they scatter without moving, and how it is noticed that they should move.
//
// A boundary block is scattered at rest, so what the nodes give it in one step is what it would
// have gained. From step to step that adds up as it would if all resting blocks moved along without
// a change of their stress: with V the block's velocity so far, v the nodes' velocity, m their mass
// and m_r the resting blocks' share of it, the nodes of a moving rest would have v + V m_r/m. So V
// approaches the velocity of what drags at it, and grows with time where support is gone. What
// holds resting material in place, a little strain, is not in this sum; instead it forgets
// (SolverSettings::guardMemory), and a push weaker than wakeSpeed/guardMemory never wakes. A block
// that wakes starts with V: what it was given in its sleep is not lost.

#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace floe::mpm {

namespace {

/// Nodes [begin, end) along an axis of a block's own four that lie in the arena of its neighbour at
/// offset -1, 0, 1, and where there.
struct Overlap {
    int begin, end, shift;
};
constexpr Overlap kOverlaps[3] = {{0, 3, 5}, {0, 4, 1}, {3, 4, -3}};

bool hasGained(const Block& block)
{
    return block.gain != std::array<float, 3>{};
}

} // namespace

ScatterResult Solver::scatterFrozen(Block& block, double dt, float* to, float* before)
{
    if (!block.frozen) {
        block.frozen = makePooled<Frozen>(frozenPool_);
        Frozen& f = *block.frozen;
        ScatterResult result;
        const std::vector<AffineRows> still(block.bins.size());
        kernels().scatter(scatterTask(block, 1, still.data(), f.arena, nullptr), result);
        if (result.failed)
            return result;
        f.signalSpeed = result.signalSpeed;
        f.material = result.material;
        for (int n = 0; n < kArenaNodes; ++n)
            f.octantMass[n / 256 * 4 + n / 32 % 2 * 2 + n / 4 % 2] += f.arena[4 * n + 3];
    }
    const Frozen& f = *block.frozen;
    const auto step = static_cast<float>(dt);
    for (int n = 0; n < kArenaNodes; ++n) {
        for (int axis = 0; axis < 3; ++axis)
            to[4 * n + axis] = step * f.arena[4 * n + axis];
        to[4 * n + 3] = f.arena[4 * n + 3];
    }
    for (int n = 0; before && n < kArenaNodes; ++n) {
        before[4 * n] = before[4 * n + 1] = before[4 * n + 2] = 0;
        before[4 * n + 3] = f.arena[4 * n + 3];
    }
    return {f.signalSpeed, f.material, false};
}

void Solver::forgetFrozen()
{
    for (Block& block : blocks_)
        block.frozen.reset();
    frozenMassOf_.clear();
}

/// For the nodes of all blocks beside `boundary`: the mass that resting blocks have there, and
/// whether all blocks are there that should be. A passive block is not, and what its neighbours do
/// to nodes that it shares is not balanced. Neither changes while the lists and `boundary` do not.
void Solver::findFrozenMass(const std::vector<std::int32_t>& boundary)
{
    if (boundary == frozenMassOf_)
        return;
    frozenMassOf_ = boundary;
    frozenMass_.resize(gridList_.size() * kBlockNodes);
    nodesComplete_.assign(gridList_.size(), 0);
    std::vector<std::int32_t> wanted;
    for (const std::int32_t index : boundary)
        for (const std::int32_t n : blocks_[index].neighbour)
            if (n >= 0 && blocks_[n].nodes >= 0 && !nodesComplete_[blocks_[n].nodes]) {
                nodesComplete_[blocks_[n].nodes] = 1;
                wanted.push_back(n);
            }
    executor_->parallelFor(wanted.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t w = begin; w < end; ++w) {
            const Block& block = blocks_[wanted[w]];
            float* mass = frozenMass_.data() + static_cast<std::size_t>(block.nodes) * kBlockNodes;
            std::fill_n(mass, kBlockNodes, 0.0f);
            for (int o = 0; o < 27; ++o) {
                const std::int32_t n = block.neighbour[o];
                if (n < 0 || blocks_[n].particles == 0)
                    continue;
                const bool reaches = o / 9 < 2 && o / 3 % 3 < 2 && o % 3 < 2;
                if (reaches && blocks_[n].state == BlockState::passive)
                    nodesComplete_[block.nodes] = 0;
                if (!blocks_[n].frozen)
                    continue;
                const Overlap x = kOverlaps[o / 9], y = kOverlaps[o / 3 % 3], z = kOverlaps[o % 3];
                const float* arena = blocks_[n].frozen->arena;
                for (int i = x.begin; i < x.end; ++i)
                    for (int j = y.begin; j < y.end; ++j)
                        for (int k = z.begin; k < z.end; ++k)
                            mass[(i * 4 + j) * 4 + k] +=
                                arena[4 * (((i + x.shift) * kArenaEdge + j + y.shift) * kArenaEdge +
                                           k + z.shift) +
                                      3];
            }
        }
    });
}

/// Sets block.pushSpeed. @return what `gain` becomes when the step is taken
std::array<float, 3> Solver::findPush(Block& block, double dt) const
{
    const Frozen& f = *block.frozen;
    float push[3] = {}, drag = 0, energy[8] = {};
    for (int o = 0; o < 27; ++o) {
        const std::int32_t n = block.neighbour[o];
        if (n < 0 || blocks_[n].nodes < 0 || !nodesComplete_[blocks_[n].nodes])
            continue;
        const auto slot = static_cast<std::size_t>(blocks_[n].nodes);
        const float* nodes = nodes_.data() + slot * kBlockNodes * kNodeFloats;
        const float* resting = frozenMass_.data() + slot * kBlockNodes;
        const int offset[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
        const Overlap x = kOverlaps[1 - offset[0]], y = kOverlaps[1 - offset[1]],
                      z = kOverlaps[1 - offset[2]];
        for (int i = x.begin; i < x.end; ++i)
            for (int j = y.begin; j < y.end; ++j)
                for (int k = z.begin; k < z.end; ++k) {
                    const int a = i + 4 * offset[0] + 1, b = j + 4 * offset[1] + 1,
                              c = k + 4 * offset[2] + 1;
                    const float own = f.arena[4 * ((a * kArenaEdge + b) * kArenaEdge + c) + 3];
                    if (!(own > 0))
                        continue;
                    const int node = (i * 4 + j) * 4 + k;
                    const float* v = nodes + 4 * node;
                    float speed2 = 0;
                    for (int axis = 0; axis < 3; ++axis) {
                        push[axis] += own * v[axis];
                        speed2 += v[axis] * v[axis];
                    }
                    drag += own * (1 - std::min(1.0f, resting[node] / v[3]));
                    energy[a / 4 * 4 + b / 4 * 2 + c / 4] += own * speed2;
                }
    }
    float mass = 0, most2 = 0;
    for (int q = 0; q < 8; ++q) {
        mass += f.octantMass[q];
        if (f.octantMass[q] > 0)
            most2 = std::max(most2, energy[q] / f.octantMass[q]);
    }
    std::array<float, 3> gain{};
    if (!(mass > 0))
        return gain;
    const float forget = std::exp(static_cast<float>(-dt / settings_.guardMemory));
    float gained2 = 0;
    for (int axis = 0; axis < 3; ++axis) {
        gain[axis] = forget * (block.gain[axis] * (1 - drag / mass) + push[axis] / mass);
        gained2 += gain[axis] * gain[axis];
    }
    block.pushSpeed = std::sqrt(std::max(most2, gained2));
    return gain;
}

/// Wakes boundary blocks that are pushed faster than the wake speed, and sees to it that everything
/// their motion needs is on the grid.
void Solver::guard(double dt)
{
    for (;;) {
        std::vector<std::int32_t> boundary, woken;
        for (const std::int32_t index : scatterList_)
            if (blocks_[index].state == BlockState::boundary)
                boundary.push_back(index);
        if (boundary.empty())
            return;
        Stopwatch watch(statistics_.gridSeconds);
        findFrozenMass(boundary);
        std::vector<std::array<float, 3>> gain(boundary.size());
        executor_->parallelFor(boundary.size(), 16, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                gain[i] = findPush(blocks_[boundary[i]], dt);
        });
        if (settings_.wakeSpeed > 0)
            for (const std::int32_t index : boundary)
                if (blocks_[index].pushSpeed > settings_.wakeSpeed)
                    woken.push_back(index);
        if (woken.empty()) {
            for (std::size_t i = 0; i < boundary.size(); ++i)
                blocks_[boundary[i]].gain = gain[i];
            return;
        }
        spreadThroughStiff(woken);
        std::erase_if(
            woken, [&](std::int32_t index) { return blocks_[index].state == BlockState::active; });
        admit(woken, dt);
    }
}

/// A boundary block that has been scattered at rest for this step moves with its gain instead.
void Solver::startMoving(Block& block)
{
    if (!hasGained(block))
        return;
    const auto slot = static_cast<std::size_t>(block.arena);
    for (float* arenas : {arena(slot), arenaBefore(slot)})
        for (int n = 0; arenas && n < kArenaNodes; ++n)
            for (int axis = 0; axis < 3; ++axis)
                arenas[4 * n + axis] += arenas[4 * n + 3] * block.gain[axis];
    for (const BinRef& bin : block.bins)
        for (int axis = 0; axis < 3; ++axis)
            for (int lane = 0; lane < bin.count; ++lane)
                if (bin.rowAt(row::mass)[lane] > 0)
                    bin.rowAt(row::v + axis)[lane] = block.gain[axis];
}

/// Makes blocks active whose neighbours have been scattered for this step already, and scatters
/// what that needs. Passive blocks beside them become boundary blocks.
/// @return how many blocks of the grid were in its list before
std::size_t Solver::enlist(const std::vector<std::int32_t>& woken, double dt)
{
    statistics_.guardWakes += woken.size();
    asleep_ -= woken.size();
    frozenMassOf_.clear();
    const std::size_t scattered = scatterList_.size(), updated = gridList_.size();
    const auto list = [&](std::int32_t index) {
        blocks_[index].arena = static_cast<std::int32_t>(scatterList_.size());
        scatterList_.push_back(index);
    };
    for (const std::int32_t index : woken) {
        Block& block = blocks_[index];
        if (block.arena < 0)
            list(index);
        else
            startMoving(block);
        wake(block);
        gatherList_.push_back(index);
    }
    for (const std::int32_t index : woken)
        for (const std::int32_t n : blocks_[index].neighbour) {
            if (n < 0)
                continue;
            Block& beside = blocks_[n];
            if (beside.particles > 0 && beside.state == BlockState::passive) {
                beside.state = BlockState::boundary;
                list(n);
            }
            if (beside.nodes < 0) {
                beside.nodes = static_cast<std::int32_t>(gridList_.size());
                gridList_.push_back(n);
            }
        }
    scatterMore(scattered, dt);
    return updated;
}

/// The same between the update of the nodes and the gather.
void Solver::admit(const std::vector<std::int32_t>& woken, double dt)
{
    std::vector<std::int32_t> scattersAnew; // blocks; others' arenas stay as they are
    std::copy_if(woken.begin(), woken.end(), std::back_inserter(scattersAnew),
                 [&](std::int32_t index) { return hasGained(blocks_[index]); });
    const auto scattered = static_cast<std::ptrdiff_t>(scatterList_.size());
    const std::size_t updated = enlist(woken, dt);
    scattersAnew.insert(scattersAnew.end(), scatterList_.begin() + scattered, scatterList_.end());
    makeNodes(updated);
    std::vector<std::int32_t> changed;
    for (std::size_t slot = updated; slot < gridList_.size(); ++slot)
        changed.push_back(static_cast<std::int32_t>(slot));
    for (const std::int32_t index : scattersAnew)
        for (const std::int32_t n : blocks_[index].neighbour)
            if (n >= 0 && blocks_[n].nodes >= 0)
                changed.push_back(blocks_[n].nodes);
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    executor_->parallelFor(changed.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            updateNodes(static_cast<std::size_t>(changed[i]), dt);
    });
    summariseNodes();
    if (!gridFinite_)
        failNotANumber();
}

} // namespace floe::mpm
