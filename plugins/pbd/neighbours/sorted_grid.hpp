/// Spheres sorted by cell, in one grid for each power of two of their diameters.
#pragma once

#include "pairs.hpp"
#include "radix_sort.hpp"

#include <array>
#include <vector>

namespace floe::pbd {

/// A sphere lies in the cell of its centre, in the finest grid whose cells are as wide as it. The
/// smaller of a pair asks for the larger: at most 27 cells a grid.
class SortedGrid {
public:
    SortedGrid(const Spheres& spheres, sdk::parallel::Executor& executor);

    std::size_t size() const { return cells_.size(); }
    /// Appends the pairs of the sphere at a place of the order with those of coarser grids, and
    /// with those of its own that come later in the order.
    void findAbove(std::size_t place, std::vector<Pair>& pairs) const;

private:
    static constexpr int kLevels = 16, kBits = 20; ///< of a cell's coordinate
    static std::uint64_t keyOf(int level, const std::array<std::int64_t, 3>& cell);
    std::int64_t cellOf(float at, int axis, int level) const;
    int levelOf(float radius) const;

    Spheres spheres_;
    Vec3f low_{0, 0, 0};
    double edge_ = 1; ///< of a cell of level 0 [m]
    std::vector<Keyed> cells_;
    std::array<std::size_t, kLevels + 1> begin_{}; ///< of each level in cells_
};

} // namespace floe::pbd
