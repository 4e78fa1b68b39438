#pragma once

#include "floe/sdk/grid/block_map.hpp"
#include "floe/sdk/world/period.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace floe::particles {

using Point = std::array<double, 3>;

/// Runs body(begin, end) over [0, count), in parallel or not. `body` does not throw.
using ForRange = std::function<void(uint64_t count, uint64_t grain,
                                    const std::function<void(uint64_t begin, uint64_t end)>& body)>;

/// How what lies between particles has moved while they did.
///
/// Each node of a grid has the affine map that fits the displacements of the particles in the cells
/// around it best (moving least squares; nearer ones count more, linearly); a point takes the mean
/// of the 8 maps around it, in which nodes count by the square of how many particles they have. So
/// affine displacements, rigid motions among them, are met within a thousandth, however far they
/// go. Memory follows the particles and not the space between them.
class DisplacementField {
public:
    /// @param x  where particles were, 3 each [m]; those at NaN or beyond 2^20 blocks from the
    /// origin
    ///           are left out
    /// @param moved  how far they have moved since, 3 each [m]
    /// @param cellSize  [m], > 0; about twice the distance between particles
    /// The result does not depend on the number of threads.
    DisplacementField(std::span<const float> x, std::span<const float> moved, double cellSize,
                      const sdk::world::Period& period, const ForRange& forRange);

    /// Finds how far points have moved.
    /// @param x  where they were, 3 each [m], at most 2^32 - 1 points
    /// @param moved  3 each [m]; NaN for points with no particles around them
    void find(std::span<const float> x, std::span<float> moved, const ForRange& forRange) const;

private:
    /// Maps r, the place from a node on [cells], to mean + gradient (r - centre) [m], at most
    /// `reach` from the mean.
    struct Map {
        float centre[3], mean[3], gradient[3][3], reach;
        float weight; ///< of all particles around the node; 0: it has no map
    };
    static constexpr uint8_t kNone = 255;
    struct Block {
        sdk::grid::BlockCoordinate coordinate{};
        /// Numbers of the blocks at +0 or +1 of each axis (x counts 1, y 2, z 4), itself first, and
        /// of those at -0 or -1; -1: there is none.
        std::array<int32_t, 8> upper{}, lower{};
        std::size_t first = 0; ///< number of its first map
        /// Which of its maps each node has, from the first on; kNone: no particles are around it.
        std::array<uint8_t, sdk::grid::kBlockNodes> map{};
    };
    struct Places;
    struct Particles;
    int32_t add(const sdk::grid::BlockCoordinate& coordinate);
    /// Calls body(samples, place) for each cell with particles that has a node of the block as a
    /// corner; place: where it is in that block, -1 to 3 on each axis.
    template <class Body>
    void forEachCellAround(const Block& block, const Particles& particles, const Body& body) const;
    void fit(const Block& block, const Particles& particles);
    /// @param points  indices of those in a cell
    void find(const Block& block, std::size_t cell, const Places& places,
              std::span<const uint32_t> points, std::span<float> moved) const;

    double cellSize_;
    sdk::world::Period period_;
    sdk::grid::BlockMap numbers_;
    std::vector<Block> blocks_;
    std::vector<Map> maps_;
};

} // namespace floe::particles
