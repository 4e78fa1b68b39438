#pragma once

#include "floe/compute/buffer.hpp"
#include "floe/data/value.hpp"

#include <array>
#include <span>

namespace floe {

/// Pose at a frame: scale first, then rotation, then translation.
struct TransformKey {
    double frame = 0;
    std::array<double, 3> position{};           ///< [m]
    std::array<double, 4> rotation{0, 0, 0, 1}; ///< unit quaternion x, y, z, w
    double scale = 1;                           ///< uniform, > 0
};

/// A rigid motion with uniform scale, keyed over frames.
class TransformValue final : public Value {
public:
    static constexpr Kind kKind = Kind::transform;
    /// @param keys  at least one, in strictly increasing order of frame; rotations are normalised
    /// @throws InputError  no key, wrong order, not finite, zero rotation, scale not positive
    explicit TransformValue(std::span<const TransformKey> keys);

    std::span<const TransformKey> keys() const { return keys_.span(); }

    /// Returns the pose at any frame: position and scale linear, rotation along the shortest arc at
    /// constant rate (Shoemake 1985); constant before the first and after the last key.
    TransformKey at(double frame) const;
    /// Returns the same as a row-major 4x4 matrix that transforms column vectors to world space.
    std::array<double, 16> matrixAt(double frame) const;

private:
    compute::Array<TransformKey> keys_;
};

} // namespace floe
