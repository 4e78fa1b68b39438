#pragma once

/// Means of what particles carry over their surroundings, by way of a lattice.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace floe::particles {

/// The lattice around particles. A node takes the mean of the particles in its eight cells,
/// weighted by mass and by how near they are (the hat function), and a particle that of its eight
/// nodes: what is uniform stays so, and the cost does not grow with the radius. The same for any
/// number of threads.
class LatticeMean {
public:
    using Range = std::function<void(std::size_t begin, std::size_t end)>;
    /// Calls a Range for parts of the items that cover them all.
    using Parallel = std::function<void(std::size_t items, const Range&)>;

    /// @param x       positions [m], three numbers a particle; borrowed
    /// @param mass    of each [kg], or null: all weigh the same; borrowed
    /// @param radius  that of a particle's surroundings, the edge of a cell, > 0 [m]
    /// @return nothing where positions are not finite or more than 2^20 radii from each other
    static std::optional<LatticeMean> over(std::span<const float> x, const float* mass,
                                           double radius, const Parallel& parallel);

    /// Replaces values by means. @param components  of each particle's value
    void apply(std::span<float> values, std::size_t components, const Parallel& parallel) const;

private:
    static constexpr int kBits = 21; ///< of a key for each axis
    static constexpr std::uint32_t kNone = 0xffffffffu;

    std::uint64_t keyAt(std::size_t particle) const;
    double weight(std::size_t particle, std::uint64_t node) const;

    std::span<const float> x_;
    const float* mass_ = nullptr;
    std::array<double, 3> low_{};
    double radius_ = 1;
    std::vector<std::uint32_t> order_; ///< particles by cell, then by number
    std::vector<std::uint64_t> cells_; ///< keys of those that hold particles, ascending
    std::vector<std::size_t> begin_;   ///< of each cell in order_, and their end
    std::vector<std::uint64_t> nodes_; ///< keys of all corners of cells, ascending
    /// Numbers of a cell's corners among the nodes, of a node's cells among the cells or kNone.
    std::vector<std::array<std::uint32_t, 8>> corners_, around_;
};

} // namespace floe::particles
