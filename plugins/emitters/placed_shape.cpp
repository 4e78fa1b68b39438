#include "placed_shape.hpp"

#include <algorithm>

namespace floe::emitters {

PlacedShape::PlacedShape(const sdk::LevelSet& levelSet, const floe_transform_key& key)
    : levelSet_(levelSet), key_(key)
{}

std::array<Point, 2> PlacedShape::bounds() const
{
    const auto own = levelSet_.bounds();
    std::array<Point, 2> box = {Point{1e300, 1e300, 1e300}, Point{-1e300, -1e300, -1e300}};
    for (int corner = 0; corner < 8; ++corner) {
        const Point world = sdk::toWorld(
            key_, {own[corner & 1][0], own[(corner >> 1) & 1][1], own[(corner >> 2) & 1][2]});
        for (std::size_t axis = 0; axis < 3; ++axis) {
            box[0][axis] = std::min(box[0][axis], world[axis]);
            box[1][axis] = std::max(box[1][axis], world[axis]);
        }
    }
    return box;
}

Point PlacedShape::middle() const
{
    // The bounds end one voxel after the last one.
    const auto own = levelSet_.bounds();
    const double voxel = levelSet_.voxelSize();
    return sdk::toWorld(key_,
                        {(own[0][0] + own[1][0] - voxel) / 2, (own[0][1] + own[1][1] - voxel) / 2,
                         (own[0][2] + own[1][2] - voxel) / 2});
}

} // namespace floe::emitters
