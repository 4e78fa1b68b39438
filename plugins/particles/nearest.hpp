#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace floe::particles {

using Point = std::array<double, 3>;

/// The nearest of many points: a balanced k-d tree (Bentley 1975) in one array. Any distribution of
/// points takes n log n steps to build and about log n for a question.
class NearestPoints {
public:
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

} // namespace floe::particles
