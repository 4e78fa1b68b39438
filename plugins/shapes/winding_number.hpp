#pragma once

#include "grid.hpp"

namespace floe::shapes {

/// Winding number of a surface around a point: 1 inside, 0 outside, intermediate near holes, 2
/// inside two overlapping parts (Jacobson et al. 2013). Distant groups of triangles are
/// approximated by one dipole (Barill et al. 2018). Queries are thread-safe.
class WindingNumber {
public:
    explicit WindingNumber(const Surface& surface);
    double at(const Point& point) const;

private:
    struct Cluster {
        Point middle{};                 ///< area-weighted
        Point areaVector{};             ///< sum of area times normal
        double radius = 0;              ///< all points lie within it, around the middle
        uint32_t begin = 0, end = 0;    ///< triangles, in order_
        uint32_t first = 0, second = 0; ///< children; 0: none
    };

    uint32_t build(uint32_t begin, uint32_t end, int depth);
    Point corner(uint32_t triangle, int i) const;

    const Surface& surface_;
    std::vector<uint32_t> order_;
    std::vector<Cluster> clusters_;
};

} // namespace floe::shapes
