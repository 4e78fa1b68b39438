/// The nearest of many points.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace floe::sdk::world {

/// The nearest of many points: a balanced k-d tree (Bentley 1975) in one array. Any distribution of
/// points takes n log n steps to build and about log n for a question.
class NearestPoints {
public:
    using Point = std::array<double, 3>; ///< [m]

    struct Found {
        double distance2; ///< squared [m^2]
        uint32_t point;
        /// Ties go to the lower index, so that the answer does not depend on the tree.
        bool operator<(const Found& other) const
        {
            return distance2 < other.distance2 ||
                   (distance2 == other.distance2 && point < other.point);
        }
    };

    /// @param points  finite; at most 2^32
    explicit NearestPoints(std::vector<Point> points);

    std::size_t count() const { return points_.size(); }
    const Point& point(uint32_t i) const { return points_[i]; }

    /// Finds the `wanted` nearest points, the nearest first; all when there are fewer. Thread-safe.
    void find(const Point& to, std::size_t wanted, std::vector<Found>& found) const;

private:
    void build(std::size_t begin, std::size_t end);
    void search(std::size_t begin, std::size_t end, const Point& to, std::size_t wanted,
                std::vector<Found>& heap) const;

    std::vector<Point> points_;
    std::vector<uint32_t> order_; ///< the tree: the middle of a range divides it
    std::vector<uint8_t> axis_;   ///< along which order_[i] divides its range
};

inline NearestPoints::NearestPoints(std::vector<Point> points)
    : points_(std::move(points)), order_(points_.size()), axis_(points_.size())
{
    std::iota(order_.begin(), order_.end(), 0u);
    build(0, order_.size());
}

inline void NearestPoints::build(std::size_t begin, std::size_t end)
{
    if (end - begin < 2)
        return;
    Point low = points_[order_[begin]], high = low;
    for (std::size_t i = begin; i < end; ++i)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], points_[order_[i]][axis]);
            high[axis] = std::max(high[axis], points_[order_[i]][axis]);
        }
    std::size_t longest = 0;
    for (std::size_t axis = 1; axis < 3; ++axis)
        if (high[axis] - low[axis] > high[longest] - low[longest])
            longest = axis;
    const std::size_t middle = begin + (end - begin) / 2;
    const auto at = [this](std::size_t i) {
        return order_.begin() + static_cast<std::ptrdiff_t>(i);
    };
    std::nth_element(at(begin), at(middle), at(end), [&](uint32_t a, uint32_t b) {
        const double pa = points_[a][longest], pb = points_[b][longest];
        return pa < pb || (pa == pb && a < b);
    });
    axis_[middle] = static_cast<uint8_t>(longest);
    build(begin, middle);
    build(middle + 1, end);
}

inline void NearestPoints::find(const Point& to, std::size_t wanted,
                                std::vector<Found>& found) const
{
    found.clear();
    if (wanted > 0)
        search(0, order_.size(), to, wanted, found);
    std::sort_heap(found.begin(), found.end());
}

inline void NearestPoints::search(std::size_t begin, std::size_t end, const Point& to,
                                  std::size_t wanted, std::vector<Found>& heap) const
{
    if (begin == end)
        return;
    const std::size_t middle = begin + (end - begin) / 2;
    const uint32_t index = order_[middle];
    const Point& p = points_[index];
    const double dx = to[0] - p[0], dy = to[1] - p[1], dz = to[2] - p[2];
    const Found here{dx * dx + dy * dy + dz * dz, index};
    if (heap.size() < wanted) {
        heap.push_back(here);
        std::push_heap(heap.begin(), heap.end());
    } else if (here < heap.front()) {
        std::pop_heap(heap.begin(), heap.end());
        heap.back() = here;
        std::push_heap(heap.begin(), heap.end());
    }
    if (end - begin == 1)
        return;
    const std::size_t axis = axis_[middle];
    const double across = to[axis] - p[axis];
    const std::pair<std::size_t, std::size_t> lower{begin, middle}, upper{middle + 1, end};
    const auto& [near, far] = across < 0 ? std::pair(lower, upper) : std::pair(upper, lower);
    search(near.first, near.second, to, wanted, heap);
    if (heap.size() < wanted || across * across <= heap.front().distance2)
        search(far.first, far.second, to, wanted, heap);
}

} // namespace floe::sdk::world
