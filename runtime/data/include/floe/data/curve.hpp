#pragma once

#include "floe/compute/buffer.hpp"
#include "floe/data/value.hpp"

#include <span>

namespace floe {

/// A function of one variable by its points, linear between them.
class CurveValue final : public Value {
public:
    static constexpr Kind kKind = Kind::curve;
    /// @param points  x0, y0, x1, y1, ...; at least one point; x never decreases
    /// @throws InputError
    explicit CurveValue(std::span<const float> points);

    std::size_t count() const { return points_.size() / 2; }
    std::span<const float> points() const { return points_.span(); }

private:
    compute::Array<float> points_;
};

} // namespace floe
