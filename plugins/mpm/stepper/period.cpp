#include "period.hpp"

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace floe::mpm {

Period::Period(const Domain& domain, double cellSize)
{
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!domain.bounded || !domain.periodic[axis])
            continue;
        const int a = static_cast<int>(axis);
        const double edge = kBlockEdge * cellSize;
        const double low = (domain.center[a] - domain.halfSize[a]) / edge,
                     count = 2 * domain.halfSize[a] / edge;
        if (!(std::abs(low) < kMaxCoordinate && count < kMaxCoordinate))
            throw std::invalid_argument("the domain's periodic sides are more than four million "
                                        "cells away from the origin");
        const double nearLow = std::round(low), nearCount = std::max(1.0, std::round(count));
        constexpr double kRounding = 1e-5; // of a block: sizes are typed in decimals
        if (std::abs(low - nearLow) > kRounding || std::abs(count - nearCount) > kRounding) {
            std::ostringstream text;
            text << "periodic sides lie at multiples of four cells, which are " << edge
                 << " m: along "
                 << "xyz"[axis] << ", give the domain the size " << nearCount * edge
                 << " m and the centre " << (nearLow + nearCount / 2) * edge
                 << " m, or choose a cell size that divides it so";
            throw std::invalid_argument(text.str());
        }
        low_[axis] = static_cast<std::int32_t>(nearLow);
        count_[axis] = static_cast<std::int32_t>(nearCount);
    }
}

bool Period::isPossible(const BlockCoordinate& low, const BlockCoordinate& count)
{
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (low[axis] < -kMaxCoordinate || low[axis] > kMaxCoordinate || count[axis] < 0 ||
            count[axis] > kMaxCoordinate)
            return false;
    return true;
}

} // namespace floe::mpm
