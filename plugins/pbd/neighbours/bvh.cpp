#include "bvh.hpp"

#include "radix_sort.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

namespace floe::pbd {

namespace {

/// The lowest 21 bits, two zeros between each.
std::uint64_t spread(std::uint64_t a)
{
    a &= 0x1fffff;
    a = (a | a << 32) & 0x1f00000000ffffull;
    a = (a | a << 16) & 0x1f0000ff0000ffull;
    a = (a | a << 8) & 0x100f00f00f00f00full;
    a = (a | a << 4) & 0x10c30c30c30c30c3ull;
    return (a | a << 2) & 0x1249249249249249ull;
}

} // namespace

Bvh::Bvh(const Spheres& spheres, sdk::parallel::Executor& executor) : spheres_(spheres)
{
    const std::size_t count = spheres.center.size();
    if (count == 0)
        return;
    Vec3f low = spheres.center[0], high = low;
    for (const Vec3f& x : spheres.center)
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], x[axis]);
            high[axis] = std::max(high[axis], x[axis]);
        }
    const double extent = std::max({high.x - low.x, high.y - low.y, high.z - low.z, 1e-30f});
    std::vector<Keyed> keys(count);
    executor.parallelFor(count, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            std::uint64_t code = 0;
            for (int axis = 0; axis < 3; ++axis) {
                const double at = (double{spheres.center[i][axis]} - low[axis]) / extent;
                code |= spread(static_cast<std::uint64_t>(at * 0x1fffff)) << axis;
            }
            keys[i] = {code, static_cast<std::uint32_t>(i)};
        }
    });
    radixSort(keys);
    std::vector<std::uint64_t> codes(count);
    order_.resize(count);
    for (std::size_t rank = 0; rank < count; ++rank) {
        codes[rank] = keys[rank].key;
        order_[rank] = keys[rank].value;
    }
    left_.resize(count - 1);
    right_.resize(count - 1);
    parent_.assign(2 * count - 1, 0);
    box_.resize(2 * count - 1);
    group_.resize(2 * count - 1);
    visits_.assign(count - 1, 0);
    executor.parallelFor(count - 1, 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t node = begin; node < end; ++node)
            link(node, codes);
    });
    executor.parallelFor(count, 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t rank = begin; rank < end; ++rank)
            fit(rank);
    });
}

/// Finds the range of leaves that a node covers and where it splits (Karras 2012, section 4).
void Bvh::link(std::size_t node, const std::vector<std::uint64_t>& codes)
{
    const auto count = static_cast<std::int64_t>(codes.size());
    const auto i = static_cast<std::int64_t>(node);
    // Length of the common prefix of two ranks; where codes are equal the ranks decide.
    const auto prefix = [&](std::int64_t a, std::int64_t b) {
        if (b < 0 || b >= count)
            return -1;
        const std::uint64_t x =
            codes[static_cast<std::size_t>(a)] ^ codes[static_cast<std::size_t>(b)];
        return x ? std::countl_zero(x) : 64 + std::countl_zero(static_cast<std::uint64_t>(a ^ b));
    };
    const std::int64_t d = prefix(i, i + 1) > prefix(i, i - 1) ? 1 : -1;
    const int least = prefix(i, i - d);
    std::int64_t most = 2;
    while (prefix(i, i + most * d) > least)
        most *= 2;
    std::int64_t length = 0;
    for (std::int64_t t = most / 2; t >= 1; t /= 2)
        if (prefix(i, i + (length + t) * d) > least)
            length += t;
    const std::int64_t j = i + length * d;
    const int own = prefix(i, j);
    std::int64_t split = 0;
    for (std::int64_t divisor = 2, t = 0; t != 1; divisor *= 2) {
        t = (length + divisor - 1) / divisor;
        if (prefix(i, i + (split + t) * d) > own)
            split += t;
    }
    const std::int64_t gamma = i + split * d + std::min<std::int64_t>(d, 0);
    const std::int64_t leaves = count - 1;
    const std::int64_t left = std::min(i, j) == gamma ? leaves + gamma : gamma;
    const std::int64_t right = std::max(i, j) == gamma + 1 ? leaves + gamma + 1 : gamma + 1;
    left_[node] = static_cast<std::uint32_t>(left);
    right_[node] = static_cast<std::uint32_t>(right);
    parent_[static_cast<std::size_t>(left)] = static_cast<std::uint32_t>(node);
    parent_[static_cast<std::size_t>(right)] = static_cast<std::uint32_t>(node);
}

/// A little larger than the sphere, so that rounding never hides what touch() finds.
Bvh::Box Bvh::boxOf(std::uint32_t sphere) const
{
    const Vec3f x = spheres_.center[sphere];
    const float r = spheres_.radius[sphere];
    Box box;
    for (int axis = 0; axis < 3; ++axis) {
        const float reach = r + 1e-6f * (std::fabs(x[axis]) + r);
        box.low[axis] = x[axis] - reach;
        box.high[axis] = x[axis] + reach;
    }
    return box;
}

/// From a leaf upwards; of the two that come to a node the second goes on.
void Bvh::fit(std::size_t rank)
{
    std::size_t node = order_.size() - 1 + rank;
    box_[node] = boxOf(order_[rank]);
    group_[node] = spheres_.group[order_[rank]];
    while (node != 0) {
        node = parent_[node];
        if (std::atomic_ref<std::uint32_t>(visits_[node]).fetch_add(1, std::memory_order_acq_rel) ==
            0)
            return;
        const std::uint32_t a = left_[node], b = right_[node];
        for (int axis = 0; axis < 3; ++axis) {
            box_[node].low[axis] = std::min(box_[a].low[axis], box_[b].low[axis]);
            box_[node].high[axis] = std::max(box_[a].high[axis], box_[b].high[axis]);
        }
        group_[node] = group_[a] == group_[b] ? group_[a] : kNoGroup;
    }
}

void Bvh::findAbove(std::size_t rank, std::vector<Pair>& pairs) const
{
    const std::uint32_t own = order_[rank];
    const std::uint32_t group = spheres_.group[own];
    const std::size_t leaves = order_.size() - 1;
    const Box query = boxOf(own);
    const auto wanted = [&](std::uint32_t node) {
        const Box& box = box_[node];
        bool meets = group == kNoGroup || group_[node] != group;
        for (int axis = 0; axis < 3; ++axis)
            meets = meets && query.low[axis] <= box.high[axis] && box.low[axis] <= query.high[axis];
        return meets;
    };
    // No path is longer than the 64 bits of a code and the 32 of a rank.
    std::uint32_t stack[100];
    for (auto node = static_cast<std::uint32_t>(leaves + rank); node != 0;) {
        const std::uint32_t up = parent_[node];
        int top = 0;
        if (left_[up] == node && wanted(right_[up]))
            stack[top++] = right_[up];
        while (top > 0) {
            const std::uint32_t at = stack[--top];
            if (at >= leaves) {
                const std::uint32_t other = order_[at - leaves];
                if (strangers(spheres_, own, other) && touch(spheres_, own, other))
                    pairs.push_back({std::min(own, other), std::max(own, other)});
                continue;
            }
            if (wanted(right_[at]))
                stack[top++] = right_[at];
            if (wanted(left_[at]))
                stack[top++] = left_[at];
        }
        node = up;
    }
}

} // namespace floe::pbd
