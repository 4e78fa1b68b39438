#include "sphere_cells.hpp"

#include <algorithm>

namespace floe::pbd {

SphereCells cellsOf(const Spheres& spheres)
{
    SphereCells cells;
    cells.low = spheres.center[0];
    Vec3f high = cells.low;
    float smallest = spheres.radius[0], largest = smallest;
    for (std::size_t i = 0; i < spheres.center.size(); ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            cells.low[axis] = std::min(cells.low[axis], spheres.center[i][axis]);
            high[axis] = std::max(high[axis], spheres.center[i][axis]);
        }
        smallest = std::min(smallest, spheres.radius[i]);
        largest = std::max(largest, spheres.radius[i]);
    }
    const Vec3f size = high - cells.low;
    const double extent = std::max({size.x, size.y, size.z});
    cells.edge = std::max({2.0 * smallest * 1.00001, extent / ((1 << SphereCells::kBits) - 4),
                           2.00002 * largest / (1 << (SphereCells::kLevels - 1)), 1e-30});
    return cells;
}

} // namespace floe::pbd
