#pragma once

#include "floe/sdk/grid/block_map.hpp"
#include "floe/sdk/grid/channels.hpp"
#include "floe/sdk/world/period.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace floe::secondary {

using Point = std::array<double, 3>;

/// Runs body(begin, end) over [0, count), in parallel or not. `body` does not throw.
using ForRange = std::function<void(uint64_t count, uint64_t grain,
                                    const std::function<void(uint64_t begin, uint64_t end)>& body)>;

/// Statistics of a cloud of particles per cell: their number, rate of stretching, and openness.
/// Cells are found through blocks of 4x4x4 cells, as in the solver, so that memory follows the
/// particles and not the space between them.
class CellField {
public:
    /// @param x, v  3 per particle [m], [m/s]; particles whose position is NaN, or beyond 2^20
    /// blocks from the origin, are left out
    /// @param cellSize  [m], > 0
    CellField(std::span<const float> x, std::span<const float> v, double cellSize,
              const sdk::world::Period& period = {});

    /// Computes stretch and openness; the results do not depend on the number of threads.
    void measure(const ForRange& forRange);

    /// Returns the number of particles in the cell around a point.
    uint32_t count(const Point& p) const;
    /// Returns the growth rate of volume, d(det F)/dt / det F = div v [1/s]; 0 without neighbours.
    float stretchRate(const Point& p) const;
    /// Returns how much of a cell's usual 8 particles lie around a point, interpolated: 0 outside,
    /// a half on a surface, 1 inside.
    float fill(const Point& p) const;
    /// Returns the mean velocity around a point, interpolated [m/s]; 0 where there are no
    /// particles.
    Point velocity(const Point& p) const;
    double cellSize() const { return cellSize_; }
    /// Returns the share of the 26 neighbours that are empty, doubled, at most 1: 0 inside a body,
    /// 0.7 on a flat surface, 1 at an edge or alone.
    float openness(const Point& p) const;

private:
    struct Count;
    struct Momentum; ///< sum of velocities
    struct StretchRate;
    struct Openness;
    using Cells =
        sdk::grid::Channels<sdk::grid::kArrayOfStructs, sdk::grid::Channel<Count, uint32_t>,
                            sdk::grid::Channel<Momentum, float, 3>,
                            sdk::grid::Channel<StretchRate, float>,
                            sdk::grid::Channel<Openness, float>>;
    using Index = std::array<int64_t, 3>;
    /// A cell with particles, or none.
    struct Found {
        int32_t block = -1;
        int cell = 0;
        explicit operator bool() const { return block >= 0; }
    };

    /// Calls body(cell, weight) for cells with particles among the 8 whose middles are around p.
    template <class Body>
    void around(const Point& p, const Body& body) const;
    bool indexOf(const Point& p, Index& cell) const;
    Found find(const Index& cell) const;
    Found find(const Point& p) const;
    template <class Tag>
    auto valueOf(const Found& at, int component = 0) const
    {
        return cells_[static_cast<std::size_t>(at.block)].template at<Tag>(at.cell, component);
    }

    sdk::grid::BlockCoordinate blockOfCell(const Index& cell) const;

    double cellSize_;
    sdk::world::Period period_;
    sdk::grid::BlockMap blocks_;                    ///< block coordinate to number
    std::vector<sdk::grid::BlockCoordinate> block_; ///< of each block
    sdk::grid::BlockStorage<Cells> cells_;
};

} // namespace floe::secondary
