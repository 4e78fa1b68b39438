#include "blocks_in_band.hpp"
#include "grid_openvdb.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wclass-memaccess"
#include <nanovdb/util/NanoToOpenVDB.h>
#include <nanovdb/util/OpenToNanoVDB.h>
#pragma GCC diagnostic pop

#include <tbb/parallel_for.h>

namespace floe::shapes {

using LeafNode = openvdb::FloatTree::LeafNodeType;

double voxelSizeOf(const Grid& grid)
{
    return grid.vdb->voxelSize()[0];
}

GridRef gridFromDistance(const std::function<double(const Point&)>& distance, const Point& low,
                         const Point& high, double voxelSize)
{
    const double band = kOutside * voxelSize;
    const double depth = kInside * voxelSize;
    const BlocksInBand blocks = blocksInBand(distance, low, high, voxelSize);
    const bool full = blocks.tiles.empty();

    const auto background = static_cast<float>(band);
    const auto deepest = static_cast<float>(-depth);
    std::vector<std::unique_ptr<LeafNode>> leaves(blocks.leaves.size());
    tbb::parallel_for(std::size_t{0}, leaves.size(), [&](std::size_t n) {
        auto leaf = std::make_unique<LeafNode>(openvdb::Coord(blocks.leaves[n].data()), background);
        for (openvdb::Index voxel = 0; voxel < LeafNode::SIZE; ++voxel) {
            const openvdb::Coord at = leaf->offsetToGlobalCoord(voxel);
            const auto value = static_cast<float>(
                distance({at.x() * voxelSize, at.y() * voxelSize, at.z() * voxelSize}));
            if (value >= background)
                leaf->setValueOff(voxel, background);
            else if (full || value > deepest)
                leaf->setValueOn(voxel, value);
            else
                leaf->setValueOff(voxel, deepest);
        }
        leaves[n] = std::move(leaf);
    });

    auto grid = openvdb::FloatGrid::create(background);
    grid->setTransform(latticeOf(voxelSize));
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    for (auto& leaf : leaves)
        grid->tree().addLeaf(leaf.release());
    for (const auto& [origin, level] : blocks.tiles)
        grid->tree().addTile(static_cast<openvdb::Index>(level + 1), openvdb::Coord(origin.data()),
                             deepest, false);
    return std::make_shared<Grid>(grid);
}

GridRef translated(const Grid& grid, const Point& offset)
{
    // Shares the voxels; a finished grid is never written to.
    auto moved = std::make_shared<Grid>(Grid{grid.vdb->copy()});
    auto transform = grid.vdb->transform().copy();
    transform->postTranslate({offset[0], offset[1], offset[2]});
    moved->vdb->setTransform(transform);
    return moved;
}

sdk::Value volumeValue(const Grid& grid)
{
    grid.vdb->setName("surface");
    const auto handle = nanovdb::openToNanoVDB(*grid.vdb);
    return sdk::makeVolume(handle.data(), handle.size());
}

sdk::Value meshValue(const Surface& surface)
{
    return sdk::makeMesh(surface.points, surface.triangles);
}

GridRef gridFromValue(const sdk::Value& volume, const char* socket)
{
    const floe_volume view = volume.volume();
    const std::string name = std::string("input '") + socket + "'";
    const auto* nano = static_cast<const nanovdb::NanoGrid<float>*>(view.grid);
    if (view.space != FLOE_SPACE_HOST || nano->gridType() != nanovdb::GridType::Float)
        throw sdk::Failure(name + " is not a grid of distances; grids of vectors are read by "
                                  "Volume file and Volume sequence",
                           FLOE_WRONG_KIND);
    GridRef grid = std::make_shared<Grid>(nanovdb::nanoToOpenVDB(*nano));
    const auto voxel = grid->vdb->voxelSize();
    if (!grid->vdb->hasUniformVoxels() || !(voxel[0] > 0) || !(grid->vdb->background() > 0))
        throw sdk::Failure(name + " is not a level set with cubic voxels; make one with the mesh, "
                                  "file or resample node",
                           FLOE_WRONG_KIND);
    grid->vdb->setGridClass(openvdb::GRID_LEVEL_SET);
    return grid;
}

} // namespace floe::shapes
