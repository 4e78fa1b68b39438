#include "block_grid.hpp"

#include <algorithm>
#include <utility>

namespace floe::mpm {

BlockGrid::BlockGrid(const CpuState& state, MemorySource& memory)
    : pool(memory), cachePool(kFloatsOf<CachedScatter>, memory),
      contactPool(kFloatsOf<ColliderSample>, memory), state_(&state)
{}

void wakeBlock(Block& block)
{
    block.state = BlockState::active;
    block.restTime = 0;
    block.speed = 0;
    block.gain = {};
    block.cached.reset();
    block.spent = 0; // its passes take another time now
    block.passes = 0;
}

void BlockGrid::clear()
{
    for (Block& block : blocks)
        for (const BinRef& bin : block.bins)
            pool.give(bin.layout, bin.data);
    blocks.clear();
    map.clear();
    listsStale = true;
}

std::size_t BlockGrid::bytes() const
{
    return pool.bytes() + cachePool.bytes() + contactPool.bytes() +
           blocks.capacity() * sizeof(Block);
}

Block& BlockGrid::at(const BlockCoordinate& coordinate)
{
    std::int32_t index = map.find(coordinate);
    if (index < 0) {
        index = static_cast<std::int32_t>(blocks.size());
        blocks.emplace_back();
        blocks.back().coordinate = coordinate;
        blocks.back().neighbour.fill(-1);
        map.insert(coordinate, index);
    }
    return blocks[index];
}

void BlockGrid::rebuildTopology()
{
    std::vector<Block> kept;
    kept.reserve(blocks.size() + 64);
    std::vector<std::pair<BlockCoordinate, std::int32_t>> keptNodes; // of the others
    for (Block& block : blocks) {
        if (block.particles > 0 || block.migration >= 0 || block.ghost)
            kept.push_back(std::move(block));
        else if (block.keptNodes >= 0)
            keptNodes.emplace_back(block.coordinate, block.keptNodes);
    }
    const std::size_t full = kept.size();
    map.clear();
    map.reserve(4 * full + 64);
    for (std::size_t i = 0; i < full; ++i)
        map.insert(kept[i].coordinate, static_cast<std::int32_t>(i));
    for (std::size_t i = 0; i < full; ++i) {
        const BlockCoordinate c = kept[i].coordinate;
        for (int o = 0; o < kOffsets; ++o) {
            const BlockCoordinate beside = state_->period().neighbourOf(c, o);
            if (map.find(beside) >= 0)
                continue;
            map.insert(beside, static_cast<std::int32_t>(kept.size()));
            kept.emplace_back();
            kept.back().coordinate = beside;
        }
    }
    // Neighbours in space are near in every list, so that the data they share stays in the cache.
    std::sort(kept.begin(), kept.end(), [](const Block& p, const Block& q) {
        return mortonOrder(p.coordinate) < mortonOrder(q.coordinate);
    });
    blocks = std::move(kept);
    map.clear();
    for (std::size_t i = 0; i < blocks.size(); ++i)
        map.insert(blocks[i].coordinate, static_cast<std::int32_t>(i));
    for (Block& block : blocks)
        block.owner = state_->ownership.ownerOf(block.coordinate);
    for (const auto& [coordinate, nodes] : keptNodes)
        if (const std::int32_t block = map.find(coordinate); block >= 0)
            blocks[block].keptNodes = nodes;
    state_->executor->parallelFor(blocks.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (int o = 0; o < kOffsets; ++o)
                blocks[i].neighbour[o] =
                    map.find(state_->period().neighbourOf(blocks[i].coordinate, o));
    });
    listsStale = true;
}

bool BlockGrid::isBesideActive(const Block& block) const
{
    return std::any_of(block.neighbour.begin(), block.neighbour.end(), [&](std::int32_t n) {
        return n >= 0 && (blocks[n].particles > 0 || blocks[n].ghost) &&
               blocks[n].state == BlockState::active;
    });
}

void BlockGrid::markBoundary()
{
    for (Block& block : blocks) {
        if (block.particles == 0 || block.state == BlockState::active)
            continue;
        const BlockState before = block.state;
        block.state = isBesideActive(block) ? BlockState::boundary : BlockState::passive;
        if (block.state == before)
            continue;
        block.cached.reset();
        block.gain = {};
    }
    listsStale = true;
}

std::uint64_t BlockGrid::feltNodes(const Block& block) const
{
    constexpr int kLow[3] = {0, 0, kBlockEdge - 1},
                  kHigh[3] = {kBlockEdge - 1, kBlockEdge, kBlockEdge};
    std::uint64_t nodes = 0;
    for (int o = 0; o < kOffsets; ++o) {
        const std::int32_t n = block.neighbour[static_cast<std::size_t>(o)];
        if (n < 0 || blocks[static_cast<std::size_t>(n)].particles == 0)
            continue;
        const BlockCoordinate offset = neighbourOf({0, 0, 0}, o);
        const auto low = [&](std::size_t axis) {
            return kLow[offset[axis] + 1];
        };
        const auto high = [&](std::size_t axis) {
            return kHigh[offset[axis] + 1];
        };
        for (int x = low(0); x < high(0); ++x)
            for (int y = low(1); y < high(1); ++y)
                for (int z = low(2); z < high(2); ++z)
                    nodes |= std::uint64_t{1} << ((x * kBlockEdge + y) * kBlockEdge + z);
    }
    return nodes;
}

Reach BlockGrid::reachOf(const BlockCoordinate& block, const MirrorWalls& mirror) const
{
    // Images lie up to two cells behind a wall, and a stick wall asks whether there is matter
    // almost three cells behind it.
    constexpr int kMirrored = 2, kSticks = 3;
    Reach reach{1, 1, 1};
    const auto& faces = state_->surroundings.domain.faces.kind;
    for (int axis = 0; axis < 3 && mirror.any(); ++axis) {
        const double first = kBlockEdge * (block[static_cast<std::size_t>(axis)] - 1.0);
        if (mirror.axis(axis).any() &&
            mirror.axis(axis).concerns(first, first + 3 * kBlockEdge - 1))
            reach[static_cast<std::size_t>(axis)] =
                std::find(std::begin(faces), std::end(faces), Contact::stick) == std::end(faces)
                    ? kMirrored
                    : kSticks;
    }
    // The images of what a particle feels are as far before a collider as that is behind it, and
    // what stands for them has images of its own beside them.
    constexpr double kSeen = 2 * kBlockEdge;
    if (state_->mirrorsNear(block, kSeen, true))
        for (int& axis : reach)
            axis = std::max(axis, kMirrored);
    return reach;
}

/// Returns whether nodes of a block may matter to this rank: its own blocks' particles, present or
/// about to arrive, feel those within reach.
bool BlockGrid::isNearOwn(const Block& block, const MirrorWalls& mirror) const
{
    const Ownership& ownership = state_->ownership;
    if (ownership.byParticles)
        return mirror.any() ||
               state_->surfacesMirror(); // those of its own particles are reached already
    const int rank = ownership.rank();
    const BlockCoordinate& c = block.coordinate;
    const Reach reach = reachOf(c, mirror);
    if (reach == Reach{1, 1, 1})
        return std::any_of(block.neighbour.begin(), block.neighbour.end(), [&](std::int32_t n) {
            return n >= 0 && blocks[n].owner == rank; // else it is far from particles
        });
    for (int x = -reach[0]; x <= reach[0]; ++x)
        for (int y = -reach[1]; y <= reach[1]; ++y)
            for (int z = -reach[2]; z <= reach[2]; ++z)
                if (ownership.ownerOf({c[0] + x, c[1] + y, c[2] + z}) == rank)
                    return true;
    return false;
}

void BlockGrid::updateLists()
{
    if (!listsStale)
        return;
    scatterList.clear();
    gatherList.clear();
    gridList.clear();
    for (Block& block : blocks)
        block.arena = block.nodes = -1;
    extendLists();
    listsStale = false;
}

void BlockGrid::extendLists()
{
    ++generation;
    inactive = 0;
    std::vector<std::uint8_t> gathers(blocks.size()), reached(blocks.size());
    for (const std::int32_t index : gatherList)
        gathers[static_cast<std::size_t>(index)] = 1;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        Block& block = blocks[i];
        if (block.particles == 0)
            continue;
        inactive += block.state != BlockState::active;
        if (block.state == BlockState::passive)
            continue;
        if (block.arena < 0) {
            block.arena = static_cast<std::int32_t>(scatterList.size());
            scatterList.push_back(static_cast<std::int32_t>(i));
        }
        if (block.state != BlockState::active)
            continue;
        if (!gathers[i])
            gatherList.push_back(static_cast<std::int32_t>(i));
        for (const std::int32_t n : block.neighbour)
            if (n >= 0)
                reached[static_cast<std::size_t>(n)] = 1;
    }
    std::vector<std::uint8_t> reachedByGhost(blocks.size());
    ghostList.clear();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        Block& ghost = blocks[i];
        if (!ghost.ghost)
            continue;
        ghost.arena = -1;
        if (ghost.near && ghost.state != BlockState::passive) {
            ghost.arena = static_cast<std::int32_t>(scatterList.size() + ghostList.size());
            ghostList.push_back(static_cast<std::int32_t>(i));
        }
        if (ghost.state != BlockState::active)
            continue;
        for (const std::int32_t n : ghost.neighbour)
            if (n >= 0)
                reachedByGhost[static_cast<std::size_t>(n)] = 1;
    }
    const MirrorWalls mirror(state_->surroundings.domain, state_->settings.cellSize);
    for (std::size_t i = 0; i < blocks.size(); ++i)
        reached[i] = reached[i] || (reachedByGhost[i] && isNearOwn(blocks[i], mirror));
    for (std::size_t i = 0; i < blocks.size(); ++i)
        if (reached[i] && blocks[i].nodes < 0) {
            blocks[i].nodes = static_cast<std::int32_t>(gridList.size());
            gridList.push_back(static_cast<std::int32_t>(i));
        }
}

} // namespace floe::mpm
