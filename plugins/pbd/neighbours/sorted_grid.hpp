/// Spheres sorted by cell, in one grid for each power of two of their diameters.
#pragma once

#include "radix_sort.hpp"
#include "sphere_cells.hpp"

#include <array>
#include <vector>

namespace floe::pbd {

/// The smaller of a pair asks for the larger: at most 27 cells a grid.
class SortedGrid {
public:
    SortedGrid(const Spheres& spheres, sdk::parallel::Executor& executor);

    std::size_t size() const { return cells_.size(); }
    /// Appends the pairs of the sphere at a place of the order with those of coarser grids, and
    /// with those of its own that come later in the order.
    void findAbove(std::size_t place, std::vector<Pair>& pairs) const;

private:
    static constexpr int kLevels = SphereCells::kLevels;

    Spheres spheres_;
    SphereCells grids_;
    std::vector<Keyed> cells_;
    std::array<std::size_t, kLevels + 1> begin_{}; ///< of each level in cells_
};

} // namespace floe::pbd
