#pragma once

#include "floe/compute/buffer.hpp"
#include "floe/data/value.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace floe {

/// Description of a NanoVDB grid.
struct VolumeInfo {
    std::string name;
    bool isVector = false;   ///< Vec3f; else float
    bool isLevelSet = false; ///< signed distance [m], negative inside
    double voxelSize = 0;    ///< [m]
    std::uint64_t activeVoxels = 0;
    std::array<std::int32_t, 6> indexBounds{}; ///< of active voxels: minimum, maximum (inclusive)
    std::array<double, 6> worldBounds{};       ///< [m]: minimum, maximum; all 0 when empty
};

/// One NanoVDB grid (Museth 2021) of float or Vec3f in host memory, 32-byte aligned.
///
/// The whole tree is checked once, when the value is made: every offset and index used to read a
/// voxel lies inside the grid, so readers need no checks.
class VolumeValue final : public Value {
public:
    static constexpr Kind kKind = Kind::volume;
    /// Copies a grid. @throws InputError it is not a usable grid; MemoryError
    explicit VolumeValue(std::span<const std::byte> grid);
    /// The same without copying; `grid` is host memory.
    explicit VolumeValue(compute::Buffer grid);

    /// Returns the grid for `reinterpret_cast<const nanovdb::NanoGrid<float>*>`.
    const void* grid() const { return grid_.data(); }
    std::uint64_t gridBytes() const { return grid_.bytes(); }
    const VolumeInfo& info() const { return info_; }

private:
    compute::Buffer grid_;
    VolumeInfo info_;
};

/// Checks a NanoVDB grid like VolumeValue.
/// @param grid  32-byte aligned, host memory
/// @throws InputError with the reason
VolumeInfo checkGrid(std::span<const std::byte> grid);

} // namespace floe
