#include "boundary_blocks.hpp"

#include "boundary_push.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace floe::mpm {

namespace {

/// Nodes [begin, end) along an axis of a block's own four that lie in the arena of its neighbour at
/// offset -1, 0, 1, and their index there.
struct Overlap {
    int begin, end, shift;
};
constexpr Overlap kOverlaps[3] = {{0, 3, 5}, {0, 4, 1}, {3, 4, -3}};

/// Returns a bit for each node of a block that particles at rest of its neighbour reach.
std::uint64_t reachedAtRest(int support, int neighbour)
{
    std::uint64_t reached = 0;
    for (int n = 0; n < kBlockNodes; ++n)
        if (rules::reachesAtRest(support, neighbour / 9 - 1, n / 16) &&
            rules::reachesAtRest(support, neighbour / 3 % 3 - 1, n / 4 % 4) &&
            rules::reachesAtRest(support, neighbour % 3 - 1, n % 4))
            reached |= std::uint64_t{1} << n;
    return reached;
}

bool hasGained(const Block& block)
{
    return block.gain != std::array<float, 3>{};
}

} // namespace

/// Returns an arena with the masses of a boundary block; null: it is none. Another rank's has sent
/// its arena for this step.
const float* BoundaryBlocks::arenaAtRest(const Block& block) const
{
    if (block.ghost)
        return block.state == BlockState::boundary && block.near
                   ? transfers_->arena(static_cast<std::size_t>(block.arena))
                   : nullptr;
    return block.cached ? block.cached->arena : nullptr;
}

/// Finds, for the nodes of all blocks beside `boundary`, the mass of inactive blocks, and whether
/// all blocks that overlap them are scattered. A passive block is not, so forces on nodes that it
/// shares are not balanced. Neither changes until the lists do.
void BoundaryBlocks::findInactiveMass(const std::vector<std::int32_t>& boundary)
{
    if (generation_ == grid_->generation)
        return;
    generation_ = grid_->generation;
    inactiveMass_.resize(grid_->gridList.size() * kBlockNodes);
    nodesComplete_.assign(grid_->gridList.size(), 0);
    const int support = state_->settings.kernel == Kernel::cubic ? 4 : 3;
    std::vector<std::int32_t> wanted;
    for (const std::int32_t index : boundary)
        for (const std::int32_t n : grid_->blocks[index].neighbour)
            if (n >= 0 && grid_->blocks[n].nodes >= 0 && !nodesComplete_[grid_->blocks[n].nodes]) {
                nodesComplete_[grid_->blocks[n].nodes] = ~0ull;
                wanted.push_back(n);
            }
    state_->executor->parallelFor(wanted.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t w = begin; w < end; ++w) {
            const Block& block = grid_->blocks[wanted[w]];
            float* mass =
                inactiveMass_.data() + static_cast<std::size_t>(block.nodes) * kBlockNodes;
            std::fill_n(mass, kBlockNodes, 0.0f);
            for (int o = 0; o < 27; ++o) {
                const std::int32_t n = block.neighbour[o];
                if (n < 0 || (grid_->blocks[n].particles == 0 && !grid_->blocks[n].ghost))
                    continue;
                if (grid_->blocks[n].state == BlockState::passive)
                    nodesComplete_[block.nodes] &= ~reachedAtRest(support, o);
                const float* arena = arenaAtRest(grid_->blocks[n]);
                if (!arena)
                    continue;
                const Overlap x = kOverlaps[o / 9], y = kOverlaps[o / 3 % 3], z = kOverlaps[o % 3];
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

/// Sets block.pushSpeed. @return the new `gain`, if the step is taken
std::array<float, 3> BoundaryBlocks::findPush(Block& block, double dt) const
{
    const CachedScatter& f = *block.cached;
    rules::PushSums sums{};
    std::copy_n(f.octantMass, 8, sums.mass);
    for (int o = 0; o < 27; ++o) {
        const std::int32_t n = block.neighbour[o];
        if (n < 0 || grid_->blocks[n].nodes < 0 || !nodesComplete_[grid_->blocks[n].nodes])
            continue;
        const auto slot = static_cast<std::size_t>(grid_->blocks[n].nodes);
        const std::uint64_t complete = nodesComplete_[slot];
        const sdk::grid::Block<const Nodes> nodes(transfers_->nodes(), slot);
        const float* inactive = inactiveMass_.data() + slot * kBlockNodes;
        const int offset[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
        const Overlap x = kOverlaps[1 - offset[0]], y = kOverlaps[1 - offset[1]],
                      z = kOverlaps[1 - offset[2]];
        for (int i = x.begin; i < x.end; ++i)
            for (int j = y.begin; j < y.end; ++j)
                for (int k = z.begin; k < z.end; ++k) {
                    const int a = i + 4 * offset[0] + 1, b = j + 4 * offset[1] + 1,
                              c = k + 4 * offset[2] + 1;
                    const float own = f.arena[4 * ((a * kArenaEdge + b) * kArenaEdge + c) + 3];
                    const int node = (i * 4 + j) * 4 + k;
                    if (!(own > 0) || !(complete >> node & 1))
                        continue;
                    float speed2 = 0;
                    for (int axis = 0; axis < 3; ++axis) {
                        const float v = nodes.at<Velocity>(node, axis);
                        sums.momentum[axis] += own * v;
                        speed2 += v * v;
                    }
                    sums.drag += own * rules::drag(inactive[node], nodes.at<Mass>(node));
                    sums.energy[a / 4 * 4 + b / 4 * 2 + c / 4] += own * speed2;
                }
    }
    const rules::Push push =
        rules::pushOf(sums, block.gain.data(), rules::keptGain(dt, state_->settings.guardMemory));
    block.pushSpeed = push.speed;
    return std::to_array(push.gain);
}

std::vector<std::int32_t> BoundaryBlocks::findPushed(double dt, double wakeSpeed, bool& elsewhere)
{
    std::vector<std::int32_t> boundary, pushed;
    for (const std::int32_t index : grid_->scatterList)
        if (grid_->blocks[index].state == BlockState::boundary)
            boundary.push_back(index);
    const Ranks* ranks = state_->ownership.ranks;
    if (boundary.empty() && !ranks)
        return pushed;
    findInactiveMass(boundary);
    std::vector<std::array<float, 3>> gain(boundary.size());
    state_->executor->parallelFor(boundary.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            gain[i] = findPush(grid_->blocks[boundary[i]], dt);
    });
    for (const std::int32_t index : boundary)
        if (rules::isPushed(grid_->blocks[index].pushSpeed, static_cast<float>(wakeSpeed)))
            pushed.push_back(index);
    elsewhere = ranks && anywhere(ranks, !pushed.empty());
    for (std::size_t i = 0; pushed.empty() && !elsewhere && i < boundary.size(); ++i)
        grid_->blocks[boundary[i]].gain = gain[i];
    return pushed;
}

void BoundaryBlocks::takeGain(Block& block)
{
    for (const BinRef& bin : block.bins)
        for (int axis = 0; axis < 3; ++axis)
            for (int lane = 0; lane < bin.count; ++lane)
                if (bin.rowAt(row::mass)[lane] > 0)
                    bin.rowAt(row::v + axis)[lane] = block.gain[axis];
}

/// Lets a boundary block that has been scattered at rest for this step move with its gain instead.
void BoundaryBlocks::startMoving(Block& block)
{
    if (!hasGained(block))
        return;
    const auto slot = static_cast<std::size_t>(block.arena);
    for (float* arenas : {transfers_->arena(slot), transfers_->arenaBefore(slot)})
        for (int n = 0; arenas && n < kArenaNodes; ++n)
            for (int axis = 0; axis < 3; ++axis)
                arenas[4 * n + axis] += arenas[4 * n + 3] * block.gain[axis];
    takeGain(block);
}

void BoundaryBlocks::startMoving(std::span<const std::int32_t> woken)
{
    for (const std::int32_t index : woken) {
        Block& block = grid_->blocks[index];
        if (block.arena >= 0)
            startMoving(block);
        wakeBlock(block);
    }
}

/// Activates blocks whose neighbours have already been scattered for this step, and scatters what
/// they need. Passive blocks beside them become boundary blocks.
/// @return the previous length of the list of grid blocks
std::size_t BoundaryBlocks::enlist(std::span<const std::int32_t> woken, double dt)
{
    std::vector<Block>& blocks = grid_->blocks;
    grid_->inactive -= woken.size();
    ++grid_->generation;
    const std::size_t scattered = grid_->scatterList.size(), updated = grid_->gridList.size();
    const auto list = [&](std::int32_t index) {
        blocks[index].arena = static_cast<std::int32_t>(grid_->scatterList.size());
        grid_->scatterList.push_back(index);
    };
    for (const std::int32_t index : woken) {
        Block& block = blocks[index];
        if (block.arena < 0)
            list(index);
        else
            startMoving(block);
        wakeBlock(block);
        grid_->gatherList.push_back(index);
    }
    for (const std::int32_t index : woken)
        for (const std::int32_t n : blocks[index].neighbour) {
            if (n < 0)
                continue;
            Block& beside = blocks[n];
            if (beside.particles > 0 && beside.state == BlockState::passive) {
                beside.state = BlockState::boundary;
                list(n);
            }
            if (beside.nodes < 0) {
                beside.nodes = static_cast<std::int32_t>(grid_->gridList.size());
                grid_->gridList.push_back(n);
            }
        }
    transfers_->scatterMore(scattered, dt);
    return updated;
}

void BoundaryBlocks::wake(std::span<const std::int32_t> woken, double time, double dt, bool update)
{
    std::vector<std::int32_t> scattersAnew; // blocks; arenas of others stay valid
    std::copy_if(woken.begin(), woken.end(), std::back_inserter(scattersAnew),
                 [&](std::int32_t index) { return hasGained(grid_->blocks[index]); });
    const auto scattered = static_cast<std::ptrdiff_t>(grid_->scatterList.size());
    const std::size_t updated = enlist(woken, dt);
    if (!update)
        return;
    scattersAnew.insert(scattersAnew.end(), grid_->scatterList.begin() + scattered,
                        grid_->scatterList.end());
    std::vector<std::int32_t> changed;
    for (std::size_t slot = updated; slot < grid_->gridList.size(); ++slot)
        changed.push_back(static_cast<std::int32_t>(slot));
    for (const std::int32_t index : scattersAnew)
        for (const std::int32_t n : grid_->blocks[index].neighbour)
            if (n >= 0 && grid_->blocks[n].nodes >= 0)
                changed.push_back(grid_->blocks[n].nodes);
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    transfers_->updateNodes(changed, updated, time, dt);
}

} // namespace floe::mpm
