#include "floe/data/curve.hpp"

#include "floe/base/error.hpp"

#include <cmath>

namespace floe {

CurveValue::CurveValue(std::span<const float> points) : Value(kKind), points_(points)
{
    if (points.empty() || points.size() % 2 != 0)
        throw InputError({}, "a curve needs at least one point of two numbers");
    for (std::size_t i = 0; i < points.size(); ++i)
        if (!std::isfinite(points[i]))
            throw InputError({}, "a curve's points must be finite");
    for (std::size_t i = 2; i < points.size(); i += 2)
        if (points[i] < points[i - 2])
            throw InputError({}, "a curve's points must be in increasing order of x");
    account(points_.bytes());
}

} // namespace floe
