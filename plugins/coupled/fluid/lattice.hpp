/// The blocks around the particles of a step, and numbers for their cells and faces.
#pragma once

#include "floe/sdk/grid/block_map.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace floe::coupled {

/// Blocks in Morton order. Cell c of block b has the number 64 b + c; its lower face along an axis,
/// where that component of the velocity is, has (3 b + axis) 64 + c.
class Lattice {
public:
    /// @param occupied  blocks that hold particles; their neighbours are added
    void make(const std::vector<sdk::grid::BlockCoordinate>& occupied)
    {
        using namespace sdk::grid;
        blocks_.clear();
        map_.clear();
        for (const BlockCoordinate& block : occupied)
            for (int o = 0; o < kOffsets; ++o) {
                const BlockCoordinate other = neighbourOf(block, o);
                if (map_.find(other) < 0) {
                    map_.insert(other, 0);
                    blocks_.push_back(other);
                }
            }
        std::sort(blocks_.begin(), blocks_.end(),
                  [](const BlockCoordinate& a, const BlockCoordinate& b) {
                      return mortonOrder(a) < mortonOrder(b);
                  });
        map_.clear();
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            map_.insert(blocks_[b], static_cast<std::int32_t>(b));
        beside_.resize(blocks_.size());
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            for (int o = 0; o < kOffsets; ++o)
                beside_[b][static_cast<std::size_t>(o)] = map_.find(neighbourOf(blocks_[b], o));
    }

    std::size_t size() const { return blocks_.size(); }
    std::size_t cells() const { return size() * sdk::grid::kBlockNodes; }
    std::size_t faces() const { return 3 * cells(); }
    const sdk::grid::BlockCoordinate& block(std::size_t b) const { return blocks_[b]; }
    std::int32_t find(const sdk::grid::BlockCoordinate& block) const { return map_.find(block); }
    /// Returns the block at an offset (block.hpp), or -1.
    std::int32_t beside(std::size_t b, int offset) const
    {
        return beside_[b][static_cast<std::size_t>(offset)];
    }

    /// Returns the number of the cell at (x, y, z) from a block's corner, each within [-4, 8); -1
    /// where there is no block.
    std::int64_t cellAt(std::size_t b, int x, int y, int z) const
    {
        using namespace sdk::grid;
        const std::int32_t block = beside(b, offsetNumber(blockOf(x), blockOf(y), blockOf(z)));
        return block < 0 ? -1
                         : std::int64_t{block} * kBlockNodes +
                               cellNumber(placeOf(x), placeOf(y), placeOf(z));
    }
    /// Returns the coordinates of a block's cell in the world.
    std::array<std::int32_t, 3> coordinates(std::size_t b, int cell) const
    {
        using sdk::grid::kBlockEdge;
        const auto& at = blocks_[b];
        return {kBlockEdge * at[0] + (cell >> 4), kBlockEdge * at[1] + (cell >> 2 & 3),
                kBlockEdge * at[2] + (cell & 3)};
    }
    static std::size_t faceOf(std::size_t cell, int axis)
    {
        using sdk::grid::kBlockNodes;
        return (3 * (cell / kBlockNodes) + static_cast<std::size_t>(axis)) * kBlockNodes +
               cell % kBlockNodes;
    }

private:
    std::vector<sdk::grid::BlockCoordinate> blocks_;
    sdk::grid::BlockMap map_;
    std::vector<std::array<std::int32_t, sdk::grid::kOffsets>> beside_;
};

} // namespace floe::coupled
