// Level sets of exact distances without OpenVDB, for builds that have only NanoVDB's headers.
#include "blocks_in_band.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wclass-memaccess"
#include <nanovdb/util/GridBuilder.h>
#pragma GCC diagnostic pop

#include <cmath>

namespace floe::shapes {

class Grid {
public:
    nanovdb::GridHandle<> nano;
};

GridRef gridFromDistance(const std::function<double(const Point&)>& distance, const Point& low,
                         const Point& high, double voxelSize)
{
    // NanoVDB fills the inside with minus the outside's constant: both bands are equally deep.
    const auto band = static_cast<float>(kInside * voxelSize);
    const BlocksInBand blocks = blocksInBand(distance, low, high, voxelSize);
    nanovdb::GridBuilder<float> builder(band, nanovdb::GridClass::LevelSet);
    auto accessor = builder.getAccessor();
    for (const Voxel& origin : blocks.leaves)
        for (int x = origin[0]; x < origin[0] + 8; ++x)
            for (int y = origin[1]; y < origin[1] + 8; ++y)
                for (int z = origin[2]; z < origin[2] + 8; ++z) {
                    const auto value =
                        static_cast<float>(distance({x * voxelSize, y * voxelSize, z * voxelSize}));
                    if (value < band && (blocks.tiles.empty() || value > -band))
                        accessor.setValue({x, y, z}, value);
                }
    builder.sdfToLevelSet();
    auto grid = std::make_shared<Grid>();
    grid->nano = builder.getHandle<>(voxelSize, nanovdb::Vec3d(0.0), "surface");
    return grid;
}

sdk::Value volumeValue(const Grid& grid)
{
    return sdk::makeVolume(grid.nano.data(), grid.nano.size());
}

sdk::Value meshValue(const Surface& surface)
{
    return sdk::makeMesh(surface.points, surface.triangles);
}

} // namespace floe::shapes
