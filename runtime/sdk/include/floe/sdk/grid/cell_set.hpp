/// The set of occupied cells of the unbounded grid.
#pragma once

#include "floe/sdk/grid/block.hpp"

#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace floe::sdk::grid {

/// One bit per cell, for blocks with occupied cells. For one thread at a time, or many that only
/// call contains().
class CellSet {
public:
    /// Adds a cell, which must lie in a block within +-kMaxCoordinate.
    void add(std::int64_t x, std::int64_t y, std::int64_t z)
    {
        blocks_[keyAt(x, y, z)] |= bitOf(x, y, z);
    }
    /// Returns whether the cell of a position [cells] is in the set; false for positions beyond the
    /// range of blocks and for NaN.
    bool contains(const double (&place)[3]) const
    {
        std::int64_t c[3];
        for (int axis = 0; axis < 3; ++axis) {
            const double cell = std::floor(place[axis]);
            if (!(std::abs(cell) < double{kBlockEdge} * kMaxCoordinate))
                return false;
            c[axis] = static_cast<std::int64_t>(cell);
        }
        const auto found = blocks_.find(keyAt(c[0], c[1], c[2]));
        return found != blocks_.end() && (found->second & bitOf(c[0], c[1], c[2])) != 0;
    }

private:
    static BlockKey keyAt(std::int64_t x, std::int64_t y, std::int64_t z)
    {
        return keyOf(static_cast<std::int32_t>(blockOf(x)), static_cast<std::int32_t>(blockOf(y)),
                     static_cast<std::int32_t>(blockOf(z)));
    }
    static std::uint64_t bitOf(std::int64_t x, std::int64_t y, std::int64_t z)
    {
        return std::uint64_t{1} << cellNumber(placeOf(x), placeOf(y), placeOf(z));
    }

    std::unordered_map<BlockKey, std::uint64_t> blocks_;
};

} // namespace floe::sdk::grid
