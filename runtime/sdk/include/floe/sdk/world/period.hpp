/// A world that ends nowhere: blocks beyond a periodic face of the domain are those at the opposite
/// one.
#pragma once

#include "floe/sdk/grid/block.hpp"
#include "floe/sdk/world/domain.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <stdexcept>

namespace floe::sdk::world {

/// Returns what lies `count` > 0 steps periodically from `low` on, between these.
template <class Int>
FLOE_HD constexpr Int wrapped(Int at, Int low, Int count)
{
    const Int place = (at - low) % count;
    return low + (place < 0 ? place + count : place);
}

/// Which blocks are the same. Positions of particles and nodes relate to blocks, so nothing else
/// has to know.
class Period {
public:
    Period() = default;
    /// @param cellSize  [m]
    /// @throws std::invalid_argument  periodic faces are not where blocks end
    Period(const Domain& domain, double cellSize);
    /// @param low  first block of each axis  @param count  number of blocks, 0: not periodic
    Period(const grid::BlockCoordinate& low, const grid::BlockCoordinate& count)
        : low_(low), count_(count)
    {}
    /// Returns whether these may be of a period.
    static bool isPossible(const grid::BlockCoordinate& low, const grid::BlockCoordinate& count);
    const grid::BlockCoordinate& low() const { return low_; }
    const grid::BlockCoordinate& count() const { return count_; }

    bool any() const { return count_[0] > 0 || count_[1] > 0 || count_[2] > 0; }
    /// Returns the coordinate of a block between the faces.
    grid::BlockCoordinate wrapped(grid::BlockCoordinate block) const
    {
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (count_[axis] > 0)
                block[axis] = world::wrapped(block[axis], low_[axis], count_[axis]);
        return block;
    }
    grid::BlockCoordinate neighbourOf(const grid::BlockCoordinate& block, int offset) const
    {
        return wrapped(grid::neighbourOf(block, offset));
    }
    /// Returns the coordinate of a cell between the faces.
    std::int64_t wrappedCell(std::size_t axis, std::int64_t cell) const
    {
        return count_[axis] > 0 ? world::wrapped(cell, std::int64_t{grid::kBlockEdge} * low_[axis],
                                                 std::int64_t{grid::kBlockEdge} * count_[axis])
                                : cell;
    }
    bool operator==(const Period&) const = default;

private:
    grid::BlockCoordinate low_{}, count_{};
};

inline Period::Period(const Domain& domain, double cellSize)
{
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!domain.bounded || !domain.periodic[axis])
            continue;
        const int a = static_cast<int>(axis);
        const double edge = grid::kBlockEdge * cellSize;
        const double low = (domain.center[a] - domain.halfSize[a]) / edge,
                     count = 2 * domain.halfSize[a] / edge;
        if (!(std::abs(low) < grid::kMaxCoordinate && count < grid::kMaxCoordinate))
            throw std::invalid_argument("the domain's periodic sides are more than four million "
                                        "cells away from the origin");
        const double nearLow = std::round(low), nearCount = std::max(1.0, std::round(count));
        constexpr double kRounding = 1e-5; // of a block: sizes are typed in decimals
        if (std::abs(low - nearLow) > kRounding || std::abs(count - nearCount) > kRounding) {
            std::ostringstream text;
            text << "periodic sides lie at multiples of four cells, which are " << edge
                 << " m: along "
                 << "xyz"[axis] << ", give the domain the size " << nearCount * edge
                 << " m and the centre " << (nearLow + nearCount / 2) * edge
                 << " m, or choose a cell size that divides it so";
            throw std::invalid_argument(text.str());
        }
        low_[axis] = static_cast<std::int32_t>(nearLow);
        count_[axis] = static_cast<std::int32_t>(nearCount);
    }
}

inline bool Period::isPossible(const grid::BlockCoordinate& low, const grid::BlockCoordinate& count)
{
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (low[axis] < -grid::kMaxCoordinate || low[axis] > grid::kMaxCoordinate ||
            count[axis] < 0 || count[axis] > grid::kMaxCoordinate)
            return false;
    return true;
}

} // namespace floe::sdk::world
