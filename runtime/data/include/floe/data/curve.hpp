#pragma once

#include "floe/compute/buffer.hpp"
#include "floe/data/value.hpp"

#include <span>

namespace floe {

/// A piecewise linear function of one variable, given by points.
class CurveValue final : public Value {
public:
    static constexpr Kind kKind = Kind::curve;
    /// @param points  x0, y0, x1, y1, ...; at least one point; x must not decrease
    /// @throws InputError
    explicit CurveValue(std::span<const float> points);

    std::size_t count() const { return points_.size() / 2; }
    std::span<const float> points() const { return points_.span(); }

private:
    compute::Array<float> points_;
};

} // namespace floe
