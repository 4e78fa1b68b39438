#include "sorted_grid.hpp"

#include <algorithm>

namespace floe::pbd {

SortedGrid::SortedGrid(const Spheres& spheres, sdk::parallel::Executor& executor)
    : spheres_(spheres)
{
    const std::size_t count = spheres.center.size();
    if (count == 0)
        return;
    grids_ = cellsOf(spheres);
    cells_.resize(count);
    executor.parallelFor(count, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            cells_[i] = {grids_.keyOf(spheres.center[i], spheres.radius[i]),
                         static_cast<std::uint32_t>(i)};
    });
    radixSort(cells_);
    for (int level = 0; level <= kLevels; ++level)
        begin_[static_cast<std::size_t>(level)] = static_cast<std::size_t>(
            std::lower_bound(cells_.begin(), cells_.end(), level,
                             [](const Keyed& item, int wanted) {
                                 return SphereCells::levelOfKey(item.key) < wanted;
                             }) -
            cells_.begin());
}

void SortedGrid::findAbove(std::size_t place, std::vector<Pair>& pairs) const
{
    const std::uint32_t own = cells_[place].value;
    const Vec3f x = spheres_.center[own];
    const int ownLevel = SphereCells::levelOfKey(cells_[place].key);
    for (int level = ownLevel; level < kLevels; ++level) {
        const auto l = static_cast<std::size_t>(level);
        if (begin_[l] == begin_[l + 1])
            continue;
        const SphereCells::Range range = grids_.around(x, spheres_.radius[own], level);
        const auto last = cells_.begin() + static_cast<std::ptrdiff_t>(begin_[l + 1]);
        auto at = cells_.begin() + static_cast<std::ptrdiff_t>(begin_[l]);
        const auto below = [](const Keyed& item, std::uint64_t key) {
            return item.key < key;
        };
        for (std::int64_t z = range.from[2]; z <= range.to[2]; ++z)
            for (std::int64_t y = range.from[1]; y <= range.to[1]; ++y) {
                const std::uint64_t end = SphereCells::keyOf(level, range.to[0], y, z);
                at = std::lower_bound(at, last, SphereCells::keyOf(level, range.from[0], y, z),
                                      below);
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
