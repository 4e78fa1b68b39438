#include "floe/data/curve.hpp"

#include "floe/base/error.hpp"

#include <algorithm>
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

float CurveValue::at(float x) const
{
    // First point right of x.
    std::size_t low = 0;
    std::size_t high = count();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (points_[2 * middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0)
        return points_[1];
    const float y0 = points_[2 * low - 1];
    if (low == count())
        return y0;
    const float x0 = points_[2 * low - 2];
    const float t = (x - x0) / (points_[2 * low] - x0);
    return y0 + t * (points_[2 * low + 1] - y0);
}

} // namespace floe
