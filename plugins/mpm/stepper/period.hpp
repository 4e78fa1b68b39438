/// A world that ends nowhere: blocks beyond a periodic face of the domain are those at the opposite
/// one.
#pragma once

#include "world.hpp"

#include <cstdint>

namespace floe::mpm {

/// Which blocks are the same. Positions of particles and nodes relate to blocks, so nothing else
/// has to know.
class Period {
public:
    Period() = default;
    /// @param cellSize  [m]
    /// @throws std::invalid_argument  periodic faces are not where blocks end
    Period(const Domain& domain, double cellSize);
    /// @param low  first block of each axis  @param count  number of blocks, 0: not periodic
    Period(const BlockCoordinate& low, const BlockCoordinate& count) : low_(low), count_(count) {}
    /// Returns whether these may be of a period.
    static bool isPossible(const BlockCoordinate& low, const BlockCoordinate& count);
    const BlockCoordinate& low() const { return low_; }
    const BlockCoordinate& count() const { return count_; }

    bool any() const { return count_[0] > 0 || count_[1] > 0 || count_[2] > 0; }
    /// Returns the coordinate of a block between the faces.
    BlockCoordinate wrapped(BlockCoordinate block) const
    {
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (count_[axis] > 0)
                block[axis] =
                    static_cast<std::int32_t>(wrapped(block[axis], low_[axis], count_[axis]));
        return block;
    }
    BlockCoordinate neighbourOf(const BlockCoordinate& block, int offset) const
    {
        return wrapped(mpm::neighbourOf(block, offset));
    }
    /// Returns the coordinate of a cell between the faces.
    std::int64_t wrappedCell(std::size_t axis, std::int64_t cell) const
    {
        return count_[axis] > 0 ? wrapped(cell, std::int64_t{kBlockEdge} * low_[axis],
                                          std::int64_t{kBlockEdge} * count_[axis])
                                : cell;
    }
    bool operator==(const Period&) const = default;

private:
    static std::int64_t wrapped(std::int64_t at, std::int64_t low, std::int64_t count)
    {
        const std::int64_t place = (at - low) % count;
        return low + (place < 0 ? place + count : place);
    }

    BlockCoordinate low_{}, count_{};
};

} // namespace floe::mpm
