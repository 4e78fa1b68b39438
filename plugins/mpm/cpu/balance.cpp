// The CPU backend on several ranks: who owns what, and when that changes.

#include "block_cost.hpp"
#include "cpu_backend.hpp"
#include "saved_state.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace floe::mpm {

using sdk::grid::BlockCost;
using sdk::parallel::BytesOut;

void CpuBackend::addPart(const NewParticles& p, std::uint32_t firstId, const Numbering& numbering)
{
    bounds();
    for (std::size_t i = 0; i < p.count; ++i)
        put(p, i, firstId + static_cast<std::uint32_t>(numbering.number[i]));
    double fastest[] = {state_.bounds.component, state_.bounds.speed};
    state_.ownership.ranks->reduce(FLOE_RANKS_MAX, std::span<double>(fastest));
    state_.bounds.component = fastest[0];
    state_.bounds.speed = fastest[1];
    finishAdd(firstId + static_cast<std::uint32_t>(numbering.total));
}

/// Returns whether this rank owns a block or one beside it.
bool CpuBackend::isBesideOwn(const BlockCoordinate& block) const
{
    const bool byParticles = state_.ownership.byParticles;
    for (int o = 0; o < kOffsets; ++o)
        if (const BlockCoordinate c = state_.period().neighbourOf(block, o);
            byParticles ? grid_.map.find(c) >= 0 : state_.ownership.owns(c))
            return true;
    return false;
}

std::uint64_t CpuBackend::balance()
{
    if (!halo_ || !state_.ownership.partition || state_.ownership.byParticles)
        return 0;
    const std::uint64_t steps = std::exchange(state_.stepsSinceBalance, 0);
    std::vector<BlockWork> own, work;
    for (Block& block : grid_.blocks) {
        const float spent = std::exchange(block.spent, 0.0f);
        const std::uint32_t passes = std::exchange(block.passes, 0u);
        if (block.particles == 0)
            continue;
        if (passes > 0) { // half of it is older: one frame is not like the next
            const float now = spent / static_cast<float>(passes);
            block.seconds = block.seconds > 0 ? 0.5f * (block.seconds + now) : now;
        }
        own.push_back({block.coordinate, block.particles, block.state, {}, block.seconds});
    }
    const auto now = state_.ownership.partition,
               next = betterDivision(state_.ownership, own, steps, work);
    if (!next)
        return 0;
    moveBlocks(next);
    std::uint64_t moved = 0;
    for (const BlockWork& b : work) {
        if (now->ownerOf(b.block) == next->ownerOf(b.block))
            continue;
        ++moved;
        if (const std::int32_t here = grid_.map.find(b.block); here >= 0)
            grid_.blocks[static_cast<std::size_t>(here)].seconds = b.seconds;
    }
    return moved;
}

/// Moves blocks to the ranks that own them from now on. Between frames, when no arena is in use, a
/// state that is saved and loaded goes on with the same bits; so does one that moves.
void CpuBackend::moveBlocks(const sdk::grid::PartitionPointer& next)
{
    bounds();
    Ownership& ownership = state_.ownership;
    const auto size = static_cast<std::size_t>(ownership.ranks->size());
    const auto before = std::exchange(ownership.partition, next);
    std::vector<saved::Writer> blocks(size), nodes(size);
    std::vector<std::uint64_t> blockCount(size), nodeCount(size);
    for (Block& block : grid_.blocks) {
        const auto owner = static_cast<std::size_t>(ownership.ownerOf(block.coordinate));
        if (block.particles > 0 && owner != static_cast<std::size_t>(ownership.rank())) {
            saved::writeBlock(blocks[owner], block);
            ++blockCount[owner];
            for (const BinRef& bin : block.bins)
                grid_.pool.give(bin.layout, bin.data);
            block.bins.clear();
            block.particles = 0;
        }
        block.ghost = block.near = false;
        // The nodes of a block are complete on the rank that owned it.
        if (block.keptNodes < 0 || before->ownerOf(block.coordinate) != ownership.rank())
            continue;
        std::vector<std::uint8_t> wants(size);
        for (int o = 0; o < kOffsets; ++o)
            wants[static_cast<std::size_t>(ownership.ownerOf(neighbourOf(block.coordinate, o)))] =
                1;
        wants[static_cast<std::size_t>(ownership.rank())] = 0;
        for (std::size_t peer = 0; peer < size; ++peer)
            if (wants[peer]) {
                writeKeptNodes(nodes[peer], block);
                ++nodeCount[peer];
            }
    }
    std::vector<std::vector<std::byte>> toEach(size);
    for (std::size_t peer = 0; peer < size; ++peer) {
        BytesOut out;
        out.put(blockCount[peer]);
        out.put(nodeCount[peer]);
        out.put(blocks[peer].bytes.data(), blocks[peer].bytes.size());
        out.put(nodes[peer].bytes.data(), nodes[peer].bytes.size());
        blocks[peer] = {};
        nodes[peer] = {};
        toEach[peer] = std::move(out.bytes);
    }
    const auto fromEach = ownership.ranks->exchange(toEach);
    std::int32_t slots = 0;
    std::vector<std::pair<BlockCoordinate, std::int32_t>> own; // with their slots
    for (Block& block : grid_.blocks) {
        // What has come to be beside this rank's blocks arrives from its owner.
        if (before->ownerOf(block.coordinate) != ownership.rank())
            block.keptNodes = -1;
        else if (block.keptNodes >= 0)
            own.emplace_back(block.coordinate, block.keptNodes);
        slots = std::max(slots, block.keptNodes + 1);
    }
    std::vector<BlockCoordinate> nodesOf;
    for (const auto& bytes : fromEach) {
        saved::Reader in({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
        std::uint64_t counts[2];
        in.get(counts, sizeof counts);
        for (std::uint64_t i = 0; i < counts[0]; ++i)
            readBlock(in);
        const auto more =
            readKeptNodes(in, counts[1], static_cast<std::size_t>(slots) + nodesOf.size());
        nodesOf.insert(nodesOf.end(), more.begin(), more.end());
    }
    grid_.rebuildTopology();
    updateGhosts();
    linkKeptNodes(nodesOf, static_cast<std::size_t>(slots));
    // Where there are no own particles any more, only ghosts have brought the block back.
    for (const auto& [coordinate, slot] : own)
        if (const std::int32_t block = grid_.map.find(coordinate); block >= 0)
            grid_.blocks[static_cast<std::size_t>(block)].keptNodes = slot;
    state_.scatteredStep = 0;
}

} // namespace floe::mpm
