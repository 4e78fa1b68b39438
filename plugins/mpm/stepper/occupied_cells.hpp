/// Which cells of the grid hold particles: one bit a cell.
#pragma once

#include "block_view.hpp"
#include "world.hpp"

#include <cmath>
#include <unordered_map>

namespace floe::mpm {

class OccupiedCells {
public:
    explicit OccupiedCells(double cellSize) : cellSize_(cellSize) {}

    /// The cell of a particle. @param x  [cells], relative to the first node of `block`
    void add(const BlockCoordinate& block, const float (&x)[3])
    {
        Cell cell;
        for (std::size_t axis = 0; axis < 3; ++axis)
            cell[axis] = std::int64_t{kBlockEdge} * block[axis] +
                         static_cast<std::int64_t>(std::floor(x[axis]));
        cells_[keyOf(cell)] |= bitOf(cell);
    }

    /// Whether a place in the world [m] is in an occupied cell.
    bool holds(const float* x) const
    {
        Cell cell;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double a = std::floor(x[axis] / cellSize_);
            if (!(std::abs(a) < double{kBlockEdge} * kMaxCoordinate))
                return false;
            cell[axis] = static_cast<std::int64_t>(a);
        }
        const auto found = cells_.find(keyOf(cell));
        return found != cells_.end() && (found->second & bitOf(cell)) != 0;
    }

private:
    using Cell = std::array<std::int64_t, 3>;
    static std::uint64_t keyOf(const Cell& c)
    {
        return blockKey({static_cast<std::int32_t>(c[0] >> 2), static_cast<std::int32_t>(c[1] >> 2),
                         static_cast<std::int32_t>(c[2] >> 2)});
    }
    static std::uint64_t bitOf(const Cell& c)
    {
        return std::uint64_t{1} << ((c[0] & 3) * 16 + (c[1] & 3) * 4 + (c[2] & 3));
    }

    double cellSize_;
    std::unordered_map<std::uint64_t, std::uint64_t> cells_; ///< by block: its cells
};

} // namespace floe::mpm
