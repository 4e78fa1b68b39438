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

    /// Finds how far a point has moved; finds nothing where no particles are around it.
    /// Thread-safe.
    /// @return whether it was found
    bool at(const Point& p, Point& moved) const;

private:
    /// Maps r, the place from a node on [cells], to mean + gradient (r - centre) [m], at most
    /// `reach` from the mean.
    struct Map {
        float centre[3], mean[3], gradient[3][3], reach;
        float weight; ///< of all particles around the node; 0: it has no map
    };
    /// The nodes of a block that have particles around them, and the number of the first one's map.
    struct Nodes {
        uint64_t mask = 0;
        std::size_t first = 0;
    };
    struct Particles;
    /// Calls body(particle, node, r, weight) for each node of the block that is a corner of a
    /// particle's cell; r from the node to the particle [cells].
    template <class Body>
    void around(std::size_t block, const Particles& particles, const Body& body) const;
    void fit(std::size_t block, const Particles& particles);

    double cellSize_;
    sdk::world::Period period_;
    sdk::grid::BlockMap numbers_;
    std::vector<sdk::grid::BlockCoordinate> blocks_;
    std::vector<Nodes> nodes_; ///< of each block
    std::vector<Map> maps_;
};

} // namespace floe::particles
