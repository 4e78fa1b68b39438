#include "openvdb_grids.hpp"

#include "floe/base/error.hpp"

#include <atomic>
#include <cmath>
#include <cstring>

#include <nanovdb/util/NanoToOpenVDB.h>
#include <nanovdb/util/OpenToNanoVDB.h>
#include <openvdb/tree/LeafManager.h>

namespace floe::io {

namespace vdb = openvdb;

namespace {

bool isFinite(float value)
{
    return std::isfinite(value);
}
bool isFinite(const vdb::Vec3f& value)
{
    return value.isFinite();
}

template <class Grid>
void checkValues(const Grid& grid)
{
    std::atomic<bool> finite{isFinite(grid.background())};
    vdb::tree::LeafManager<const typename Grid::TreeType> leaves(grid.tree());
    leaves.foreach ([&](const auto& leaf, std::size_t) {
        for (auto it = leaf.cbeginValueAll(); it; ++it)
            if (!isFinite(*it))
                finite = false;
    });
    auto tile = grid.tree().cbeginValueAll();
    tile.setMaxDepth(vdb::FloatTree::DEPTH - 2);
    for (; tile; ++tile)
        if (!isFinite(*tile))
            finite = false;
    if (!finite)
        throw InputError({}, "the grid '" + grid.getName() + "' has a value that is not finite");
}

void checkTransform(const vdb::GridBase& grid)
{
    const vdb::math::Transform& transform = grid.transform();
    if (!transform.isLinear())
        throw InputError({}, "the grid '" + grid.getName() + "' has a perspective transform",
                         "resample it to a uniform grid");
    const vdb::math::Mat4d matrix = transform.baseMap()->getAffineMap()->getMat4();
    const double determinant = matrix.det();
    if (!matrix.isFinite() || !std::isfinite(determinant) || determinant == 0)
        throw InputError({}, "the grid '" + grid.getName() + "' has voxels without size");
}

template <class Grid>
nanovdb::GridHandle<nanovdb::HostBuffer> convert(const Grid& grid)
{
    checkValues(grid);
    return nanovdb::openToNanoVDB<nanovdb::HostBuffer, typename Grid::TreeType>(grid);
}

} // namespace

vdb::GridBase::Ptr toOpenVdb(const VolumeValue& volume)
{
    startOpenVdb();
    if (volume.info().isVector)
        return nanovdb::nanoToOpenVDB<nanovdb::Vec3f>(
            *static_cast<const nanovdb::NanoGrid<nanovdb::Vec3f>*>(volume.grid()));
    return nanovdb::nanoToOpenVDB<float>(
        *static_cast<const nanovdb::NanoGrid<float>*>(volume.grid()));
}

Ref<const VolumeValue> fromOpenVdb(const vdb::GridBase::Ptr& grid)
{
    checkTransform(*grid);
    nanovdb::GridHandle<nanovdb::HostBuffer> handle;
    if (const auto scalars = vdb::gridPtrCast<vdb::FloatGrid>(grid))
        handle = convert(*scalars);
    else if (const auto vectors = vdb::gridPtrCast<vdb::Vec3fGrid>(grid))
        handle = convert(*vectors);
    else
        throw InputError({}, "the grid '" + grid->getName() + "' is not of float or vec3f");
    compute::Buffer buffer(compute::cpuDevice(), handle.size());
    std::memcpy(buffer.data(), handle.data(), handle.size());
    const Ref<VolumeValue> volume = make<VolumeValue>(std::move(buffer));
    volume->seal();
    return volume;
}

} // namespace floe::io
