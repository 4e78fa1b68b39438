#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

namespace floe::secondary {

using Point = std::array<double, 3>;

/// Runs body(begin, end) over [0, count), in parallel or not. `body` does not throw.
using ForRange = std::function<void(uint64_t count, uint64_t grain,
                                    const std::function<void(uint64_t begin, uint64_t end)>& body)>;

/// What a cloud of particles is like cell by cell: how many there are, how fast they stretch, and
/// how open the cell lies. Cells are found through blocks of 4x4x4 of them, as in the solver, so
/// that memory follows the particles and not the room between them.
class CellField {
public:
    /// @param x, v  3 a particle [m], [m/s]; particles whose position is not a number, or lies
    ///              beyond 2^20 blocks from the origin, are left out
    /// @param cellSize  [m], > 0
    CellField(std::span<const float> x, std::span<const float> v, double cellSize);

    /// Fills in stretch and openness; the same numbers for any number of threads.
    void measure(const ForRange& forRange);

    /// Particles in the cell around a point.
    uint32_t count(const Point& p) const;
    /// Rate at which volume grows there, d(det F)/dt / det F = div v [1/s]; 0 without neighbours.
    float stretchRate(const Point& p) const;
    /// Share of the 26 neighbours that are empty, doubled, at most 1: 0 inside of a body, 0.7 on a
    /// flat surface, 1 at an edge or alone.
    float openness(const Point& p) const;

private:
    struct Cell {
        uint32_t count = 0;
        std::array<float, 3> momentum{}; ///< sum of velocities
        float stretchRate = 0;
        float openness = 0;
    };
    using Index = std::array<int64_t, 3>;

    bool indexOf(const Point& p, Index& cell) const;
    const Cell* find(const Index& cell) const;
    const Cell* find(const Point& p) const;

    double cellSize_;
    std::unordered_map<uint64_t, std::size_t> blocks_; ///< key to number of block
    std::vector<Index> firstCell_;                     ///< of each block
    std::vector<Cell> cells_;                          ///< 64 a block, z fastest
};

} // namespace floe::secondary
