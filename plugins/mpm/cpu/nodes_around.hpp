/// A block's nodes and those of the blocks around it.
#pragma once

#include "block_grid.hpp"
#include "layout.hpp"

#include <floe/sdk/world/mirror.hpp>

namespace floe::mpm {

/// By steps from the block's first node.
class NodesAround {
public:
    /// @param nodes     of all blocks and bodies
    /// @param numberOf  of the nodes of a block among those of all; -1: it has none
    template <class NumberOf>
    NodesAround(const Block& block, const BlockGrid& grid, const float* nodes, NumberOf&& numberOf)
        : nodes_(nodes)
    {
        for (std::size_t o = 0; o < 27; ++o)
            numbers_[o] = block.neighbour[o] < 0 ? -1 : numberOf(grid.blocks[block.neighbour[o]]);
    }

    NodeValue at(int x, int y, int z) const
    {
        const std::int32_t number = numbers_[sdk::grid::offsetNumber(x >> 2, y >> 2, z >> 2)];
        if (number < 0)
            return {};
        const sdk::grid::Block<const Nodes> values(nodes_, static_cast<std::size_t>(number));
        const int node = sdk::grid::cellNumber(x & 3, y & 3, z & 3);
        return {{values.at<Velocity>(node, 0), values.at<Velocity>(node, 1),
                 values.at<Velocity>(node, 2)},
                values.at<Mass>(node)};
    }
    /// Returns the number of the nodes of a block around it; -1: it has none. @param offset  0 to
    /// 26
    std::int32_t number(int offset) const { return numbers_[offset]; }

private:
    const float* nodes_;
    std::int32_t numbers_[27];
};

} // namespace floe::mpm
