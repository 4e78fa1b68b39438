#include "sorted_grid.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

SortedGrid::SortedGrid(const Spheres& spheres, sdk::parallel::Executor& executor)
    : spheres_(spheres)
{
    const std::size_t count = spheres.center.size();
    if (count == 0)
        return;
    low_ = spheres.center[0];
    Vec3f high = low_;
    float smallest = spheres.radius[0], largest = smallest;
    for (std::size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            low_[axis] = std::min(low_[axis], spheres.center[i][axis]);
            high[axis] = std::max(high[axis], spheres.center[i][axis]);
        }
        smallest = std::min(smallest, spheres.radius[i]);
        largest = std::max(largest, spheres.radius[i]);
    }
    const double extent = std::max({high.x - low_.x, high.y - low_.y, high.z - low_.z});
    // As fine as what fits in a key allows.
    edge_ = std::max({2.0 * smallest * 1.00001, extent / ((1 << kBits) - 4),
                      2.00002 * largest / (1 << (kLevels - 1)), 1e-30});
    cells_.resize(count);
    executor.parallelFor(count, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const int level = levelOf(spheres.radius[i]);
            std::array<std::int64_t, 3> cell;
            for (int axis = 0; axis < 3; ++axis)
                cell[static_cast<std::size_t>(axis)] = cellOf(spheres.center[i][axis], axis, level);
            cells_[i] = {keyOf(level, cell), static_cast<std::uint32_t>(i)};
        }
    });
    radixSort(cells_);
    for (int level = 0; level <= kLevels; ++level)
        begin_[static_cast<std::size_t>(level)] = static_cast<std::size_t>(
            std::lower_bound(cells_.begin(), cells_.end(), level,
                             [](const Keyed& item, int wanted) {
                                 return static_cast<int>(item.key >> (3 * kBits)) < wanted;
                             }) -
            cells_.begin());
}

std::uint64_t SortedGrid::keyOf(int level, const std::array<std::int64_t, 3>& cell)
{
    std::uint64_t key = static_cast<std::uint64_t>(level);
    for (int axis = 2; axis >= 0; --axis) // cells along x follow one another
        key = key << kBits | static_cast<std::uint64_t>(cell[static_cast<std::size_t>(axis)]);
    return key;
}

std::int64_t SortedGrid::cellOf(float at, int axis, int level) const
{
    const double cell = std::floor((double{at} - low_[axis]) / std::ldexp(edge_, level));
    return static_cast<std::int64_t>(std::clamp(cell, 0.0, double{(1 << kBits) - 1}));
}

int SortedGrid::levelOf(float radius) const
{
    int level = 0;
    while (level < kLevels - 1 && 2.0 * radius > std::ldexp(edge_, level))
        ++level;
    return level;
}

void SortedGrid::findAbove(std::size_t place, std::vector<Pair>& pairs) const
{
    const std::uint32_t own = cells_[place].value;
    const Vec3f x = spheres_.center[own];
    const int ownLevel = static_cast<int>(cells_[place].key >> (3 * kBits));
    for (int level = ownLevel; level < kLevels; ++level) {
        const auto l = static_cast<std::size_t>(level);
        if (begin_[l] == begin_[l + 1])
            continue;
        // A pair's centres are at most the sum of the radii apart, which is at most a cell.
        const double reach = spheres_.radius[own] + 0.5 * std::ldexp(edge_, level);
        std::array<std::int64_t, 3> from, to;
        for (int axis = 0; axis < 3; ++axis) {
            const auto slack = 1e-6f * std::fabs(x[axis]);
            const auto a = static_cast<std::size_t>(axis);
            from[a] = cellOf(static_cast<float>(x[axis] - reach) - slack, axis, level);
            to[a] = cellOf(static_cast<float>(x[axis] + reach) + slack, axis, level);
        }
        const auto last = cells_.begin() + static_cast<std::ptrdiff_t>(begin_[l + 1]);
        auto at = cells_.begin() + static_cast<std::ptrdiff_t>(begin_[l]);
        const auto below = [](const Keyed& item, std::uint64_t key) {
            return item.key < key;
        };
        for (std::int64_t z = from[2]; z <= to[2]; ++z)
            for (std::int64_t y = from[1]; y <= to[1]; ++y) {
                const std::uint64_t end = keyOf(level, {to[0], y, z});
                at = std::lower_bound(at, last, keyOf(level, {from[0], y, z}), below);
                for (; at != last && at->key <= end; ++at) {
                    const auto there = static_cast<std::size_t>(at - cells_.begin());
                    const std::uint32_t other = at->value;
                    if ((level > ownLevel || there > place) && strangers(spheres_, own, other) &&
                        touch(spheres_, own, other))
                        pairs.push_back({std::min(own, other), std::max(own, other)});
                }
            }
    }
}

} // namespace floe::pbd
