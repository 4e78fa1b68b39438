#pragma once

#include "particle_kernels.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace floe::io {

/// How much of space is filled with matter, at the nodes of a lattice that exist near the surface.
class KernelField {
public:
    static constexpr int kEdge = 8; ///< of a block [nodes]
    static constexpr int kNodes = kEdge * kEdge * kEdge;
    static constexpr std::size_t numberOf(int x, int y, int z)
    {
        return static_cast<std::size_t>((z * kEdge + y) * kEdge + x);
    }
    enum Channel { Filled, Bulk, VelocityX, VelocityY, VelocityZ };

    /// Sums up the kernels. Bulk and velocities are sums too, to be divided by Filled.
    /// @param cells, matter  that the kernels are of
    /// @throws InputError  a kernel lies too far out for the voxels
    KernelField(std::span<const Kernel> kernels, const MatterCells& cells, const Matter& matter,
                double voxelSize, const std::function<void()>& check);

    double voxelSize() const { return voxel_; }
    std::size_t blockCount() const { return blocks_.size(); }
    /// The block's first node / kEdge.
    const sdk::grid::BlockCoordinate& coordinate(std::size_t block) const { return blocks_[block]; }
    std::int32_t find(const sdk::grid::BlockCoordinate& block) const
    {
        return numbers_.find(block);
    }
    int channels() const { return channels_; }
    std::span<const float> values(std::size_t block, int channel) const
    {
        return {values_.data() + (block * static_cast<std::size_t>(channels_) +
                                  static_cast<std::size_t>(channel)) *
                                     kNodes,
                kNodes};
    }
    /// Whether a node that is in no block lies deep in matter.
    bool isDeep(const std::array<std::int32_t, 3>& node) const;

private:
    void sum(std::size_t block, std::span<const std::uint32_t> of);
    void fillDeep(std::size_t block);

    std::span<const Kernel> kernels_;
    const MatterCells& cells_;
    const Matter& matter_;
    double voxel_;
    int channels_;
    std::vector<sdk::grid::BlockCoordinate> blocks_;
    sdk::grid::BlockMap numbers_;
    std::vector<float> values_;
};

} // namespace floe::io
