#pragma once

#include "floe/io/smooth_surface.hpp"

#include "floe/sdk/grid/block_map.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace floe::io {

/// Where a voxel's share of filled space is a particle's surface. A little above one half: flat
/// kernels reach out of the outermost particles farther than they reach in.
inline constexpr float kFilled = 0.54f;

/// The matter of one particle, spread over an ellipsoid as (1 - q^2)^3.
struct Kernel {
    std::array<double, 3> centre; ///< [m]
    std::array<float, 6> metric;  ///< q^2 = e^T M e: xx, yy, zz, xy, xz, yz [1/m^2]
    std::array<float, 3> reach;   ///< half edges of the box around it [m]
    float peak;                   ///< share of space filled at the centre
    float bulk;                   ///< 0 in drops, threads and sheets to 1 on thick matter
    std::uint32_t particle;       ///< index into Matter
};

/// Particles sorted into cells, and which cells lie deep in matter.
class MatterCells {
public:
    /// @throws InputError
    MatterCells(const Matter& matter, const std::function<void()>& check);

    /// Edge of a cell [m]: half of the farthest that a particle looks and a kernel reaches.
    double edge() const { return edge_; }
    /// Whether all of the cell is inside of the surface, for certain.
    bool isDeep(const sdk::grid::BlockCoordinate& cell) const;

    /// Returns the kernels of all particles that touch something else than deep cells, in an order
    /// that depends on the particles alone.
    std::vector<Kernel> kernels(const std::function<void()>& check) const;

private:
    struct Cell {
        sdk::grid::BlockCoordinate at;
        std::uint32_t begin, end; ///< of order_
        bool deep = false, hidden = false;
    };
    struct Run {
        std::uint32_t begin, end; ///< of order_
    };
    struct Moments {
        float weight;
        std::array<float, 3> mean;
        std::array<float, 6> square; ///< as Kernel::metric
    };
    Moments momentsOf(const std::array<float, 3>& here, float perSight,
                      std::span<const Run> around) const;
    Kernel kernelOf(std::uint32_t particle, std::span<const Run> around) const;
    std::vector<Run> around(const sdk::grid::BlockCoordinate& cell) const;
    double spacingOf(std::uint32_t particle) const
    {
        return matter_.spacing.size() == 1 ? matter_.spacing[0] : matter_.spacing[particle];
    }
    const Cell* find(const sdk::grid::BlockCoordinate& at) const;
    void markDeep(const std::function<void()>& check);

    const Matter& matter_;
    double edge_ = 0;
    std::vector<std::uint32_t> order_;         ///< particles by cell, z fastest
    std::array<std::vector<float>, 3> sorted_; ///< their positions [m]
    std::vector<Cell> cells_;
    sdk::grid::BlockMap numbers_;
};

} // namespace floe::io
