#include "sweep.hpp"

#include "neighbours/radix_sort.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

constexpr int kBits = 19; ///< of a cell's coordinate, without the bit that is its colour's

/// A number for each cell, colour first.
std::uint64_t keyOf(const std::array<std::uint64_t, 3>& cell)
{
    std::uint64_t colour = 0, place = 0;
    for (int axis = 2; axis >= 0; --axis) {
        const std::uint64_t at = cell[static_cast<std::size_t>(axis)];
        colour = colour << 1 | (at & 1);
        place = place << kBits | at >> 1;
    }
    return colour << 3 * kBits | place;
}

} // namespace

void SweepOrder::sort(std::vector<Pair>& pairs, std::span<const Vec3d> x)
{
    begin_.assign(1, 0);
    colour_.fill(0);
    if (pairs.empty())
        return;
    Vec3d low{INFINITY, INFINITY, INFINITY}, high = -1.0 * low;
    double longest = 0;
    for (const Pair& pair : pairs)
        for (int axis = 0; axis < 3; ++axis) {
            const double a = x[pair.first][axis], b = x[pair.second][axis];
            low[axis] = std::min({low[axis], a, b});
            high[axis] = std::max({high[axis], a, b});
            longest = std::max(longest, std::abs(a - b));
        }
    const Vec3d size = high - low;
    // Twice what a pair spans, so that a cell is worth a task of its own.
    const double edge = std::max(
        {2 * longest,
         1.001 * std::max({size.x, size.y, size.z}) / static_cast<double>(1 << (kBits + 1)),
         1e-30});
    std::vector<Keyed> keys(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        std::array<std::uint64_t, 3> cell;
        for (int axis = 0; axis < 3; ++axis) {
            const double corner = std::min(x[pairs[k].first][axis], x[pairs[k].second][axis]);
            cell[static_cast<std::size_t>(axis)] =
                static_cast<std::uint64_t>((corner - low[axis]) / edge);
        }
        keys[k] = {keyOf(cell), static_cast<std::uint32_t>(k)};
    }
    radixSort(keys);
    std::vector<Pair> ordered(pairs.size());
    begin_.clear();
    int colours = 0;
    for (std::size_t k = 0; k < keys.size(); ++k) {
        ordered[k] = pairs[keys[k].value];
        if (k > 0 && keys[k].key == keys[k - 1].key)
            continue;
        for (const int own = static_cast<int>(keys[k].key >> 3 * kBits); colours <= own; ++colours)
            colour_[static_cast<std::size_t>(colours)] = begin_.size();
        begin_.push_back(k);
    }
    for (; colours <= kColours; ++colours)
        colour_[static_cast<std::size_t>(colours)] = begin_.size();
    begin_.push_back(keys.size());
    pairs.swap(ordered);
}

} // namespace floe::pbd
