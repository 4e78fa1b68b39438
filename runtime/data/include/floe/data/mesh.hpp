#pragma once

#include "floe/compute/buffer.hpp"
#include "floe/data/value.hpp"

#include <array>
#include <span>

namespace floe {

/// Triangles with shared points. May be empty, open, or intersect itself.
class MeshValue final : public Value {
public:
    static constexpr Kind kKind = Kind::mesh;
    /// @param points      3 per point [m]
    /// @param triangles   3 indices per triangle, counter-clockwise seen from outside
    /// @param velocities  empty, or 3 per point [m/s]
    /// @param colours     empty, or 3 per point, linear, 0 to 1
    /// @throws InputError  sizes that do not match, an index out of range, not finite
    /// @throws MemoryError
    MeshValue(std::span<const float> points, std::span<const std::uint32_t> triangles,
              std::span<const float> velocities = {}, std::span<const float> colours = {});
    /// The same without copying.
    MeshValue(compute::Array<float> points, compute::Array<std::uint32_t> triangles,
              compute::Array<float> velocities = {}, compute::Array<float> colours = {});

    std::uint32_t pointCount() const { return static_cast<std::uint32_t>(points_.size() / 3); }
    std::uint32_t triangleCount() const
    {
        return static_cast<std::uint32_t>(triangles_.size() / 3);
    }
    std::span<const float> points() const { return points_.span(); }
    std::span<const std::uint32_t> triangles() const { return triangles_.span(); }
    /// Empty when the mesh does not move.
    std::span<const float> velocities() const { return velocities_.span(); }
    /// Empty when it is drawn in the colour of its material.
    std::span<const float> colours() const { return colours_.span(); }

    /// Smallest box around the points [m]: minimum, maximum; all 0 without points.
    std::array<float, 6> bounds() const;

private:
    compute::Array<float> points_;
    compute::Array<std::uint32_t> triangles_;
    compute::Array<float> velocities_;
    compute::Array<float> colours_;
};

} // namespace floe
