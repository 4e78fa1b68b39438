// Migration of particles between blocks.

#include "block_grid.hpp"

#include <algorithm>

namespace floe::mpm {

std::vector<MigrationBuffer> BlockGrid::openBuffers()
{
    for (std::size_t i = 0; i < gatherList.size(); ++i)
        blocks[gatherList[i]].migration = static_cast<std::int32_t>(i);
    return std::vector<MigrationBuffer>(gatherList.size());
}

void BlockGrid::closeBuffers()
{
    for (Block& block : blocks)
        block.migration = -1;
}

void BlockGrid::expectArrivals(const std::vector<MigrationBuffer>& buffers)
{
    for (const std::int32_t index : gatherList)
        if (buffers[static_cast<std::size_t>(blocks[index].migration)].empty())
            blocks[index].migration = -1;
    state_->executor->parallelFor(gridList.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            Block& block = blocks[gridList[i]];
            if (block.owner != state_->ownership.rank())
                continue;
            std::uint32_t arrivals = 0;
            for (int o = 0; o < 27; ++o)
                if (const MigrationBuffer* from = bufferOf(block, o, buffers)) {
                    arrivals += from->count(26 - o);
                    if (from->count(26 - o) > 0)
                        checkRange(block.coordinate, from->material(from->begin[26 - o]));
                }
            if (arrivals == 0)
                continue;
            if (block.state != BlockState::active || block.particles == 0)
                wakeBlock(block);
            block.particles += arrivals;
        }
    });
}

void BlockGrid::prepare(bool rebuild)
{
    // New blocks with particles need all their neighbours; empty ones far from particles may go.
    bool incomplete = rebuild;
    std::size_t useless = 0;
    for (const Block& block : blocks) {
        const bool missing =
            std::find(block.neighbour.begin(), block.neighbour.end(), -1) != block.neighbour.end();
        incomplete = incomplete || (block.particles > 0 && missing);
        if (block.particles == 0) {
            bool near = false;
            for (const std::int32_t n : block.neighbour)
                near = near || (n >= 0 && (blocks[n].particles > 0 || blocks[n].ghost));
            useless += !near;
        }
    }
    if (incomplete || useless > blocks.size() / 4)
        rebuildTopology();
    markBoundary();
}

/// Returns the migration buffer of a block's neighbour; null when nothing leaves it.
const MigrationBuffer* BlockGrid::bufferOf(const Block& block, int offset,
                                           const std::vector<MigrationBuffer>& buffers) const
{
    const std::int32_t n = block.neighbour[offset];
    const std::int32_t index = n < 0 ? -1 : blocks[n].migration;
    return index < 0 ? nullptr : &buffers[static_cast<std::size_t>(index)];
}

void BlockGrid::takeArrivals(Block& block, const std::vector<MigrationBuffer>& buffers)
{
    for (int o = 0; o < 27; ++o) {
        const MigrationBuffer* from = bufferOf(block, o, buffers);
        if (!from)
            continue;
        for (std::uint32_t k = from->begin[26 - o]; k < from->begin[27 - o]; ++k) {
            const std::uint16_t material = from->material(k);
            const auto [bin, lane] = freeLane(block, pool, material, from->layout(k),
                                              state_->materials.initialState(material));
            const float* const record = from->rows(k);
            const int rows = rowsOf(bin->layout);
            for (int r = 0; r < rows; ++r)
                bin->rowAt(r)[lane] = record[r];
        }
    }
}

void BlockGrid::checkRange(const BlockCoordinate& c, std::uint16_t material) const
{
    for (const std::int32_t a : c)
        if (a < -kMaxCoordinate || a > kMaxCoordinate)
            throw Diverged("material '" + state_->materials[material].name +
                           "' flew more than four million cells away from the origin; close "
                           "the domain, or lower its speed");
}

} // namespace floe::mpm
